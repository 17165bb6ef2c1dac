"""A run's requests with what came of them, a stretch at a time: there may be a million."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Protocol

from msgspec import Struct

from reteval.contract.outcomes import Outcome, PlannedRequest

SIZE: Final = 500
"""Requests of a stretch: as many as are stored together, so that each is decoded once."""


class Stretch(Struct, frozen=True, kw_only=True):
    """Requests that follow one another in the plan, the first at `start`; outcomes are parallel."""

    start: int
    requests: Sequence[PlannedRequest]
    outcomes: Sequence[Outcome]

    def rows(self) -> Iterator[tuple[PlannedRequest, Outcome]]:
        """Iterate over the requests with their outcomes."""
        return zip(self.requests, self.outcomes, strict=True)


class Reader(Protocol):
    """Takes from each stretch what it needs and keeps no request and no outcome."""

    def read(self, stretch: Stretch) -> None:
        """Take what is needed of the next stretch."""


def read_stretches(
    requests: Sequence[PlannedRequest],
    outcomes: Sequence[Outcome],
    readers: Iterable[Reader],
    *,
    start: int = 0,
    stop: int | None = None,
) -> None:
    """Show every reader the requests from `start` to `stop` (exclusive), in one pass."""
    readers = list(readers)
    for stretch in cut(requests, outcomes, start=start, stop=stop):
        for reader in readers:
            reader.read(stretch)


def cut(
    requests: Sequence[PlannedRequest],
    outcomes: Sequence[Outcome],
    *,
    start: int = 0,
    stop: int | None = None,
) -> Iterator[Stretch]:
    """Cut a plan from `start` to `stop` (exclusive) at multiples of the size."""
    last = len(requests) if stop is None else stop
    while start < last:
        end = min(last, start + SIZE - start % SIZE)
        yield Stretch(
            start=start,
            requests=list(requests[start:end]),
            outcomes=list(outcomes[start:end]),
        )
        start = end
