"""One target, many callers: rates and connections that all workers and tenants keep together."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from typing import Final

from reteval.contract.runs import Limits
from service.egress import EgressError, Policy
from service.errors import ServiceError
from service.store.ending import end_task
from service.store.targets import Slots
from worker.jobs.work import Work, log
from worker.search.lanes import Lanes
from worker.search.pacing import MAX_WAIT_S, Pacer
from worker.search.turns import AHEAD_S, MARGIN, SharedTurns

RENEW_S: Final = 1.0
HOLD_S: Final = 10.0
"""How long the connections of a worker that died count as used."""


def name_target(policy: Policy, url: str) -> str | None:
    """Return what a target is shared by, its origin; None where it may not be called at all."""
    try:
        return policy.check_url(url).origin
    except EgressError:
        return None


def share_pace(
    work: Work, target: str | None, limits: Limits, *, longest_s: float = MAX_WAIT_S
) -> Pacer:
    """Return a pacer whose turns are shared with all who call the target at a rate.

    `longest_s` is the longest wait that the target can ask for.
    """
    rate = limits.rate_per_s
    if rate is None or target is None:
        return Pacer(rate, longest_s=longest_s)
    kept = rate * MARGIN

    async def reserve(wanted: int) -> Slots:
        return await work.store.targets.take_slots(
            target, wanted=wanted, rate_per_s=kept, ahead_s=AHEAD_S
        )

    turns = SharedTurns(kept, reserve, clock=time.monotonic, sleep=asyncio.sleep)
    return Pacer(turns=turns, longest_s=longest_s)


class _Share:
    """The connections that one unit of work may have open: of its run's, and of the target's."""

    def __init__(self, work: Work, target: str, limits: Limits) -> None:
        self.lanes = Lanes(limits.concurrency)
        self._targets = work.store.targets
        self._holder = f"{work.claim.job_id}/{work.claim.unit}"
        self._pools = (
            (f"{work.tenant}/{work.claim.job_id}", limits.concurrency),
            (target, work.settings.target_concurrency),
        )
        self._wanted = limits.concurrency

    async def renew(self) -> None:
        """Ask for what may be used; while the store is away, keep what there was."""
        try:
            self.lanes.cap = min(
                [
                    await self._targets.hold_lanes(
                        pool, self._holder, wanted=self._wanted, most=most, seconds=HOLD_S
                    )
                    for pool, most in self._pools
                ]
            )
        except ServiceError as exc:
            log.warning("lanes.not_shared", holder=self._holder, error=str(exc))

    async def keep(self) -> None:
        """Renew until cancelled."""
        while True:
            await asyncio.sleep(RENEW_S)
            await self.renew()

    async def release(self) -> None:
        """Give everything back."""
        with contextlib.suppress(ServiceError):
            for pool, _ in self._pools:
                await self._targets.release_lanes(pool, self._holder)


@contextlib.asynccontextmanager
async def share_lanes(work: Work, target: str | None, limits: Limits) -> AsyncIterator[Lanes]:
    """Hold a share of the run's and the target's connections while the block runs."""
    if target is None:
        yield Lanes(limits.concurrency)
        return
    share = _Share(work, target, limits)
    await share.renew()
    renewing = asyncio.create_task(share.keep())
    try:
        yield share.lanes
    finally:
        await end_task(renewing)
        await share.release()
