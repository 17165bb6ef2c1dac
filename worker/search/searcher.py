"""Searches: a query text in, exactly one outcome out, as many at a time as the limits allow."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import AsyncExitStack
from http import HTTPStatus
from importlib.metadata import version
from types import TracebackType
from typing import Final, Self

from msgspec import structs

from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus
from reteval.contract.runs import Endpoint, Limits
from service.egress import EgressError, Policy, Target
from worker.search.dialling import Resolve
from worker.search.failures import RETRYABLE, CallError
from worker.search.mapping import AnswerError, Mapping
from worker.search.pacing import Pacer
from worker.search.replies import check_status, name_answer_error
from worker.search.scrubbing import Scrubber
from worker.search.template import Prepared, Template
from worker.search.transport import Transport

WATCH_S: Final = 0.2
GRACE_S: Final = 1.0
"""How long requests already sent may still end once the run is being stopped."""

Emit = Callable[[int, Outcome], None]


class Searcher:
    """An endpoint as one run uses it; an async context manager.

    `resolver` and `pacer` stand in for the system's resolver and clocks. A URL that the policy
    refuses makes every search a `failed{blocked}`.

    Raises:
        ValueError: the endpoint's description cannot be compiled.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        limits: Limits,
        depth: int,
        policy: Policy,
        resolver: Resolve | None = None,
        pacer: Pacer | None = None,
        run_id: str = "",
    ) -> None:
        self._limits = limits
        self._depth = depth
        self._pacer = pacer or Pacer(limits.rate_per_s)
        self._scrubber = Scrubber(endpoint.headers)
        self._mapping = Mapping.compile(endpoint)
        self._transport: Transport | None = None
        self._refusal = ""
        target = self._judge(policy, endpoint.url)
        if target is not None:
            endpoint = structs.replace(endpoint, url=target.url)
            self._transport = Transport(target, limits=limits, policy=policy, resolve=resolver)
        self._template = Template.compile(endpoint, headers=_own_headers(run_id))
        self._opened = AsyncExitStack()

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

    async def search(self, text: str) -> Outcome:
        """Send one query, again if that may help, and say how it ended."""
        request = self._template.render(text, self._depth)
        attempt = 1
        while True:
            await self._pacer.take_turn()
            try:
                return await self._attempt(request, attempt)
            except CallError as exc:
                failure = exc
            if failure.code not in RETRYABLE or attempt > self._limits.retries:
                return _fail(failure, attempt)
            await self._pacer.back_off(attempt, failure.retry_after)
            attempt += 1

    async def search_all(
        self,
        requests: Iterable[tuple[int, str]],
        *,
        emit: Emit,
        stopping: Callable[[], bool],
    ) -> None:
        """Send many queries, started in order; `emit` gets each outcome as it comes.

        Once `stopping()` is true nothing more is started, and what has not ended a second later
        is cut. A request that was not sent or was cut is not emitted. What `emit` raises ends
        everything and is raised here.
        """
        waiting = iter(requests)
        lanes = {
            asyncio.create_task(self._run_lane(waiting, emit, stopping))
            for _ in range(self._limits.concurrency)
        }
        try:
            await _watch(lanes, stopping)
        finally:
            for lane in lanes:
                lane.cancel()
            await asyncio.gather(*lanes, return_exceptions=True)

    async def _run_lane(
        self, waiting: Iterator[tuple[int, str]], emit: Emit, stopping: Callable[[], bool]
    ) -> None:
        while not stopping():
            request = next(waiting, None)
            if request is None:
                return
            emit(request[0], await self.search(request[1]))

    async def _attempt(self, request: Prepared, attempt: int) -> Outcome:
        if self._transport is None:
            raise CallError(FailureCode.BLOCKED, self._refusal)
        reply = await self._transport.send(request)
        if reply.status != HTTPStatus.OK:
            asked = self._pacer.read_retry_after(reply.headers.get("retry-after"))
            check_status(reply, self._scrubber, asked)
        try:
            answer = self._mapping.read(reply.body, self._depth)
        except AnswerError as exc:
            raise name_answer_error(exc, reply, self._scrubber) from exc
        return Outcome(
            status=OutcomeStatus.OK if answer.ids else OutcomeStatus.OK_EMPTY,
            http_status=reply.status,
            attempts=attempt,
            latency_ms=reply.latency_ms,
            returned=answer.returned,
            ids=answer.ids,
            scores=answer.scores,
        )

    def _judge(self, policy: Policy, url: str) -> Target | None:
        try:
            return policy.check_url(url)
        except EgressError as exc:
            self._refusal = str(exc)
            return None


async def _watch(lanes: set[asyncio.Task[None]], stopping: Callable[[], bool]) -> None:
    pending = lanes
    while pending and not stopping():
        done, pending = await asyncio.wait(
            pending, timeout=WATCH_S, return_when=asyncio.FIRST_EXCEPTION
        )
        for lane in done:
            lane.result()
    if pending:
        done, _ = await asyncio.wait(pending, timeout=GRACE_S)
        for lane in done:
            lane.result()


def _fail(failure: CallError, attempts: int) -> Outcome:
    return Outcome(
        status=OutcomeStatus.FAILED,
        code=failure.code,
        detail=failure.detail,
        http_status=failure.http_status,
        attempts=attempts,
        latency_ms=failure.latency_ms,
    )


def _own_headers(run_id: str) -> dict[str, str]:
    run = {"X-Reteval-Run": run_id} if run_id else {}
    return {
        "User-Agent": f"reteval/{version('reteval-service')}",
        "Accept-Encoding": "identity",
        **run,
    }
