"""Searches: a query text in, exactly one outcome out, as many at a time as the limits allow."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AsyncExitStack
from http import HTTPStatus
from importlib.metadata import version
from types import TracebackType
from typing import Final, Self
from urllib.parse import quote

from msgspec import structs
from multidict import istr

from reteval.contract.endpoints import Endpoint
from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus
from reteval.contract.runs import Limits
from service.egress import EgressError, Policy, Target
from worker.search.answers import AnswerError
from worker.search.conclusions import conclude, fail, refuse
from worker.search.dialling import Resolve
from worker.search.failures import RETRYABLE, CallError
from worker.search.manners import Manners
from worker.search.mapping import Mapping, Page
from worker.search.paging import Pager
from worker.search.placeholders import MissingFieldError, Values
from worker.search.replies import check_status, name_answer_error
from worker.search.scrubbing import Scrubber
from worker.search.template import Ask, Prepared, Template, UnsendableError
from worker.search.transport import Reply, Transport

WATCH_S: Final = 0.2
GRACE_S: Final = 1.0
"""How long requests already sent may still end once the run is being stopped."""
_ASKS_FOR_LESS: Final = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
# Names whose lower case is known need not be lowered for every request.
_QUERY: Final = istr("X-Reteval-Query")
_ATTEMPT: Final = istr("X-Reteval-Attempt")
_GIVEN_UP: Final = Outcome(
    status=OutcomeStatus.SKIPPED,
    code=FailureCode.CIRCUIT_OPEN,
    detail="the endpoint had stopped answering",
    attempts=0,
)

COMPARED: Final = 3
"""First hits whose texts are compared with a query, where that is asked for."""

Emit = Callable[[int, Outcome], None]
Reach = Callable[[int], Awaitable[int]]
Tap = Callable[[Prepared, Reply | None], None]
"""Sees each request as it is sent, and again with its reply, before anything is made of it."""


class Searcher:
    """An endpoint as one run uses it; an async context manager.

    `resolver` stands in for the system's; `manners` say how it treats a target that others call,
    too. A URL that the policy refuses makes every search a `failed{blocked}`.

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
        manners: Manners | None = None,
        run_id: str = "",
        tap: Tap | None = None,
    ) -> None:
        self._limits = limits
        self._depth = depth
        self._tap = tap
        self._run_id = run_id
        manners = manners or Manners.alone(limits)
        self._pacer, self._lanes = manners.pacer, manners.lanes
        self._breaker, self._budget = manners.breaker, manners.budget
        self._scrubber = Scrubber(endpoint.headers)
        self._mapping = Mapping.compile(endpoint)
        self._pager = Pager.plan(endpoint, depth)
        self._transport: Transport | None = None
        self._refusal = ""
        target = self._judge(policy, endpoint.url)
        if target is not None:
            endpoint = structs.replace(endpoint, url=target.url)
        self._template = Template.compile(endpoint, headers=_own_headers(run_id))
        if target is not None:
            self._transport = Transport(
                target,
                limits=limits,
                policy=policy,
                headers=self._template.fixed_headers,
                resolve=resolver,
            )
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

    async def search(self, ask: Ask) -> Outcome:
        """Send one query, again if that may help, page by page, and say how it ended."""
        pages: list[Page] = []
        replies: list[Reply] = []
        attempts = 0
        place: Values | None = self._pager.begin()
        while place is not None:
            try:
                request = self._template.render(ask, self._pager.k, place)
            except (MissingFieldError, UnsendableError) as exc:
                return refuse(str(exc), attempts)
            try:
                reply, page, tries = await self._fetch(request, ask.id)
            except CallError as exc:
                return fail(exc, attempts + exc.attempts)
            attempts += tries
            replies.append(reply)
            pages.append(page)
            place = self._pager.go_on(place, pages)
        outcome = conclude(self._mapping.finish(pages, self._depth), replies, attempts)
        if ask.compare is None:
            return outcome
        texts = self._mapping.read_texts(replies[0].body, COMPARED)
        if texts is None:
            return outcome
        # A part of a text may be kept: an endpoint that echoes our headers must not put them there.
        return ask.compare(outcome, [text and self._scrubber.mask(text) for text in texts])

    async def _fetch(self, request: Prepared, query_id: str) -> tuple[Reply, Page, int]:
        """Return a reply, its page, and the attempts made; the last CallError if none helped."""
        attempt = 1
        self._budget.earn()
        while True:
            if not self._pacer.free:
                await self._pacer.take_turn()
            try:
                names = _name(query_id, attempt) if self._run_id else None
                reply = await self._send(request, names)
                page = self._read(request, reply)
            except CallError as exc:
                exc.attempts = attempt
                self._judge_failure(exc)
                retry_after = exc.retry_after
            else:
                self._lanes.answer(reply.latency_ms)
                return reply, page, attempt
            await self._pacer.back_off(attempt, retry_after)
            attempt += 1

    def _judge_failure(self, failure: CallError) -> None:
        """Raise a failure that is final; slow down where it asks for that."""
        if failure.http_status in _ASKS_FOR_LESS:
            self._lanes.refuse()
        if failure.code not in RETRYABLE or failure.attempts > self._limits.retries:
            raise failure
        if not self._budget.spend():
            raise failure

    async def search_all(
        self,
        requests: Iterable[tuple[int, Ask]],
        *,
        emit: Emit,
        stopping: Callable[[], bool],
        reach: Reach | None = None,
    ) -> None:
        """Send many queries, started in order; `emit` gets each outcome as it comes.

        `reach` is told of a request before it is sent; it is not asked again before the place
        that it answers.

        Once `stopping()` is true nothing more is started, and what has not ended a second later
        is cut. A request that was not sent or was cut is not emitted. What `emit` raises ends
        everything and is raised here.
        """
        feed = _Feed(requests, reach)
        lanes = {
            asyncio.create_task(self._run_lane(number, feed, emit, stopping))
            for number in range(self._limits.concurrency)
        }
        try:
            await _watch(lanes, stopping)
        finally:
            for lane in lanes:
                lane.cancel()
            await asyncio.gather(*lanes, return_exceptions=True)

    async def _run_lane(
        self, number: int, feed: "_Feed", emit: Emit, stopping: Callable[[], bool]
    ) -> None:
        while not stopping() and not feed.empty:
            if number >= self._lanes.allowed:
                await asyncio.sleep(WATCH_S)
                continue
            request = feed.take()
            if request is None:
                return
            place, ask = request
            if place >= feed.mark:
                await feed.reach(place)
            if not self._breaker.closed and not await self._breaker.admit():
                emit(place, _GIVEN_UP)
                continue
            outcome = await self.search(ask)
            self._breaker.record(failed=outcome.code in RETRYABLE)
            emit(place, outcome)

    def _send(self, request: Prepared, names: dict[str, str] | None) -> Awaitable[Reply]:
        if self._transport is None:
            raise CallError(FailureCode.BLOCKED, self._refusal)
        if self._tap is not None:
            self._tap(request, None)
        return self._transport.send(request, names=names)

    def _read(self, request: Prepared, reply: Reply) -> Page:
        if self._tap is not None:
            self._tap(request, reply)
        if reply.status != HTTPStatus.OK:
            asked = self._pacer.read_retry_after(reply.headers.get("retry-after"))
            check_status(reply, self._scrubber, asked)
        try:
            return self._mapping.read_page(reply.body)
        except AnswerError as exc:
            raise name_answer_error(exc, reply, self._scrubber) from exc

    def _judge(self, policy: Policy, url: str) -> Target | None:
        try:
            return policy.check_url(url)
        except EgressError as exc:
            self._refusal = str(exc)
            return None


class _Feed:
    """Requests that wait, for lanes to take; `empty` once there are no more.

    From the place `mark` on, `reach` must be called before a request is sent.
    """

    def __init__(self, requests: Iterable[tuple[int, Ask]], reach: Reach | None) -> None:
        self._waiting = iter(requests)
        self._reach = reach
        self._reaching = asyncio.Lock()
        self.empty = False
        self.mark = 0

    async def reach(self, place: int) -> None:
        """Tell that a place is about to be sent, unless that is known by now."""
        async with self._reaching:
            if place >= self.mark:
                self.mark = sys.maxsize if self._reach is None else await self._reach(place)

    def take(self) -> tuple[int, Ask] | None:
        """Return the next request."""
        request = next(self._waiting, None)
        self.empty = request is None
        return request


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


def _name(query_id: str, attempt: int) -> dict[str, str]:
    """Name query and attempt, so that owners can tell our calls in their logs."""
    return {_QUERY: quote(query_id), _ATTEMPT: str(attempt)}


def _own_headers(run_id: str) -> dict[str, str]:
    run = {"X-Reteval-Run": run_id} if run_id else {}
    return {
        "User-Agent": f"reteval/{version('reteval-service')}",
        "Accept-Encoding": "identity",
        **run,
    }
