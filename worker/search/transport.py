"""Sends one prepared request and reads its answer: the only opener of sockets to a user's URL.

It follows no redirect, keeps no cookie, reads nothing from the environment, and knows nothing of
retries or of what an answer means.
"""

import contextlib
import math
import ssl
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Final, Self

import aiohttp
import httpx
from aiohttp.hdrs import CONTENT_ENCODING
from msgspec import Struct
from multidict import CIMultiDict, CIMultiDictProxy

from reteval.contract.outcomes import FailureCode
from reteval.contract.runs import Limits
from service.egress import Policy, Target
from worker.search.dialling import (
    BROKEN,
    DIALLED_S,
    LOOKUP_THREADS,
    CountedResponse,
    Guard,
    GuardedConnector,
    Resolve,
    resolve_in,
)
from worker.search.failures import CallError, explain
from worker.search.template import Prepared

_MAX_HEADER_LINE: Final = 32_768


class Reply(Struct, frozen=True):
    """Status, headers and whole body of an answer, and milliseconds since sending.

    `connect_ms` is None where a connection was open; `first_byte_ms` ends with the headers.
    """

    status: int
    headers: CIMultiDictProxy[str]
    body: bytes
    latency_ms: float
    first_byte_ms: float
    connect_ms: float | None


class Transport:
    """Connections to one target, kept alive between requests.

    `headers` are those of requests that have no others: they are prepared once.
    `resolve` and `tls` stand in for the system's resolver and the usual root certificates.
    """

    def __init__(
        self,
        target: Target,
        *,
        limits: Limits,
        policy: Policy,
        headers: CIMultiDict[str] | None = None,
        resolve: Resolve | None = None,
        tls: ssl.SSLContext | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._target = target
        self._limits = limits
        self._guard = Guard(policy, target)
        self._headers = headers
        self._resolve = resolve
        self._tls = tls
        self._clock = clock
        self._timeout = _limit(limits.timeout_s)
        self._opened = contextlib.AsyncExitStack()

    async def __aenter__(self) -> Self:
        resolve = self._resolve
        if resolve is None:
            pool = ThreadPoolExecutor(LOOKUP_THREADS, "lookup")
            self._opened.callback(pool.shutdown, wait=False, cancel_futures=True)
            resolve = resolve_in(pool)
        tls = self._tls or _make_tls(self._target.scheme)
        connector = GuardedConnector(self._guard, resolve, limit=self._limits.concurrency, ssl=tls)
        session = aiohttp.ClientSession(
            connector=connector,
            headers=self._headers,
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=False,
            auto_decompress=False,
            response_class=CountedResponse,
            max_line_size=_MAX_HEADER_LINE,
            max_field_size=_MAX_HEADER_LINE,
        )
        self._session = session
        self._opened.push_async_callback(session.close)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._opened.aclose()

    async def send(self, request: Prepared, *, names: dict[str, str] | None = None) -> Reply:
        """Send a request and read the whole answer, whatever its status.

        `names` are headers of this attempt alone: they tell the endpoint's owner who calls.

        Raises:
            CallError: no connection, no HTTP, no end within the time limit, or too many bytes.
        """
        _take_dialled_ms()  # an attempt that failed may have left its own
        started = self._clock()
        try:
            try:
                response = await self._start(request, names, self._timeout)
            except BROKEN as exc:
                response = await self._start_again(request, names, started, exc)
            head = self._clock()
            try:
                body = await _read(response, self._limits.max_response_bytes)
            except BaseException:
                # Read to its end, an answer gives its connection back; any other closes it.
                response.close()
                raise
        except CallError as exc:
            exc.latency_ms = (self._clock() - started) * 1_000
            raise
        except (aiohttp.ClientError, OSError) as exc:
            raise explain(exc, (self._clock() - started) * 1_000) from exc
        ended = self._clock()
        return Reply(
            response.status,
            response.headers,
            body,
            (ended - started) * 1_000,
            (head - started) * 1_000,
            _take_dialled_ms(),
        )

    def _start(
        self, request: Prepared, names: dict[str, str] | None, timeout: aiohttp.ClientTimeout
    ) -> Awaitable[aiohttp.ClientResponse]:
        """Return what sends a request and reads the head of the answer, once awaited."""
        return self._session.request(
            request.method,
            request.url,
            data=request.body,
            headers=self._add(request.headers, names),
            allow_redirects=False,
            timeout=timeout,
        )

    async def _start_again(
        self,
        request: Prepared,
        names: dict[str, str] | None,
        started: float,
        broken: aiohttp.ClientError,
    ) -> aiohttp.ClientResponse:
        """Send once more where a pooled connection was closed before the request got there.

        That is no attempt at all: the request goes out again within the same time limit, on a
        new connection at the latest.
        """
        while not isinstance(broken, aiohttp.ClientConnectorError) and DIALLED_S.get() is None:
            left = self._limits.timeout_s - (self._clock() - started)
            if left <= 0:
                raise TimeoutError from broken
            try:
                return await self._start(request, names, _limit(left))
            except BROKEN as exc:
                broken = exc
        raise broken

    def _add(
        self, headers: CIMultiDict[str], names: dict[str, str] | None
    ) -> dict[str, str] | CIMultiDict[str] | None:
        """Return what goes beside the session's own headers."""
        if headers is self._headers:
            return names
        return CIMultiDict([*headers.items(), *(names or {}).items()])


def _limit(seconds: float) -> aiohttp.ClientTimeout:
    """Return one deadline for all of an attempt, to the last byte, and never rounded up."""
    return aiohttp.ClientTimeout(total=seconds, ceil_threshold=math.inf)


async def _read(response: aiohttp.ClientResponse, cap: int) -> bytes:
    """Read a body to its end, or refuse it at the first sign that it is not wanted."""
    encoding = response.headers.get(CONTENT_ENCODING)
    if encoding is not None and encoding.strip().lower() not in ("", "identity"):
        raise CallError(
            FailureCode.ENCODING_NOT_ALLOWED,
            "the answer is compressed although the request forbids it; send it as it is",
            http_status=response.status,
        )
    chunks: list[bytes] = []
    room = cap
    content = response.content
    while not content.at_eof():
        chunk = await content.readany()
        room -= len(chunk)
        if room < 0:
            raise CallError(
                FailureCode.RESPONSE_TOO_LARGE,
                f"the answer is longer than {cap} bytes",
                http_status=response.status,
            )
        chunks.append(chunk)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def _take_dialled_ms() -> float | None:
    """Return how long the request waited for a new connection, once."""
    dialled = DIALLED_S.get()
    if dialled is None:
        return None
    DIALLED_S.set(None)
    return dialled * 1_000


def _make_tls(scheme: str) -> ssl.SSLContext:
    if scheme == "https":
        return httpx.create_ssl_context(trust_env=False)
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
