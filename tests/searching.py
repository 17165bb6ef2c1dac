"""A searcher against a loopback endpoint that wastes no time on waiting."""

from typing import Any

from reteval.contract.endpoints import Endpoint
from reteval.contract.runs import Limits
from service.egress import Policy
from worker.search.lanes import Lanes
from worker.search.manners import Manners
from worker.search.pacing import Pacer
from worker.search.searcher import Searcher

LIMITS = Limits(concurrency=4, max_response_bytes=1_000_000)


class Naps:
    """Sleeps that only pass on paper."""

    def __init__(self) -> None:
        self.time = 0.0
        self.taken: list[float] = []

    async def sleep(self, seconds: float) -> None:
        """Note the wait and let it be over."""
        self.time += seconds
        self.taken.append(seconds)

    def pacer(self) -> Pacer:
        """Make a pacer on this clock, its jitter at half the ceiling."""
        return Pacer(clock=lambda: self.time, sleep=self.sleep, jitter=lambda: 0.5)


def searcher(
    url: str, *, limits: Limits = LIMITS, depth: int = 10, naps: Naps | None = None, **fields: Any
) -> Searcher:
    """Make a searcher that wastes no time on waiting."""
    return Searcher(
        Endpoint(url=url, **fields),
        limits=limits,
        depth=depth,
        policy=Policy.parse("loopback"),
        manners=Manners(pacer=(naps or Naps()).pacer(), lanes=Lanes(limits.concurrency)),
        run_id="run_1",
    )
