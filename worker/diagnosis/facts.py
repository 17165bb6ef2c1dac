"""What a finished run shows to the diagnosis: plain facts, already counted elsewhere."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from reteval.contract.metrics import Metric
from reteval.contract.outcomes import Outcome

MAX_EVIDENCE: Final = 5


class RunFacts(Struct, frozen=True, kw_only=True):
    """The clean part of a run.

    `query_ids`, `outcomes` and `judged` (ids with any grade) are parallel, one entry a clean
    query that was planned; queries that expect nothing are not among them. `grades` counts
    judgments by grade, as in `TestSetStats`. `recall_at_5` is the mean over `recall_queries`
    queries, taken from the stored rankings whether or not it was asked for. `variants`
    counts the adversarial and out-of-corpus requests that were planned.
    """

    query_ids: Sequence[str]
    outcomes: Sequence[Outcome]
    judged: Sequence[Collection[str]]
    grades: Mapping[str, int]
    metrics: Sequence[Metric]
    depth: int
    recall_at_5: float | None
    recall_queries: int
    variants: int

    def answers(self) -> Iterator[tuple[str, Outcome]]:
        """Iterate over the valid answers, empty ones included, with their query ids."""
        pairs = zip(self.query_ids, self.outcomes, strict=True)
        return ((query_id, outcome) for query_id, outcome in pairs if outcome.status.answered)


Row = dict[str, Any]
"""A row of evidence; its keys depend on the code."""


def count(n: int, noun: str, plural: str = "") -> str:
    """Spell a number with its noun: `1 query`, `3 queries`."""
    return f"{n} {noun if n == 1 else plural or noun + 's'}"
