"""What a finished run shows to the diagnosis: plain facts, already counted elsewhere."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from reteval.contract.metrics import Metric
from reteval.contract.outcomes import Outcome
from reteval.contract.testsets import Query

MAX_EVIDENCE: Final = 5
SHOWN_IDS: Final = 3

Grades = Mapping[str, int]
"""Every judged document of a query with its grade, whatever the grade."""


class Mean(Struct, frozen=True):
    """A mean over the answered queries where the metric is defined, and their number."""

    value: float
    n: int


class RunFacts(Struct, frozen=True, kw_only=True):
    """The clean part of a run.

    `queries`, `outcomes` and `judged` are parallel, one entry a clean query that was planned;
    queries that expect nothing are not among them. `grades` counts judgments by grade, as in
    `TestSetStats`. `means` has an entry for each of `metrics` that is defined anywhere.
    `recall_at_5` is taken from the stored rankings whether or not it was asked for.
    `variants` counts the adversarial and out-of-corpus requests that were planned.
    """

    queries: Sequence[Query]
    outcomes: Sequence[Outcome]
    judged: Sequence[Grades]
    grades: Mapping[str, int]
    relevant_from: int
    metrics: Sequence[Metric]
    means: Mapping[Metric, Mean]
    depth: int
    recall_at_5: Mean | None
    variants: int

    def answers(self) -> Iterator[tuple[str, Outcome]]:
        """Iterate over the valid answers, empty ones included, with their query ids."""
        return ((query.id, outcome) for query, outcome, _ in self.judged_answers())

    def judged_answers(self) -> Iterator[tuple[Query, Outcome, Grades]]:
        """Iterate over the valid answers with their queries and judgments."""
        rows = zip(self.queries, self.outcomes, self.judged, strict=True)
        return (row for row in rows if row[1].status.answered)


Row = dict[str, Any]
"""A row of evidence; its keys depend on the code."""


def count(n: int, noun: str, plural: str = "") -> str:
    """Spell a number with its noun: `1 query`, `3 queries`."""
    return f"{n} {noun if n == 1 else plural or noun + 's'}"
