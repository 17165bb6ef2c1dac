"""Queries of a probe: those given, or some of the set's own."""

from reteval.contract.probes import ProbeQuery
from reteval.contract.testsets import Expect, Judgment, Query
from worker.pipeline.samples import choose_queries, judged_ids


def stored(n: int) -> list[Query]:
    """Build queries with a judgment each, a variant and one that expects nothing."""
    queries = [Query(id=f"q{i}", query=f"t{i}", relevant=[Judgment(f"d{i}")]) for i in range(n)]
    return [
        Query(id="v", query="variant", parent="q0", relevant=[Judgment("d0")]),
        Query(id="x", query="nothing", expect=Expect.NOTHING, relevant=[]),
        *queries,
    ]


def test_set_queries_are_spread_and_judged() -> None:
    """Five judged queries from the whole of the set, no variants."""
    chosen = choose_queries((), stored(50), most=5)
    assert [query.id for query in chosen] == ["q0", "q10", "q20", "q30", "q40"]
    assert [query.id for query in choose_queries((), stored(2), most=5)] == ["q0", "q1"]
    assert [query.id for query in choose_queries((), stored(0), most=5)] == ["x"]


def test_given_queries_borrow_judgments() -> None:
    """A given text that the set has is judged by it, unless it brings its own ids."""
    given = (
        ProbeQuery(query="t3"),
        ProbeQuery(query="t4", relevant_ids=(7,)),
        ProbeQuery(query="new"),
    )
    chosen = choose_queries(given, stored(9), most=5)
    assert [query.id for query in chosen] == ["q3", "q4", "probe-3"]
    assert [judged_ids([query]) for query in chosen] == [["d3"], ["7"], []]
