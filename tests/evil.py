"""A search endpoint that misbehaves on request: the path says how, everything is recorded."""

import asyncio
import contextlib
import json
import ssl
import struct
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from socket import SO_LINGER, SOL_SOCKET
from types import TracebackType
from typing import Self

CHUNK = 65_536


@dataclass(frozen=True)
class Received:
    """A request as it came over the wire; header names in lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


def answer(
    body: bytes | object = b"",
    *,
    status: str = "200 OK",
    kind: str = "application/json",
    extra: str = "",
) -> bytes:
    """Return a whole response; what is not bytes becomes JSON."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Length: {len(data)}\r\n{extra}"
    if kind:
        head += f"Content-Type: {kind}\r\n"
    return f"{head}\r\n".encode() + data


def hits(count: int) -> dict[str, object]:
    """Return an answer of the default protocol: ids `d0`, `d1`, … with falling scores."""
    return {"results": [{"id": f"d{i}", "score": 1 / (i + 1)} for i in range(count)]}


Respond = Callable[["Evil", Received, asyncio.StreamWriter], Awaitable[None]]


def _always(response: bytes) -> Respond:
    async def respond(evil: "Evil", received: Received, writer: asyncio.StreamWriter) -> None:
        del evil, received
        writer.write(response)
        await writer.drain()

    return respond


async def _script(evil: "Evil", received: Received, writer: asyncio.StreamWriter) -> None:
    """Answer with the responses prepared in `evil.script`, in order, then with ten hits."""
    del received
    writer.write(evil.script.pop(0) if evil.script else answer(hits(10)))
    await writer.drain()


async def _depth(evil: "Evil", received: Received, writer: asyncio.StreamWriter) -> None:
    """Answer with three hits more than were asked for."""
    del evil
    writer.write(answer(hits(json.loads(received.body)["top_k"] + 3)))


async def _reset(evil: "Evil", received: Received, writer: asyncio.StreamWriter) -> None:
    """Send half an answer, then reset the connection."""
    del evil, received
    writer.write(answer(hits(10))[:120])
    await writer.drain()
    await asyncio.sleep(0.05)
    writer.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))


async def _drop(evil: "Evil", received: Received, writer: asyncio.StreamWriter) -> None:
    """Close without a word."""
    del evil, received
    writer.close()


async def _drop_odd(evil: "Evil", received: Received, writer: asyncio.StreamWriter) -> None:
    """Close without a word at the first, third, fifth … request, answer the others."""
    del received
    if len(evil.received) % 2 == 0:
        writer.write(answer(hits(1)))


async def _truncated(evil: "Evil", received: Received, writer: asyncio.StreamWriter) -> None:
    """Promise more bytes than come."""
    del evil, received
    writer.write(answer(hits(10))[:-20])
    await writer.drain()


async def _hang(evil: "Evil", received: Received, writer: asyncio.StreamWriter) -> None:
    """Never answer."""
    del evil, received, writer
    await asyncio.sleep(60)


async def _pause(evil: "Evil", received: Received, writer: asyncio.StreamWriter) -> None:
    """Answer after a while."""
    del evil, received
    await asyncio.sleep(0.3)
    writer.write(answer(hits(1)))


async def _endless(evil: "Evil", received: Received, writer: asyncio.StreamWriter) -> None:
    """Send a body without end."""
    del evil, received
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[")
    while True:
        writer.write(b"1," * CHUNK)
        await writer.drain()


async def _drip_head(evil: "Evil", received: Received, writer: asyncio.StreamWriter) -> None:
    """Send one header after another, for ever."""
    del evil, received
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"X-Drip: 1\r\n")
        await writer.drain()
        await asyncio.sleep(0.05)


async def _drip_body(evil: "Evil", received: Received, writer: asyncio.StreamWriter) -> None:
    """Send the body a byte at a time."""
    del evil, received
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.05)


