from typing import Any

from msgspec import UNSET

from reteval.contract.testsets import Judgment, JudgmentSource, Query
from worker.pipeline.origins import describe_origins


def rated(*judgments: Judgment) -> Query:
    """Return a query with these judgments."""
    return Query(query="a", relevant=list(judgments))


def at(moment: str) -> Judgment:
    """Return a judgment of a moment."""
    return Judgment("d", 1, at=moment)


def test_shares_are_of_all_judgments() -> None:
    """Each source has its share, what says none is unstated, and they sum to one."""
    sources: list[Any] = [JudgmentSource.LLM] * 3 + [JudgmentSource.HUMAN] * 4 + [UNSET]
    queries = [rated(*(Judgment("d", 1, source=source) for source in sources)), Query(query="b")]
    found = describe_origins(queries)
    assert found.count == 8
    assert found.sources == {"human": 0.5, "llm": 0.375, "unstated": 0.125}
    assert list(found.sources) == ["human", "llm", "unstated"]


def test_dates_are_put_in_order_of_time() -> None:
    """Fractions come after their second, however many digits; the median is one of them."""
    moments = [
        "2026-01-01T00:00:00.5Z",
        "2026-01-01T00:00:00Z",
        "2026-01-01T00:00:00.25Z",
        "2026-01-01T00:00:01Z",
    ]
    found = describe_origins([rated(*map(at, moments)), rated(Judgment("e", 1))])
    assert (found.count, found.dated, found.reason) == (5, 4, UNSET)
    assert found.oldest == "2026-01-01T00:00:00Z"
    assert found.median == "2026-01-01T00:00:00.25Z"
    assert found.newest == "2026-01-01T00:00:01Z"


def test_undated_judgments_have_no_age() -> None:
    """Null with its reason, also where there is no judgment at all."""
    for queries in ([rated(Judgment("d", 1))], [Query(query="a")], []):
        found = describe_origins(queries)
        assert (found.oldest, found.median, found.newest) == (None, None, None)
        assert (found.dated, found.reason) == (0, "no_dates")
    assert describe_origins([]).sources == {}
