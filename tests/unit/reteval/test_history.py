"""The client's methods over all runs of a test set."""

import asyncio

import httpx

from reteval import AsyncClient, Client
from reteval.contract.history import Trend
from reteval.contract.unjudged import UnjudgedPage, UnjudgedPair
from tests.unit.reteval.documents import URL, Script, answer
from tests.unit.reteval.trends import a_trend

PAIR = UnjudgedPair(query_id="q1", query="x", document_id="d", value=1.5, runs=2, best_rank=1)
PAGES = [
    UnjudgedPage(items=(PAIR,), total=2, pooled_runs=2, next_cursor="c2"),
    UnjudgedPage(items=(PAIR,), total=2, pooled_runs=2),
]
PATHS = ["/v1/history", "/v1/test-sets/a b/unjudged", "/v1/test-sets/a b/unjudged"]


def test_trend_and_unjudged() -> None:
    """Filters are sent as given, pages followed to the end, the file answered as it is."""
    service = Script(
        [answer(a_trend()), *map(answer, PAGES), httpx.Response(200, content=b"query_id,")]
    )
    http = httpx.Client(transport=httpx.MockTransport(service))
    client = Client(URL, http=http)
    trend: Trend = client.trend("a b", metric="mrr", label="main", limit=3)
    assert a_trend() == trend
    assert [PAIR, PAIR] == list(client.unjudged("a b", limit=1))
    assert b"query_id," == client.export_unjudged("a b")
    assert [*PATHS, PATHS[-1]] == [each.url.path for each in service.requests]
    assert [
        {"test_set": "a b", "metric": "mrr", "label": "main", "limit": "3"},
        {"limit": "1"},
        {"limit": "1", "cursor": "c2"},
        {"format": "csv"},
    ] == [dict(each.url.params) for each in service.requests]


def test_trend_and_unjudged_async() -> None:
    """The asynchronous client asks for the same."""
    service = Script(
        [*map(answer, PAGES), answer(a_trend()), httpx.Response(200, content=b"query_id,")]
    )

    async def work() -> list[object]:
        http = httpx.AsyncClient(transport=httpx.MockTransport(service.answer_async))
        async with http, AsyncClient(URL, http=http) as client:
            rows = [pair async for pair in client.unjudged("a b")]
            return [await client.trend("a b"), rows, await client.export_unjudged("a b")]

    assert [a_trend(), [PAIR, PAIR], b"query_id,"] == asyncio.run(work())
    assert {"test_set": "a b"} == dict(service.requests[2].url.params)
