"""Ranked lists against their judgments."""

from typing import Any

from reteval.contract.outcomes import Outcome, OutcomeStatus, QueryRow
from reteval.contract.testsets import Judgment, Query
from service.core.query_details import QueryDetails
from service.pages.rankings import rank


def details(ids: list[str], *, scores: list[float] | None = None, **grades: Any) -> QueryDetails:
    """Return a query that was answered with ids, and judged."""
    return QueryDetails(
        row=QueryRow(query_id="q", query="x", status="ok", metrics={}),
        query=Query(query="x"),
        outcome=Outcome(status=OutcomeStatus.OK, ids=ids, scores=scores),
        judgments=tuple(Judgment(doc, grade) for doc, grade in grades.items()),
        relevant_from=2,
        depth=10,
        variants=(),
    )


def test_hits_have_their_grades() -> None:
    """A grade under the least relevant one is judged and not relevant; no grade is neither."""
    ranked = rank(details(["a", "b", "c", "a"], scores=[4, 3, 2, 1], a=2, b=1))
    told = [(hit.rank, hit.id, hit.grade, hit.relevant, hit.repeat) for hit in ranked.hits]
    assert told == [
        (1, "a", 2, True, False),
        (2, "b", 1, False, False),
        (3, "c", None, False, False),
        (4, "a", 2, True, True),
    ]
    assert [hit.score for hit in ranked.hits] == [4, 3, 2, 1]
    assert ranked.places == {"a": 1, "b": 2, "c": 3}
    assert (ranked.relevant, ranked.judged, ranked.unjudged) == (1, 2, 1)


def test_missing_documents_are_the_relevant_ones() -> None:
    """What is relevant and was not returned is missing, the highest grade first."""
    ranked = rank(details(["a"], a=2, b=2, c=3, d=1))
    assert [(one.id, one.grade) for one in ranked.missing] == [("c", 3), ("b", 2)]
    assert ranked.hits[0].score is None
