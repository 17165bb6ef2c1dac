"""Several requests under way at once: started in order, as many as the target bears."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, Generic, TypeVar

from worker.search.manners import Manners

WATCH_S: Final = 0.2
GRACE_S: Final = 1.0
"""How long requests already sent may still end once the work is being stopped."""

A = TypeVar("A")
R = TypeVar("R")
Reach = Callable[[int], Awaitable[int]]


class Crew(Generic[A, R]):
    """Lanes that each `do` one request after the other, under the manners of a run.

    `failed` tells results that speak of the target being away; `given_up` is the result of what
    is not even tried once it was away for long.
    """

    def __init__(
        self,
        do: Callable[[A], Awaitable[R]],
        *,
        manners: Manners,
        concurrency: int,
        failed: Callable[[R], bool],
        given_up: R,
    ) -> None:
        self._do = do
        self._lanes = manners.lanes
        self._breaker = manners.breaker
        self._concurrency = concurrency
        self._failed = failed
        self._given_up = given_up

    async def work(
        self,
        requests: Iterable[tuple[int, A]],
        *,
        emit: Callable[[int, R], None],
        stopping: Callable[[], bool],
        reach: Reach | None = None,
    ) -> None:
        """Do all requests; `emit` gets each result, with its place, as it comes.

        `reach` is told of a request before it is sent; it is not asked again before the place
        that it answers.

        Once `stopping()` is true nothing more is started, and what has not ended a second later
        is cut. A request that was not sent or was cut is not emitted. What `emit` raises ends
        everything and is raised here.
        """
        feed = _Feed(requests, reach)
        lanes = {
            asyncio.create_task(self._run_lane(number, feed, emit, stopping))
            for number in range(self._concurrency)
        }
        try:
            await _watch(lanes, stopping)
        finally:
            for lane in lanes:
                lane.cancel()
            await asyncio.gather(*lanes, return_exceptions=True)

    async def _run_lane(
        self,
        number: int,
        feed: "_Feed[A]",
        emit: Callable[[int, R], None],
        stopping: Callable[[], bool],
    ) -> None:
        while not stopping() and not feed.empty:
            if number >= self._lanes.allowed:
                await asyncio.sleep(WATCH_S)
                continue
            request = feed.take()
            if request is None:
                return
            place, ask = request
            if place >= feed.mark:
                await feed.reach(place)
            if not self._breaker.closed and not await self._breaker.admit():
                emit(place, self._given_up)
                continue
            result = await self._do(ask)
            self._breaker.record(failed=self._failed(result))
            emit(place, result)


class _Feed(Generic[A]):
    """Requests that wait, for lanes to take; `empty` once there are no more.

    From the place `mark` on, `reach` must be called before a request is sent.
    """

    def __init__(self, requests: Iterable[tuple[int, A]], reach: Reach | None) -> None:
        self._waiting = iter(requests)
        self._reach = reach
        self._reaching = asyncio.Lock()
        self.empty = False
        self.mark = 0

    async def reach(self, place: int) -> None:
        """Tell that a place is about to be sent, unless that is known by now."""
        async with self._reaching:
            if place >= self.mark:
                self.mark = sys.maxsize if self._reach is None else await self._reach(place)

    def take(self) -> tuple[int, A] | None:
        """Return the next request."""
        request = next(self._waiting, None)
        self.empty = request is None
        return request


async def _watch(lanes: set[asyncio.Task[None]], stopping: Callable[[], bool]) -> None:
    pending = lanes
    while pending and not stopping():
        done, pending = await asyncio.wait(
            pending, timeout=WATCH_S, return_when=asyncio.FIRST_EXCEPTION
        )
        for lane in done:
            lane.result()
    if pending:
        done, _ = await asyncio.wait(pending, timeout=GRACE_S)
        for lane in done:
            lane.result()