async def _hints(evil: "Evil", received: Received, writer: asyncio.StreamWriter) -> None:
    """Send interim answers for ever."""
    del evil, received
    while True:
        writer.write(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
        await writer.drain()
        await asyncio.sleep(0.02)


async def _echo(evil: "Evil", received: Received, writer: asyncio.StreamWriter) -> None:
    """Refuse, and quote the request's headers as some gateways do."""
    del evil
    quoted = {name: received.headers.get(name) for name in ("authorization", "x-api-key")}
    writer.write(answer(quoted, status="400 Bad Request"))


ROUTES: dict[str, Respond] = {
    "script": _script,
    "depth": _depth,
    "reset": _reset,
    "drop": _drop,
    "drop-odd": _drop_odd,
    "truncated": _truncated,
    "hang": _hang,
    "pause": _pause,
    "endless": _endless,
    "drip-head": _drip_head,
    "drip-body": _drip_body,
    "hints": _hints,
    "echo": _echo,
    "ok": _always(answer(hits(10))),
    "empty-list": _always(answer({"results": []})),
    "html": _always(answer(b"<html>Log in</html>", kind="text/html; charset=utf-8")),
    "plain": _always(answer(hits(2), kind="text/plain")),
    "empty": _always(answer(b"")),
    "no-content": _always(b"HTTP/1.1 204 No Content\r\n\r\n"),
    "half": _always(answer(b'{"results": [')),
    "half-close": _always(b'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{"results": ['),
    "envelope": _always(answer({"error": "index not found", "results": []})),
    "redirect": _always(
        answer(status="302 Found", extra="Location: http://u:pw@169.254.169.254/x?key=1\r\n")
    ),
    "gzip": _always(answer(b"\x1f\x8b", extra="Content-Encoding: gzip\r\n")),
    "cookie": _always(answer(hits(1), extra="Set-Cookie: seen=1; Path=/\r\n")),
    "garbage": _always(b"\x00\x01 what is this\r\n\r\n"),
    "huge-head": _always(answer(hits(1), extra=f"X-Long: {'x' * 200_000}\r\n")),
    "two-lengths": _always(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n[]"),
    "bad-chunk": _always(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n[]\r\n"),
    "repeats": _always(answer({"results": ["a", "b", "a"]})),
    "ints": _always(answer({"results": [{"id": 7}, {"id": 42}]})),
    "no-id": _always(answer({"results": [{"id": 7}, {"title": "x"}]})),
    "unauthorized": _always(answer({"detail": "who?"}, status="401 Unauthorized")),
    "forbidden": _always(answer({"detail": "no"}, status="403 Forbidden")),
    "not-found": _always(answer({"detail": "no route"}, status="404 Not Found")),
    "unavailable": _always(answer(b"busy", status="503 Service Unavailable", kind="text/plain")),
}


@dataclass
class Evil:
    """The server, on a free loopback port; `url("ok")` is the address of one behaviour."""

    script: list[bytes] = field(default_factory=list)
    received: list[Received] = field(default_factory=list)
    connections: int = 0
    port: int = 0
    tls: ssl.SSLContext | None = None

    async def __aenter__(self) -> Self:
        self._tasks: set[asyncio.Task[None]] = set()
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self.tls)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    def url(self, behaviour: str) -> str:
        """Return the URL that behaves so."""
        return f"http://127.0.0.1:{self.port}/{behaviour}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await self._talk(reader, writer)
        writer.close()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while not writer.is_closing():
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            method, target, _ = head[0].split(" ")
            pairs = (line.partition(":") for line in head[1:] if line)
            headers = {name.lower(): value.strip() for name, _, value in pairs}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            received = Received(method, target, headers, body)
            self.received.append(received)
            behaviour = target.split("?")[0].strip("/").split("/")[0]
            await ROUTES[behaviour](self, received, writer)
            if behaviour not in KEPT_ALIVE:
                return


KEPT_ALIVE = frozenset({"ok", "script", "cookie", "pause", "depth", "repeats"})
