"""Stops a run from hammering an endpoint that is down, and finds out when it is back."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

FIRST: Final = 20
"""So many first requests, all failed, mean that the endpoint is down."""
IN_A_ROW: Final = 50
"""So many failures one after the other mean that it went down."""
PROBE_EVERY_S: Final = 10.0
PROBE_FOR_S: Final = 120.0


class Breaker:
    """Closed while the endpoint answers; open while one request at a time asks whether it does.

    An endpoint that has not answered two minutes after the breaker opened is given up.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._ended = 0
        self._failed_in_a_row = 0
        self._opened_at: float | None = None
        self._next_probe = 0.0
        self.given_up = False

    @property
    def open(self) -> bool:
        """Whether only probes are let through."""
        return self._opened_at is not None

    @property
    def closed(self) -> bool:
        """Whether requests need not wait for `admit`."""
        return self._opened_at is None and not self.given_up

    def record(self, *, failed: bool) -> None:
        """Learn how a request ended."""
        self._ended += 1
        if not failed:
            self._failed_in_a_row = 0
            self._opened_at = None
            return
        self._failed_in_a_row += 1
        all_failed = self._ended == self._failed_in_a_row >= FIRST
        if not self.open and (all_failed or self._failed_in_a_row >= IN_A_ROW):
            self._opened_at = self._clock()
            self._next_probe = self._opened_at + PROBE_EVERY_S

    async def admit(self) -> bool:
        """Wait until a request may be sent; False once the endpoint is given up."""
        while self.open and not self.given_up:
            now = self._clock()
            if now >= self._next_probe:
                self._next_probe = now + PROBE_EVERY_S
                if now - (self._opened_at or now) > PROBE_FOR_S:
                    self.given_up = True
                    break
                return True
            await self._sleep(min(self._next_probe - now, 1.0))
        return not self.given_up
