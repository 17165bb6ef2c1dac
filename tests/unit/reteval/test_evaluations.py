"""Evaluating a function, with a scripted service that says what was uploaded."""

import io
import json
import re
import sys
from typing import Any

import httpx
import pytest

from reteval import RunStatus
from reteval._evaluations import shown
from reteval.contract.runs import Progress
from reteval.contract.testsets import Query, QueryPage
from tests.unit.reteval.documents import Script, a_report, a_run, a_test_set, answer
from tests.unit.reteval.test_keeping import Calls, awaited, both, in_sync

QUERIES = QueryPage(
    items=(
        Query(id="q1", query="one", split="tune"),
        Query(id="q2", query="two", split="holdout"),
        Query(id="q3", query="three", split="tune"),
    )
)
COMPLETED = a_run(status=RunStatus.COMPLETED)


def a_service() -> Script:
    """Return a service that takes rankings and scores them at once."""
    return Script([answer(QUERIES), answer(COMPLETED, 202), answer(COMPLETED), answer(a_report())])


def uploaded(service: Script) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the head and the rankings that were sent."""
    parts = re.split(rb"\r\n--\S+", service.bodies[1])
    head, rankings = (part.partition(b"\r\n\r\n")[2] for part in parts[:2])
    return json.loads(head), [json.loads(line) for line in rankings.splitlines()]


def search(query: str, k: int) -> list[str]:
    """Find the query itself; break on one of them."""
    if query == "three":
        raise ValueError("no third")
    return [query, "x"][:k]


@both
def test_function_is_asked_each_query(calls: Calls) -> None:
    """Rankings go up in the order of queries with what failed, and the report comes back."""
    service = a_service()
    seen: list[Progress] = []
    report = calls(
        service,
        lambda client: client.evaluate(
            search, a_test_set(), k=1, concurrency=2, metrics=["mrr"], on_progress=seen.append
        ),
    )
    head, rankings = uploaded(service)
    assert report == a_report()
    assert (head["test_set"], head["depth"], head["metrics"]) == ("ts_1", 1, ["mrr"])
    assert [(row["query_id"], row.get("ids"), row.get("error")) for row in rankings] == [
        ("q1", ["one"], None),
        ("q2", ["two"], None),
        ("q3", None, "ValueError: no third"),
    ]
    assert [one.done for one in seen] == [0, 1, 2, 3]
    assert seen[-1].failed == 1


@both
def test_only_the_split_is_asked(calls: Calls) -> None:
    """Queries that are not scored are not searched for."""
    service = a_service()
    calls(service, lambda client: client.evaluate(search, "docs", split="holdout"))
    assert [row["query_id"] for row in uploaded(service)[1]] == ["q2"]


def test_coroutine_function_is_awaited() -> None:
    """The asynchronous client takes either kind."""
    service = a_service()

    async def find(query: str, k: int) -> list[str]:
        return search(query, k)

    awaited(service, lambda client: client.evaluate(find, "docs"))
    assert [len(row.get("ids", [])) for row in uploaded(service)[1]] == [2, 2, 0]


def test_coroutine_function_of_the_sync_client_is_refused() -> None:
    """Nobody finds out query by query that nothing was awaited."""

    async def find(_query: str, _k: int) -> list[str]:
        return []

    service = Script([])
    with pytest.raises(TypeError, match=r"AsyncClient\.evaluate"):
        in_sync(service, lambda client: client.evaluate(find, "docs"))  # type: ignore[arg-type]


def test_interruption_stops_asking() -> None:
    """An interruption ends it, and nothing is uploaded."""
    service = Script([answer(QUERIES)])

    def interrupt(_query: str, _k: int) -> list[str]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        in_sync(service, lambda client: client.evaluate(interrupt, "docs", concurrency=1))
    assert len(service.requests) == 1


class Terminal(io.StringIO):
    """A screen."""

    def isatty(self) -> bool:
        """Say so."""
        return True


@pytest.mark.parametrize(("stream", "text"), [(Terminal(), "running 1/2"), (io.StringIO(), "")])
def test_bar_is_for_terminals(
    stream: io.StringIO, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal shows how far it is; a log is left alone."""
    monkeypatch.setattr(sys, "stderr", stream)
    with shown(None) as show:
        show(Progress(done=1, total=2, failed=0))
    assert text in stream.getvalue()
    assert bool(text) is bool(stream.getvalue())


def test_scripted_service_is_asked_in_order() -> None:
    """Queries, rankings, state, report."""
    service = a_service()
    in_sync(service, lambda client: client.evaluate(search, "docs"))
    asked: list[httpx.Request] = service.requests
    assert [(one.method, one.url.path) for one in asked] == [
        ("GET", "/v1/test-sets/docs/queries"),
        ("POST", "/v1/rankings"),
        ("GET", "/v1/runs/run_1"),
        ("GET", "/v1/runs/run_1/results"),
    ]
