"""What a run brought up that nobody judged: the material of the list of what to label next."""

from collections.abc import Sequence
from typing import Final

from msgspec import UNSET

from reteval.contract.outcomes import Outcome
from reteval.contract.testsets import Query
from reteval.contract.unjudged import POOLED_RANKS, UnjudgedHits

_NOTHING: Final = UnjudgedHits(b"", [])


def list_unjudged(
    queries: Sequence[Query], *, sent: Sequence[Query], outcomes: Sequence[Outcome]
) -> list[UnjudgedHits]:
    """List the unjudged documents in the first ten places, an entry for each of `queries`.

    `outcomes` are parallel to the queries that were `sent`; the others have no entries, and
    neither have requests without a valid answer. A repeated document stands at its first rank.
    """
    found = {
        query.id: _read_top(query, outcome)
        for query, outcome in zip(sent, outcomes, strict=True)
        if outcome.status.answered
    }
    return [found.get(query.id, _NOTHING) for query in queries]


def read_grades(query: Query) -> dict[str, int]:
    """Return each judged document of a stored query with its grade."""
    if query.relevant is UNSET:
        return {}
    return {str(judgment.id): judgment.grade for judgment in query.relevant}


def _read_top(query: Query, outcome: Outcome) -> UnjudgedHits:
    judged = read_grades(query)
    first: dict[str, int] = {}
    for rank, doc in enumerate(outcome.ids[:POOLED_RANKS], start=1):
        if doc not in judged:
            first.setdefault(doc, rank)
    return UnjudgedHits(bytes(first.values()), list(first))
