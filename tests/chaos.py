"""A TCP proxy in front of a store that can be slow, silent, cut, closed, or torn in the middle.

It runs in a thread of its own, so that synchronous and asynchronous tests use it alike.
"""

import asyncio
import contextlib
import struct
import threading
from collections.abc import Awaitable, Callable, Iterator
from enum import Enum
from socket import SO_LINGER, SOL_SOCKET
from urllib.parse import unquote, urlsplit

CHUNK = 65_536
_CALL_S = 10.0
_HANDED_OVER_S = 0.01
_NO_LINGER = struct.pack("ii", 1, 0)
"""Closing such a socket resets the connection."""

Dial = Callable[[], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]


class Way(Enum):
    """Which way bytes go."""

    COMMANDS = "commands"
    ANSWERS = "answers"


class ChaosProxy:
    """Passes on what comes, until told otherwise. `accepted` counts connections ever made."""

    def __init__(self, upstream: str) -> None:
        self.accepted = 0
        self.port = 0
        self._dial = _dialler(upstream)
        self._delay_s = 0.0
        self._left: dict[Way, int | None] = dict.fromkeys(Way)
        self._writers: set[asyncio.StreamWriter] = set()
        self._served: set[asyncio.Future[None]] = set()
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._ending = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        """Where the store seems to be."""
        return f"redis://127.0.0.1:{self.port}/0"

    def delay(self, seconds: float) -> None:
        """Hold each piece of a command back for that long; an exchange takes that much longer."""
        self._delay_s = seconds

    def freeze(self) -> None:
        """Pass nothing on and keep everything open, as a stopped server does."""
        self._call(self._flowing.clear)

    def thaw(self) -> None:
        """Pass on what was held back, and all that follows."""
        self._call(self._flowing.set)

    def cut(self) -> None:
        """Reset every connection; new ones are welcome."""
        self._call(self._reset_all)

    def refuse(self) -> None:
        """Reset every connection and refuse new ones, as a dead server does."""
        self._call(self._close_door)

    def accept(self) -> None:
        """Take connections again, on the same port."""
        asyncio.run_coroutine_threadsafe(self._open_door(), self._running()).result(_CALL_S)

    def lead_to(self, upstream: str) -> None:
        """Take new connections to another store; open ones stay where they are."""
        self._dial = _dialler(upstream)

    def cut_after(self, size: int, way: Way = Way.ANSWERS) -> None:
        """Let that many more bytes through one way, all connections together, then cut once."""
        self._left[way] = size

    def stop(self) -> None:
        """End all connections, and `live`."""
        self._call(self._ending.set)

    async def live(self, ready: threading.Event) -> None:
        """Serve until stopped; for the proxy's own thread."""
        self._loop = asyncio.get_running_loop()
        await self._open_door()
        ready.set()
        await self._ending.wait()
        self._flowing.set()
        self._close_door()
        await asyncio.sleep(_HANDED_OVER_S)  # what was accepted as the door closed is served, too
        while self._served:
            self._reset_all()
            await asyncio.gather(*self._served)

    def _running(self) -> asyncio.AbstractEventLoop:
        assert self._loop is not None, "the proxy has not started"
        return self._loop

    def _call(self, step: Callable[[], None]) -> None:
        """Take a step in the proxy's thread, and wait until it is done."""
        asyncio.run_coroutine_threadsafe(_take(step), self._running()).result(_CALL_S)

    async def _open_door(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    def _close_door(self) -> None:
        assert self._server is not None, "the proxy has not started"
        self._server.close()
        self._reset_all()

    def _reset_all(self) -> None:
        for writer in tuple(self._writers):
            _reset(writer)

    def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._connect(reader, writer))
        self._served.add(task)
        task.add_done_callback(self._served.discard)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        self._writers.add(writer)
        try:
            far_reader, far_writer = await self._dial()
        except OSError:
            self._drop(writer)
            return
        self._writers.add(far_writer)
        pumps = (
            asyncio.ensure_future(self._pump(reader, far_writer, Way.COMMANDS)),
            asyncio.ensure_future(self._pump(far_reader, writer, Way.ANSWERS)),
        )
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for pump in pumps:
                pump.cancel()
            self._drop(writer)
            self._drop(far_writer)

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, way: Way
    ) -> None:
        with contextlib.suppress(OSError):
            while piece := await reader.read(CHUNK):
                if self._delay_s and way is Way.COMMANDS:
                    await asyncio.sleep(self._delay_s)
                await self._flowing.wait()
                torn = self._tear(piece, way)
                writer.write(torn)
                await writer.drain()
                if len(torn) < len(piece):
                    self._reset_all()

    def _tear(self, piece: bytes, way: Way) -> bytes:
        """Return as much of the piece as may pass; the bound ends with the cut it makes."""
        left = self._left[way]
        if left is None:
            return piece
        self._left[way] = left - len(piece) if left >= len(piece) else None
        return piece[:left]

    def _drop(self, writer: asyncio.StreamWriter) -> None:
        self._writers.discard(writer)
        _reset(writer)


@contextlib.contextmanager
def proxy_to(upstream: str) -> Iterator[ChaosProxy]:
    """Run a proxy in front of the store at that URL (`redis://…` or `unix://…`)."""
    proxy = ChaosProxy(upstream)
    ready = threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(proxy.live(ready)), name="chaos")
    thread.start()
    try:
        assert ready.wait(_CALL_S), "the proxy did not start"
        yield proxy
    finally:
        proxy.stop()
        thread.join(_CALL_S)


async def _take(step: Callable[[], None]) -> None:
    step()


def _dialler(upstream: str) -> Dial:
    parts = urlsplit(upstream)
    if parts.scheme == "unix":
        return lambda: asyncio.open_unix_connection(unquote(parts.path))
    return lambda: asyncio.open_connection(parts.hostname, parts.port or 6379)


def _reset(writer: asyncio.StreamWriter) -> None:
    sock = writer.get_extra_info("socket")
    with contextlib.suppress(OSError):
        sock.setsockopt(SOL_SOCKET, SO_LINGER, _NO_LINGER)
    writer.transport.abort()
