"""Slices: groups of a run's queries that have numbers of their own, and the rule of each."""

from bisect import bisect_left
from typing import Final

from msgspec import UNSET, Struct

from reteval.contract.limits import MAX_SLICES
from reteval.contract.testsets import Query


class Bands(Struct, frozen=True):
    """Neighbouring ranges of a count, by their upper ends; the last one has none."""

    ends: tuple[int, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The ranges as they are written: `1`, `2-3`, …, `13+`."""
        starts = (1, *(end + 1 for end in self.ends))
        closed = (
            str(end) if start == end else f"{start}-{end}"
            for start, end in zip(starts, self.ends, strict=False)
        )
        return (*closed, f"{starts[-1]}+")

    def name(self, count: int) -> str:
        """Name the range of a count; what is under the first is in it."""
        return self.names[bisect_left(self.ends, count)]


LENGTHS: Final = Bands((1, 3, 6, 12))
RELEVANT: Final = Bands((1, 3, 9))
HARD: Final = "hard"
MEDIUM: Final = "medium"
EASY: Final = "easy"
PAST_RUNS: Final = 10
"""Earlier runs that difficulty is taken from, at most."""
LEAST_PAST_RUNS: Final = 3
SLICES: Final = {
    "tag": "queries with the tag; one with several tags is in several slices",
    "split": "queries of the split that the test set names",
    "source": "queries of the source that the test set names",
    "length": f"words of the query, cut at white space: {', '.join(LENGTHS.names)}",
    "relevant": f"documents of grade relevant_from or more: {', '.join(RELEVANT.names)}",
    "difficulty": (
        "mean of the headline metric (ndcg@10, else mrr, else the first) over up to "
        f"{PAST_RUNS} runs of the same test set that had ended before: {HARD} up to the first "
        f"tertile, {EASY} from the second on, {MEDIUM} between; from {LEAST_PAST_RUNS} runs on"
    ),
}
"""The rule of each kind of slice; a slice is named by its kind, a colon, and a value."""
SHOWN: Final = f"the {MAX_SLICES} largest"
BUILT_IN: Final = len(LENGTHS.names) + len(RELEVANT.names) + len((HARD, MEDIUM, EASY))
"""Slices that a report may have whatever the test set names."""


def name_length(query: Query) -> str:
    """Return the slice of a query's length."""
    return f"length:{LENGTHS.name(len(query.query.split()))}"


def name_relevant(query: Query, relevant_from: int) -> str:
    """Return the slice of a query's number of relevant documents; it has one at least."""
    return f"relevant:{RELEVANT.name(count_relevant(query, relevant_from))}"


def count_relevant(query: Query, relevant_from: int) -> int:
    """Count the documents that are relevant to a stored query."""
    judged = () if query.relevant is UNSET else query.relevant
    return sum(judgment.grade >= relevant_from for judgment in judged)


def is_slice(text: str) -> bool:
    """Whether a text is a slice's name: a kind, a colon, and a value."""
    kind, _, value = text.partition(":")
    return kind in SLICES and bool(value)
