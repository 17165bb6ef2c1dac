"""Calls of one target: sent at its pace, again where that may help, under the egress policy."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from http import HTTPStatus
from importlib.metadata import version
from types import TracebackType
from typing import Final, Self, TypeVar
from urllib.parse import quote

from msgspec import structs
from multidict import CIMultiDict, istr

from reteval.contract.endpoints import Endpoint
from reteval.contract.outcomes import FailureCode
from reteval.contract.runs import Limits
from service.egress import EgressError, Policy, Target
from worker.search.dialling import Resolve
from worker.search.failures import RETRYABLE, CallError
from worker.search.manners import Manners
from worker.search.replies import check_status
from worker.search.scrubbing import Scrubber
from worker.search.template import Prepared
from worker.search.transport import Reply, Transport

_ASKS_FOR_LESS: Final = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
# Names whose lower case is known need not be lowered for every request.
_QUERY: Final = istr("X-Reteval-Query")
_ATTEMPT: Final = istr("X-Reteval-Attempt")

T = TypeVar("T")
Tap = Callable[[Prepared, Reply | None], None]
"""Sees each request as it is sent, and again with its reply, before anything is made of it."""


class Caller:
    """A target as one job uses it; an async context manager. `open` comes first.

    A URL that the policy refuses makes every call a `failed{blocked}`.
    """

    def __init__(
        self, headers: Mapping[str, str], *, limits: Limits, manners: Manners, run_id: str = ""
    ) -> None:
        self.scrubber = Scrubber(headers)
        self._limits = limits
        self._run_id = run_id
        self._pacer, self._lanes, self._budget = manners.pacer, manners.lanes, manners.budget
        self._transport: Transport | None = None
        self._refusal = ""
        self._tap: Tap | None = None
        self._opened = AsyncExitStack()

    def judge(self, policy: Policy, endpoint: Endpoint) -> tuple[Endpoint, Target | None]:
        """Return the endpoint with its URL as it is called; no target where that is refused."""
        try:
            target = policy.check_url(endpoint.url)
        except EgressError as exc:
            self._refusal = str(exc)
            return endpoint, None
        return structs.replace(endpoint, url=target.url), target

    def connect(
        self,
        target: Target | None,
        *,
        policy: Policy,
        headers: CIMultiDict[str] | None,
        resolver: Resolve | None = None,
        tap: Tap | None = None,
    ) -> None:
        """Say where calls go; `headers` are those of requests that have no others."""
        self._tap = tap
        if target is not None:
            self._transport = Transport(
                target, limits=self._limits, policy=policy, headers=headers, resolve=resolver
            )

    async def __aenter__(self) -> Self:
        if self._transport is not None:
            await self._opened.enter_async_context(self._transport)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._opened.aclose()

    async def fetch(
        self, request: Prepared, query_id: str, read: Callable[[Reply], T]
    ) -> tuple[Reply, T, int]:
        """Return a reply, what `read` makes of it, and the attempts made.

        Raises:
            CallError: the last one, if no attempt helped.
        """
        attempt = 1
        self._budget.earn()
        while True:
            if not self._pacer.free:
                await self._pacer.take_turn()
            try:
                names = _name(query_id, attempt) if self._run_id else None
                reply = await self._send(request, names)
                if self._tap is not None:
                    self._tap(request, reply)
                found = read(reply)
            except CallError as exc:
                exc.attempts = attempt
                self._judge_failure(exc)
                retry_after = exc.retry_after
            else:
                self._lanes.answer(reply.latency_ms)
                return reply, found, attempt
            await self._pacer.back_off(attempt, retry_after)
            attempt += 1

    def check_status(self, reply: Reply) -> None:
        """Let a 2xx pass.

        Raises:
            CallError: any other status.
        """
        if reply.status != HTTPStatus.OK:
            asked = self._pacer.read_retry_after(reply.headers.get("retry-after"))
            check_status(reply, self.scrubber, asked)

    def _judge_failure(self, failure: CallError) -> None:
        """Raise a failure that is final; slow down where it asks for that."""
        if failure.http_status in _ASKS_FOR_LESS:
            self._lanes.refuse()
        may_help = failure.code in RETRYABLE if failure.again is None else failure.again
        if not may_help or failure.attempts > self._limits.retries:
            raise failure
        if not self._budget.spend():
            raise failure

    def _send(self, request: Prepared, names: dict[str, str] | None) -> Awaitable[Reply]:
        if self._transport is None:
            raise CallError(FailureCode.BLOCKED, self._refusal)
        if self._tap is not None:
            self._tap(request, None)
        return self._transport.send(request, names=names)


def own_headers(run_id: str) -> dict[str, str]:
    """Return the headers that every call has."""
    run = {"X-Reteval-Run": run_id} if run_id else {}
    return {
        "User-Agent": f"reteval/{version('reteval-service')}",
        "Accept-Encoding": "identity",
        **run,
    }


def _name(query_id: str, attempt: int) -> dict[str, str]:
    """Name query and attempt, so that owners can tell our calls in their logs."""
    return {_QUERY: quote(query_id), _ATTEMPT: str(attempt)}
