"""Pins, usage and backups, through both clients against a scripted service."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import httpx
import msgspec
import pytest

from reteval import AsyncClient, Client, Retry
from reteval.contract.backups import MEDIA, FrameWriter, Restoration
from reteval.contract.usage import Kept, StoreUse, Usage
from reteval.errors import ConnectionFailedError, NotFoundError
from tests.unit.reteval.documents import URL, Handler, Script, a_run, answer, problem

T = TypeVar("T")
USAGE = Usage(
    bytes=10,
    test_sets=Kept(1, 4),
    runs=Kept(2, 6),
    comparisons=Kept(0, 0),
    probes=Kept(0, 0),
    previews=Kept(0, 0),
    runs_under_way=1,
    oldest_run=None,
    retention_days=30,
    store=StoreUse(used_bytes=100, bound_bytes=1_000, left_bytes=900),
)
Calls = Callable[[Script, Callable[[Any], Any]], Any]


def in_sync(service: Script, work: Callable[[Client], T]) -> T:
    """Do some work with a synchronous client."""
    http = httpx.Client(transport=httpx.MockTransport(service))
    retry = Retry(pauses_s=(1.0,), draw=lambda: 0.0)
    with Client(URL, "s3cret", http=http, retry=retry, sleep=lambda _: None) as client:
        return work(client)


def awaited(service: Script, work: Callable[[AsyncClient], Awaitable[T]]) -> T:
    """Do some work with a client for asyncio."""

    async def rest(_: float) -> None:
        """Let no time pass."""

    async def whole() -> T:
        async with httpx.AsyncClient(transport=httpx.MockTransport(service.answer_async)) as http:
            retry = Retry(pauses_s=(1.0,), draw=lambda: 0.0)
            async with AsyncClient(URL, "s3cret", http=http, retry=retry, sleep=rest) as client:
                return await work(client)

    return asyncio.run(whole())


both = pytest.mark.parametrize("calls", [in_sync, awaited])


def a_backup(*payloads: bytes) -> bytes:
    """Return a whole file."""
    frames = FrameWriter()
    return b"".join([frames.begin(), *map(frames.frame, payloads), frames.end()])


class Broken(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body whose connection breaks in the middle."""

    def __iter__(self) -> Iterator[bytes]:
        yield a_backup(b"x")[:30]
        raise httpx.ReadError("reset")

    async def __aiter__(self) -> Any:
        for piece in self:
            yield piece


@both
def test_pin_unpin_usage_and_delete(calls: Calls) -> None:
    """Each method is one call to its route."""
    service = Script([answer(a_run()), httpx.Response(204), answer(USAGE), httpx.Response(204)])
    assert calls(service, lambda client: client.pin("run_1")) == a_run()
    assert calls(service, lambda client: client.unpin("run_1")) is None
    assert calls(service, lambda client: client.usage()) == USAGE
    assert calls(service, lambda client: client.delete_comparison("cmp_1")) is None
    assert [(request.method, request.url.path) for request in service.requests] == [
        ("POST", "/v1/runs/run_1/pin"),
        ("DELETE", "/v1/runs/run_1/pin"),
        ("GET", "/v1/usage"),
        ("DELETE", "/v1/comparisons/cmp_1"),
    ]


@both
def test_backup_is_saved_as_it_came(calls: Calls, tmp_path: Path) -> None:
    """What is named is asked for; the file is exactly what was sent."""
    path = tmp_path / "a.backup"
    service = Script([httpx.Response(200, content=a_backup(b"one", b"two"))])
    named = {"runs": ["run_1"], "test_sets": ["ts_1"], "judgings": ["jdg_1"]}
    calls(service, lambda c: c.backup(path, **named, everything=True))
    assert path.read_bytes() == a_backup(b"one", b"two")
    asked = msgspec.json.decode(service.requests[0].content)
    assert asked == {"runs": ["run_1"], "test_sets": ["ts_1"], "judgings": ["jdg_1"], "all": True}
    assert list(tmp_path.iterdir()) == [path]


@both
@pytest.mark.parametrize(
    "failure",
    [
        httpx.ConnectError("refused"),
        lambda _: httpx.Response(200, content=a_backup(b"one")[:-1]),
        lambda _: httpx.Response(200, content=b"<html>"),
        lambda _: httpx.Response(200, stream=Broken()),
        lambda _: problem(503, "store_unavailable"),
    ],
    ids=["refused", "cut", "something else", "reset", "unavailable"],
)
def test_backup_that_breaks_is_sent_again(
    calls: Calls, tmp_path: Path, failure: Handler | Exception
) -> None:
    """An attempt that does not bring a whole file leaves none, and the next one starts afresh."""
    path = tmp_path / "a.backup"
    service = Script([failure, httpx.Response(200, content=a_backup(b"one"))])
    calls(service, lambda client: client.backup(path, everything=True))
    assert path.read_bytes() == a_backup(b"one")
    assert list(tmp_path.iterdir()) == [path]


@both
def test_backup_that_stays_broken_leaves_the_old_file(calls: Calls, tmp_path: Path) -> None:
    """A file that stands there is not replaced by half of another."""
    path = tmp_path / "a.backup"
    path.write_bytes(b"old")
    service = Script([lambda _: httpx.Response(200, content=b"<html>")] * 2)
    with pytest.raises(ConnectionFailedError, match="did not arrive whole"):
        calls(service, lambda client: client.backup(path, everything=True))
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@both
def test_backup_of_what_is_not_there(calls: Calls, tmp_path: Path) -> None:
    """A refusal is an error like any other, and no file."""
    service = Script([problem(404, "not_found")])
    with pytest.raises(NotFoundError):
        calls(service, lambda client: client.backup(tmp_path / "a", runs=["run_1"]))
    assert not list(tmp_path.iterdir())


@both
def test_restore_sends_the_file(calls: Calls, tmp_path: Path) -> None:
    """The file goes as it is, and again where the first attempt failed."""
    path = tmp_path / "a.backup"
    path.write_bytes(a_backup(b"one"))
    made = Restoration(restored=("ts_1",), skipped=("run_1",))
    service = Script([httpx.ConnectError("refused"), answer(made)])
    assert calls(service, lambda client: client.restore(path)) == made
    sent = service.requests[-1]
    assert (sent.url.path, sent.headers["content-type"]) == ("/v1/restores", MEDIA)
    assert service.bodies[-1] == a_backup(b"one")
