import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Any

import pytest

from reteval._rows import AsyncOutcomes, AsyncQueries, AsyncRows, Outcomes, Queries, Rows
from reteval.contract.outcomes import REPEAT, Outcome, OutcomeRow, OutcomeStatus, QueryRow
from reteval.contract.testsets import Judgment, Query

ROWS = [
    QueryRow(query_id="q1", query="x", status="ok", metrics={"mrr": 1.0}),
    QueryRow(query_id="q2", query="y", status="failed", metrics={"mrr": None}, reason="timeout"),
]
OUTCOMES = [
    OutcomeRow(
        query_id="q 1", query="x", outcome=Outcome(status=OutcomeStatus.OK, ids=["b", "a", "b"])
    ),
    OutcomeRow(query_id="q2", query="y", outcome=Outcome(status=OutcomeStatus.FAILED)),
    OutcomeRow(
        query_id="q 1",
        query="x",
        kind=REPEAT,
        outcome=Outcome(status=OutcomeStatus.OK, ids=["c"]),
    ),
]
QUERIES = [
    Query(id="q 1", query="x", relevant=[Judgment("a", 3), Judgment("b", 0)]),
    Query(id="q2", query="y", relevant=[Judgment("c")]),
    Query(id="q3", query="z"),
]


async def stream(items: Iterable[Any]) -> AsyncIterator[Any]:
    """Give items one by one."""
    for item in items:
        yield item


def test_rows_are_read_from_where_they_are() -> None:
    """A table has what was not read yet, one dict a row."""
    rows = Rows(iter(ROWS))
    assert next(rows).query_id == "q1"
    (rest,) = rows.to_dicts()
    assert (rest["query_id"], rest["metrics.mrr"], rest["reason"]) == ("q2", None, "timeout")


async def test_async_rows_do_the_same() -> None:
    """Both kinds of rows make the same tables and the same files."""
    assert await AsyncRows(stream(ROWS)).to_dicts() == Rows(iter(ROWS)).to_dicts()
    run = await AsyncOutcomes(stream(OUTCOMES)).to_trec_run(depth=5, tag="t")
    assert run == Outcomes(iter(OUTCOMES)).to_trec_run(depth=5, tag="t")
    qrels = await AsyncQueries(stream(QUERIES)).to_qrels({"q2"})
    assert qrels == Queries(iter(QUERIES)).to_qrels({"q2"})


@pytest.mark.parametrize(("depth", "first"), [(None, 3), (10, 10)])
def test_run_keeps_the_order_of_answers(depth: int | None, first: int) -> None:
    """Scores fall with the rank, a repeat keeps its place, repeated rounds are left out."""
    lines = Outcomes(iter(OUTCOMES)).to_trec_run(depth=depth, tag="t").splitlines()
    assert lines == [
        f"q%201 Q0 b 1 {first} t",
        f"q%201 Q0 a 2 {first - 1} t",
        f"q%201 Q0 b~dup3 3 {first - 2} t",
    ]
    assert Outcomes(iter([])).to_trec_run() == ""


def test_qrels_are_of_all_queries_or_of_some() -> None:
    """Each judgment is a line; a query without any has none."""
    assert Queries(iter(QUERIES)).to_qrels() == "q%201 0 a 3\nq%201 0 b 0\nq2 0 c 1\n"
    assert Queries(iter(QUERIES)).to_qrels(only=["q2"]) == "q2 0 c 1\n"


def test_async_rows_are_iterated_once() -> None:
    """The rows of a list that was read are gone."""

    async def read_twice() -> tuple[int, int]:
        rows = AsyncRows(stream(ROWS))
        return len([row async for row in rows]), len([row async for row in rows])

    assert asyncio.run(read_twice()) == (2, 0)
