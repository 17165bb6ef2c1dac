import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import httpx
import msgspec
import pytest

from reteval import AsyncClient, Retry, RunStatus
from reteval.contract.outcomes import OutcomePage, QueryRowPage, VariantPage
from reteval.contract.runs import Run, RunPage
from reteval.contract.testsets import Query, QueryPage, TestSetPage
from reteval.errors import ConnectionFailedError
from tests.unit.reteval.documents import URL, Script, a_preview, a_report, a_run, a_test_set, answer

T = TypeVar("T")
REQUEST = {"test_set": "docs", "endpoint": {"url": "http://search.example/q"}}


def use(service: Script, work: Callable[[AsyncClient], Awaitable[T]]) -> tuple[T, list[float]]:
    """Do some work with a client of a scripted service; return its result and all pauses."""
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async def whole() -> T:
        transport = httpx.MockTransport(service.answer_async)
        async with httpx.AsyncClient(transport=transport) as http:
            retry = Retry(pauses_s=(1.0,), draw=lambda: 0.0)
            async with AsyncClient(URL, "s3cret", http=http, retry=retry, sleep=sleep) as client:
                return await work(client)

    return asyncio.run(whole()), slept


def test_run_wait_results() -> None:
    """The main walk works awaited, repetitions and polling included."""
    completed = a_run(status=RunStatus.COMPLETED)
    service = Script(
        [
            httpx.ConnectError("refused"),
            answer(a_run(), 202),
            answer(a_run()),
            answer(completed),
            answer(a_report()),
            answer(a_report()),
        ]
    )
    seen: list[Run] = []

    async def work(client: AsyncClient) -> object:
        run = await client.run(REQUEST)
        ended = await client.wait(run.id, on_progress=seen.append)
        document = await client.results_document(ended.id)
        return ended, await client.results(ended.id), document

    result, slept = use(service, work)
    assert (completed, a_report(), msgspec.json.encode(a_report())) == result
    assert ([1.0], [a_run(), completed]) == (slept, seen)


def test_cancelled_wait_names_what_goes_on() -> None:
    """A task that is cancelled while it waits leaves the run alone and says which one it is."""

    async def sleep(_seconds: float) -> None:
        raise asyncio.CancelledError

    async def whole() -> None:
        service = Script([answer(a_run()), answer(a_run())])
        http = httpx.AsyncClient(transport=httpx.MockTransport(service.answer_async))
        async with AsyncClient(URL, http=http, sleep=sleep) as client:
            with pytest.raises(asyncio.CancelledError) as caught:
                await client.wait("run_1", check=True)
        assert caught.value.__notes__ == ["run 'run_1' goes on: wait for it again, or cancel it"]

    asyncio.run(whole())


def test_lists_are_iterated_asynchronously() -> None:
    """Every list is an asynchronous iterator over all its pages."""
    pages = [
        TestSetPage(items=(a_test_set(),)),
        QueryPage(items=(Query(query="x"),), next_cursor="c1"),
        QueryPage(items=(Query(query="y"),)),
        RunPage(items=(a_run(),)),
        QueryRowPage(items=()),
        OutcomePage(items=()),
        VariantPage(items=()),
    ]

    async def work(client: AsyncClient) -> list[list[object]]:
        lists = [
            client.test_sets(),
            client.queries("ts_1"),
            client.runs(),
            client.query_rows("run_1"),
            client.outcomes("run_1"),
            client.variants("run_1"),
        ]
        return [[row async for row in rows] for rows in lists]

    rows, _ = use(Script([answer(page) for page in pages]), work)
    queries = [Query(query="x"), Query(query="y")]
    assert [[a_test_set()], queries, [a_run()], [], [], []] == rows


def test_uploads_from_disk(tmp_path: Path) -> None:
    """Files are streamed, TREC files sent as parts."""
    path = tmp_path / "a.ndjson"
    path.write_bytes(b'{"query":"x"}\n')
    service = Script([answer(a_test_set(), 201), answer(a_test_set(), 201), answer(a_preview())])

    async def work(client: AsyncClient) -> object:
        first = await client.upload(path, name="docs")
        second = await client.upload_trec(path, path)
        return first, second, await client.preview_upload(path)

    answers, _ = use(service, work)
    assert (a_test_set(), a_test_set(), a_preview()) == answers
    assert "true" == service.requests[2].url.params["dry_run"]
    assert b'{"query":"x"}\n' == service.bodies[0]
    assert b'name="qrels"' in service.bodies[1]


def test_single_documents() -> None:
    """The other methods answer what their names say."""
    service = Script(
        [
            answer(a_test_set()),
            answer(a_run()),
            answer(a_run(cancel_requested=True), 202),
            httpx.Response(204),
            httpx.Response(204),
            httpx.Response(200, content=b'{"mrr":0.5}\n'),
            httpx.Response(200, content=b"PK"),
        ]
    )

    async def work(client: AsyncClient) -> list[object]:
        first: list[object] = [await client.test_set("docs"), await client.get("run_1")]
        cancelled = (await client.cancel("run_1")).cancel_requested
        await client.delete("run_1")
        await client.delete_test_set("ts_1")
        rest = [await client.history("docs"), await client.export("run_1", "csv")]
        return [*first, cancelled, *rest]

    documents, _ = use(service, work)
    assert [a_test_set(), a_run(), True, [{"mrr": 0.5}], b"PK"] == documents


def test_failures_are_translated() -> None:
    """A connection that stays lost becomes the error of the tree."""
    lost = httpx.ConnectTimeout("slow")
    with pytest.raises(ConnectionFailedError) as caught:
        use(Script([lost, lost]), lambda client: client.get("run_1"))
    assert caught.value.__cause__ is lost


def test_close_closes_its_own_http_client() -> None:
    """Connections made here are closed here."""

    async def work() -> AsyncClient:
        async with AsyncClient(URL) as client:
            return client

    assert asyncio.run(work())._http.is_closed
