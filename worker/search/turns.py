"""Which moments belong to a run: evenly spaced by itself, or shared with all who call a target."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

import structlog

from service.errors import ServiceError
from service.store.targets import Slots

_log = structlog.get_logger("reteval.search")

AHEAD_S: Final = 1.0
"""How far ahead moments are reserved: what a run that dies takes with it."""
BATCH_S: Final = 0.2
"""Reserved at once, so that the store is asked a few times a second."""
MARGIN: Final = 0.98
"""Of the rate that is used: a late start must not crowd the next second."""

Reserve = Callable[[int], Awaitable[Slots]]


class Turns(Protocol):
    """Gives out moments at which a request may start, on the caller's clock."""

    async def take(self) -> float:
        """Return the next moment, which may have passed."""


class OwnTurns:
    """Evenly spaced moments of one run alone; unused ones are not saved up."""

    def __init__(self, rate_per_s: float, *, clock: Callable[[], float]) -> None:
        self._gap = 1 / rate_per_s
        self._clock = clock
        self._next = 0.0

    async def take(self) -> float:
        """Return the next moment."""
        moment = max(self._next, self._clock())
        self._next = moment + self._gap
        return moment


class SharedTurns:
    """Moments reserved in the store, so that all workers and tenants together keep the rate.

    While the store is away, the run keeps the rate by itself.
    """

    def __init__(
        self,
        rate_per_s: float,
        reserve: Reserve,
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._gap = 1 / rate_per_s
        self._batch = max(1, round(rate_per_s * BATCH_S))
        self._reserve = reserve
        self._clock = clock
        self._sleep = sleep
        self._alone = OwnTurns(rate_per_s, clock=clock)
        self._moments: deque[float] = deque()
        self._reserving = asyncio.Lock()

    async def take(self) -> float:
        """Return the next moment, reserving more when there is none left."""
        async with self._reserving:
            while not self._moments:
                try:
                    slots = await self._reserve(self._batch)
                except ServiceError as exc:
                    _log.warning("turns.not_shared", error=str(exc))
                    return await self._alone.take()
                first = self._clock() + slots.wait_s
                if not slots.count:
                    await self._sleep(slots.wait_s)
                self._moments.extend(first + place * self._gap for place in range(slots.count))
            return self._moments.popleft()
