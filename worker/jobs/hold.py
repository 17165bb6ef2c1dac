"""Keeping a claim: renew it, and learn when and why to stop. By the server's clock alone."""

import asyncio
import time
from collections.abc import Callable
from enum import Enum
from typing import Final

import structlog

from service.errors import ServiceError
from service.store.claims import Claims
from service.store.records import Claim

_log = structlog.get_logger("reteval.worker")
BEAT_S: Final = 0.5
"""Also the time within which a cancellation is seen."""
BLACKOUT_SHARE: Final = 2 / 3
"""Share of a lease after which a worker that cannot renew stops sending."""


MAKE_WAY_S: Final = 30.0
"""Seconds of work on a shard after which others that wait go first."""


class Stop(Enum):
    """Why a worker stops before all requests are done."""

    CANCELLED = "cancelled"
    LOST = "lost"
    DRAINING = "draining"
    WINDOW = "window"
    MAKING_WAY = "making_way"


class Hold:
    """A claim kept alive. `reason` is set once, by the first of them to happen.

    With `makes_way`, the work is left to later when others wait for long.
    """

    def __init__(
        self,
        claims: Claims,
        claim: Claim,
        *,
        lease_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.claim = claim
        self.reason: Stop | None = None
        self.makes_way = False
        self._claims = claims
        self._lease_s = lease_s
        self._clock = clock

    def stop(self, reason: Stop) -> None:
        """Ask for the end; the first reason stands."""
        if self.reason is None:
            self.reason = reason

    def stopping(self) -> bool:
        """Whether no further request may be sent."""
        return self.reason is not None

    async def keep(self) -> None:
        """Renew until stopped; being silent for too long counts as having lost the claim."""
        began = renewed = self._clock()
        beat = min(BEAT_S, self._lease_s / 4)
        while self.reason is not Stop.LOST:
            try:
                state = await self._claims.renew(self.claim, lease_s=self._lease_s)
            except ServiceError as exc:
                _log.warning("lease.not_renewed", run=self.claim.job_id, error=str(exc))
                if self._clock() - renewed > self._lease_s * BLACKOUT_SHARE:
                    self.stop(Stop.LOST)
            else:
                renewed = self._clock()
                if not state.held:
                    self.stop(Stop.LOST)
                elif state.cancel:
                    self.stop(Stop.CANCELLED)
                elif state.others and self.makes_way and renewed - began > MAKE_WAY_S:
                    self.stop(Stop.MAKING_WAY)
            await asyncio.sleep(beat)
