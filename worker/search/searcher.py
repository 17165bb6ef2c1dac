"""Searches: a query text in, exactly one outcome out, as many at a time as the limits allow."""

from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Final, Self

from reteval.contract.endpoints import Endpoint
from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus
from reteval.contract.runs import Limits
from service.egress import Policy
from worker.search.answers import AnswerError
from worker.search.caller import Caller, Tap, own_headers
from worker.search.conclusions import conclude, fail, refuse
from worker.search.crew import Crew, Reach
from worker.search.dialling import Resolve
from worker.search.failures import RETRYABLE, CallError
from worker.search.manners import Manners
from worker.search.mapping import Mapping, Page
from worker.search.paging import Pager
from worker.search.placeholders import MissingFieldError, Values
from worker.search.replies import name_answer_error
from worker.search.template import Ask, Template, UnsendableError
from worker.search.transport import Reply

_GIVEN_UP: Final = Outcome(
    status=OutcomeStatus.SKIPPED,
    code=FailureCode.CIRCUIT_OPEN,
    detail="the endpoint had stopped answering",
    attempts=0,
)

COMPARED: Final = 3
"""First hits whose texts are compared with a query, where that is asked for."""

Emit = Callable[[int, Outcome], None]


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
        self._depth = depth
        manners = manners or Manners.alone(limits)
        self._mapping = Mapping.compile(endpoint)
        self._pager = Pager.plan(endpoint, depth)
        self._caller = Caller(endpoint.headers, limits=limits, manners=manners, run_id=run_id)
        endpoint, target = self._caller.judge(policy, endpoint)
        self._template = Template.compile(endpoint, headers=own_headers(run_id))
        self._caller.connect(
            target,
            policy=policy,
            headers=self._template.fixed_headers,
            resolver=resolver,
            tap=tap,
        )
        self._crew = Crew(
            self.search,
            manners=manners,
            concurrency=limits.concurrency,
            failed=lambda outcome: outcome.code in RETRYABLE,
            given_up=_GIVEN_UP,
        )

    async def __aenter__(self) -> Self:
        await self._caller.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._caller.__aexit__(kind, exc, traceback)

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
                reply, page, tries = await self._caller.fetch(request, ask.id, self._read)
            except CallError as exc:
                return fail(exc, attempts + exc.attempts)
            attempts += tries
            replies.append(reply)
            pages.append(page)
            place = self._pager.go_on(place, pages)
        outcome = conclude(self._mapping.finish(pages, self._depth), replies, attempts)
        if ask.keep is not None:
            ask.keep(self._mapping.pair_texts([reply.body for reply in replies]))
        if ask.compare is None:
            return outcome
        texts = self._mapping.read_texts(replies[0].body, COMPARED)
        if texts is None:
            return outcome
        # A part of a text may be kept: an endpoint that echoes our headers must not put them there.
        return ask.compare(outcome, [text and self._caller.scrubber.mask(text) for text in texts])

    async def search_all(
        self,
        requests: Iterable[tuple[int, Ask]],
        *,
        emit: Emit,
        stopping: Callable[[], bool],
        reach: Reach | None = None,
    ) -> None:
        """Send many queries; see `Crew.work`."""
        await self._crew.work(requests, emit=emit, stopping=stopping, reach=reach)

    def _read(self, reply: Reply) -> Page:
        self._caller.check_status(reply)
        try:
            return self._mapping.read_page(reply.body)
        except AnswerError as exc:
            raise name_answer_error(exc, reply, self._caller.scrubber) from exc
