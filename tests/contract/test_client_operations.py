"""Both clients have a method for every operation of the API."""

import asyncio
import inspect
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from reteval import AsyncClient, Client, NotFoundError, Retry

ROOT = Path(__file__).parents[2]
FOR_PAGES = {"watchRun", "getBadge", "getBadgeImage", "getLatestBadge", "getLatestBadgeImage"}
"""For browsers, which cannot hold an answer: `wait(on_progress=)` sees the same states."""
URL = "http://service.example"
REFUSAL = {"type": "about:blank", "title": "x", "status": 404, "detail": "x", "code": "not_found"}


@pytest.fixture(scope="module")
def operations() -> dict[str, tuple[str, re.Pattern[str]]]:
    """Method and path of each operation under `/v1`, by its id."""
    found, path, method = {}, "", ""
    for line in (ROOT / "openapi.yaml").read_text().splitlines():
        if match := re.fullmatch(r"  (/\S*):|\S.*", line):
            path = match[1] or ""
        elif match := re.fullmatch(r"    (get|post|put|patch|delete):", line):
            method = match[1].upper()
        elif (match := re.fullmatch(r"      operationId: (\w+)", line)) and path[:4] == "/v1/":
            found[match[1]] = (method, re.compile(re.sub(r"{\w+}", "[^/]+", path)))
    return {name: place for name, place in found.items() if name not in FOR_PAGES}


class Recorder:
    """A service that finds nothing, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: set[tuple[str, str]] = set()

    def __call__(self, request: httpx.Request) -> httpx.Response:
        """Refuse."""
        request.read()
        return self._refuse(request)

    async def answer_async(self, request: httpx.Request) -> httpx.Response:
        """Refuse an asynchronous client."""
        await request.aread()
        return self._refuse(request)

    def _refuse(self, request: httpx.Request) -> httpx.Response:
        self.asked.add((request.method, request.url.path))
        return httpx.Response(404, json=REFUSAL)

    def unasked(self, operations: dict[str, tuple[str, re.Pattern[str]]]) -> list[str]:
        """Return the operations that nobody asked for."""
        return [
            name
            for name, (method, path) in operations.items()
            if not any(verb == method and path.fullmatch(place) for verb, place in self.asked)
        ]


def arguments(method: Callable[..., Any], file: Path) -> dict[str, Any]:
    """Something for each parameter that a method cannot do without."""
    known = {
        "request": {"test_set": "docs"},
        "limits": {},
        "gate": {},
        "changes": {},
        "headers": {"k": "v"},
        "votes": [],
        "rankings": [],
        "search": lambda _query, _k: [],
        **dict.fromkeys(("source", "topics", "qrels", "path"), file),
    }
    return {
        name: known.get(name, "x1")
        for name, parameter in inspect.signature(method).parameters.items()
        if parameter.default is inspect.Parameter.empty
        and parameter.kind not in (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    }


def methods_of(client: object) -> list[Callable[..., Any]]:
    """The public methods of a client that ask for something."""
    return [
        method
        for name, method in inspect.getmembers(client, inspect.ismethod)
        if not name.startswith("_") and name != "close"
    ]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file for what reads one."""
    path = tmp_path / "file.csv"
    path.write_text("query,docid,rating\nx,a,1\n")
    return path


def test_operations_are_those_of_the_file(
    operations: dict[str, tuple[str, re.Pattern[str]]],
) -> None:
    """Each operation is read with its own path, and those for pages are there."""
    assert len(operations) > 100
    assert operations["getRun"] == ("GET", re.compile("/v1/runs/[^/]+"))
    text = (ROOT / "openapi.yaml").read_text()
    assert all(f"operationId: {name}\n" in text for name in FOR_PAGES)


def test_sync_client_reaches_every_operation(
    operations: dict[str, tuple[str, re.Pattern[str]]], file: Path
) -> None:
    """No operation is without a method of `Client`."""
    service = Recorder()
    http = httpx.Client(transport=httpx.MockTransport(service))
    client = Client(URL, http=http, retry=Retry(pauses_s=()))
    for method in methods_of(client):
        with pytest.raises(NotFoundError):
            next(method(**arguments(method, file)))
    assert service.unasked(operations) == []


def test_async_client_reaches_every_operation(
    operations: dict[str, tuple[str, re.Pattern[str]]], file: Path
) -> None:
    """No operation is without a method of `AsyncClient`."""
    service = Recorder()

    async def ask_everything() -> None:
        http = httpx.AsyncClient(transport=httpx.MockTransport(service.answer_async))
        client = AsyncClient(URL, http=http, retry=Retry(pauses_s=()))
        for method in methods_of(client):
            found = method(**arguments(method, file))
            with pytest.raises(NotFoundError):
                await (anext(found) if isinstance(found, AsyncIterator) else found)

    asyncio.run(ask_everything())
    assert service.unasked(operations) == []


def test_operation_without_a_method_is_found() -> None:
    """What nobody asked for is named."""
    service = Recorder()
    service.asked = {("GET", "/v1/runs/x1"), ("GET", "/v1/things")}
    known = {
        "getRun": ("GET", re.compile("/v1/runs/[^/]+")),
        "deleteRun": ("DELETE", re.compile("/v1/runs/[^/]+")),
        "getThing": ("GET", re.compile("/v1/things/[^/]+")),
    }
    assert service.unasked(known) == ["deleteRun", "getThing"]
