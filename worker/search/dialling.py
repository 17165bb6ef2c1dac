"""The boundary at the moment of dialling: each address is judged before a socket exists for it.

The HTTP library resolves, dials and pools; these hooks stand at its three doors. A name is
refused when any of its addresses is; a literal address never meets the resolver, so the maker
of sockets judges again; and a connection is used only if its peer is an address so judged.
"""

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Executor
from contextvars import ContextVar
from typing import Any, Final

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.connector import Connection

from service.egress import EgressError, Policy, Target
from worker.search.failures import DroppedError, LookupTimeoutError, RefusedError

LOOKUP_TIMEOUT_S: Final = 5.0
LOOKUP_THREADS: Final = 4
_LOOKUP_CACHE_S: Final = 10
_KEEPALIVE_S: Final = 4.0
"""Shorter than the 5 s after which common servers drop an idle connection."""

DIALLED_S: Final[ContextVar[float | None]] = ContextVar("dialled_s", default=None)
"""Seconds that the request under way waited for a connection made for it; None while it has not."""

BROKEN: Final = (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError)
"""How the library says that a connection broke before the head of an answer was there."""

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""The addresses a host name stands for."""


class Guard:
    """A policy applied to one target; remembers which addresses it let through."""

    def __init__(self, policy: Policy, target: Target) -> None:
        self._policy = policy
        self._target = target
        self._passed: set[str] = set()

    def check(self, address: str, port: int) -> None:
        """Judge an address about to be dialled.

        Raises:
            RefusedError: it may not be called.
        """
        try:
            self._policy.check_address(self._target.host, address, port)
        except EgressError as exc:
            raise RefusedError(str(exc)) from exc
        self._passed.add(address)

    def check_peer(self, peer: Sequence[Any] | None) -> None:
        """Check that a connection leads to an address that was judged.

        Raises:
            RefusedError: it leads elsewhere.
        """
        if peer is None or peer[0] not in self._passed:
            raise RefusedError("the connection leads to an address that was not checked")

    def open_socket(self, info: tuple[Any, ...]) -> socket.socket:
        """Make the socket for one address, or refuse to."""
        family, kind, proto, _, address = info
        self.check(address[0], address[1])
        return socket.socket(family=family, type=kind, proto=proto)


class GuardedResolver(AbstractResolver):
    """Resolves names for the connector and judges every address of the answer."""

    def __init__(
        self, guard: Guard, resolve: Resolve, *, limit_s: float = LOOKUP_TIMEOUT_S
    ) -> None:
        self._guard = guard
        self._resolve = resolve
        self._limit_s = limit_s

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Return the addresses of `host` if all of them may be called; `family` is not used."""
        del family
        try:
            async with asyncio.timeout(self._limit_s):
                addresses = await self._resolve(host, port)
        except TimeoutError as exc:
            raise LookupTimeoutError from exc
        if not addresses:
            raise socket.gaierror(socket.EAI_NONAME, "no address")
        for address in addresses:
            self._guard.check(address, port)
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in addresses
        ]

    async def close(self) -> None:
        """Release nothing: the lookup threads belong to the transport."""


class GuardedConnector(aiohttp.TCPConnector):
    """A connection pool that checks where each connection leads before it is used."""

    def __init__(self, guard: Guard, resolve: Resolve, **kwargs: Any) -> None:
        super().__init__(
            resolver=GuardedResolver(guard, resolve),
            socket_factory=guard.open_socket,
            ttl_dns_cache=_LOOKUP_CACHE_S,
            keepalive_timeout=_KEEPALIVE_S,
            **kwargs,
        )
        self._guard = guard
        self._used: set[Any] = set()

    async def connect(
        self,
        req: aiohttp.ClientRequest,
        traces: Any,
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - the library names it so
    ) -> Connection:
        """Return a pooled or a new connection to a checked peer."""
        began = time.perf_counter()
        connection = await super().connect(req, traces, timeout)
        if connection.protocol in self._used:
            return connection
        DIALLED_S.set(time.perf_counter() - began)
        transport = connection.transport
        peer = None if transport is None else transport.get_extra_info("peername")
        try:
            self._guard.check_peer(peer)
        except RefusedError:
            connection.close()
            raise
        # Those that are gone are forgotten here; a weak set would cost every request more.
        self._used = {used for used in self._used if used.is_connected()}
        self._used.add(connection.protocol)
        return connection


class CountedResponse(aiohttp.ClientResponse):
    """An answer whose new connection, once broken, is an attempt that failed.

    The library would send a broken GET or PUT again by itself, uncounted; it leaves this error be.
    """

    async def start(self, connection: Connection) -> aiohttp.ClientResponse:
        """Read the head of the answer.

        Raises:
            DroppedError: a connection made for this request broke.
        """
        try:
            return await super().start(connection)
        except BROKEN as exc:
            if DIALLED_S.get() is None:
                raise
            raise DroppedError from exc


def resolve_in(pool: Executor) -> Resolve:
    """Return the system's resolver on threads of its own, so that a hang stays there."""

    async def resolve(host: str, port: int) -> Sequence[str]:
        def look_up() -> list[str]:
            infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            return list(dict.fromkeys(str(info[4][0]) for info in infos))

        return await asyncio.get_running_loop().run_in_executor(pool, look_up)

    return resolve
