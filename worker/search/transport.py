"""Sends one prepared request and reads its answer: the only opener of sockets to a user's URL.

It follows no redirect, keeps no cookie, reads nothing from the environment, and knows nothing of
retries or of what an answer means.
"""

import asyncio
import contextlib
import ssl
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Final, Self, cast

import aiohttp
import httpx
from httpx_aiohttp import AiohttpTransport
from msgspec import Struct

from reteval.contract.outcomes import FailureCode
from reteval.contract.runs import Limits
from service.egress import Policy, Target
from worker.search.dialling import (
    LOOKUP_THREADS,
    Guard,
    GuardedConnector,
    Resolve,
    resolve_in,
)
from worker.search.failures import CallError, explain
from worker.search.template import Prepared

_CLOSE_S: Final = 1.0
_MAX_HEADER_LINE: Final = 32_768


class Reply(Struct, frozen=True):
    """Status, headers and whole body of an answer; latency from sending to the last byte."""

    status: int
    headers: httpx.Headers
    body: bytes
    latency_ms: float


class _ReadyRequest(httpx.Request):
    """A request made of ready parts: copying and completing headers would cost a tenth of a call.

    The transport adds `Host` and `Content-Length`.
    """

    def __init__(self, prepared: Prepared) -> None:
        self.method = prepared.method
        self.url = prepared.url
        self.headers = prepared.headers
        self.extensions = {}
        self._ready = prepared.body or b""

    @property
    def content(self) -> bytes:
        """The body; empty where there is none."""
        return self._ready


class Transport:
    """Connections to one target, kept alive between requests.

    `resolve` and `tls` stand in for the system's resolver and the usual root certificates.
    """

    def __init__(
        self,
        target: Target,
        *,
        limits: Limits,
        policy: Policy,
        resolve: Resolve | None = None,
        tls: ssl.SSLContext | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._target = target
        self._limits = limits
        self._guard = Guard(policy, target)
        self._resolve = resolve
        self._tls = tls
        self._clock = clock
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
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=False,
            auto_decompress=False,
            middlewares=(connector.send,),
            max_line_size=_MAX_HEADER_LINE,
            max_field_size=_MAX_HEADER_LINE,
        )
        self._http = AiohttpTransport(client=session, verify=tls, trust_env=False)
        self._opened.push_async_callback(self._http.aclose)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._opened.aclose()

    async def send(self, request: Prepared) -> Reply:
        """Send a request and read the whole answer, whatever its status.

        Raises:
            CallError: no connection, no HTTP, no end within the time limit, or too many bytes.
        """
        started = self._clock()
        try:
            async with asyncio.timeout(self._limits.timeout_s):
                response = await self._http.handle_async_request(_ReadyRequest(request))
                body = await self._read(response)
        except CallError as exc:
            exc.latency_ms = (self._clock() - started) * 1_000
            raise
        except (httpx.HTTPError, aiohttp.ClientError, OSError) as exc:
            raise explain(exc, (self._clock() - started) * 1_000) from exc
        return Reply(
            response.status_code, response.headers, body, (self._clock() - started) * 1_000
        )

    async def _read(self, response: httpx.Response) -> bytes:
        stream = cast("httpx.AsyncByteStream", response.stream)
        try:
            _check_encoding(response)
            return await _read_capped(stream, self._limits.max_response_bytes)
        except BaseException:
            # Read to its end, an answer gives its connection back by itself; any other closes it.
            with contextlib.suppress(TimeoutError, httpx.HTTPError, aiohttp.ClientError):
                async with asyncio.timeout(_CLOSE_S):
                    await stream.aclose()
            raise


def _check_encoding(response: httpx.Response) -> None:
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity"):
        raise CallError(
            FailureCode.ENCODING_NOT_ALLOWED,
            "the answer is compressed although the request forbids it; send it as it is",
            http_status=response.status_code,
        )


async def _read_capped(stream: httpx.AsyncByteStream, cap: int) -> bytes:
    chunks: list[bytes] = []
    room = cap
    async for chunk in stream:
        room -= len(chunk)
        if room < 0:
            raise CallError(
                FailureCode.RESPONSE_TOO_LARGE, f"the answer is longer than {cap} bytes"
            )
        chunks.append(chunk)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def _make_tls(scheme: str) -> ssl.SSLContext:
    if scheme == "https":
        return httpx.create_ssl_context(trust_env=False)
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
