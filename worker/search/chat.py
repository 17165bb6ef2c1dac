"""A model behind a chat endpoint: one question out, one answer in, in the form it can give.

Whether a server takes a `response_format`, and keeps to it, is found out: the strictest form is
tried first, and one step down the ladder is taken where it is refused or does nothing.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import partial
from http import HTTPStatus
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from msgspec import Struct, structs

from reteval.contract.endpoints import Endpoint
from reteval.contract.outcomes import FailureCode
from reteval.contract.runs import Limits
from service.egress import Policy
from worker.search.caller import Caller, Tap, own_headers
from worker.search.dialling import Resolve
from worker.search.failures import CallError
from worker.search.manners import Manners
from worker.search.template import Ask, Template
from worker.search.transport import Reply

LONGEST_WAIT_S: Final = 120.0
"""How long a model's server can ask to be left alone."""
REPAIR: Final = "Your last answer could not be read. "
_REFUSALS: Final = (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY)
_NAMES: Final = (b"response_format", b"json_schema", b"json_object")
_AGAIN: Final = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT)

R = TypeVar("R")


class Form(StrEnum):
    """How the form of an answer is asked for, from the strictest down."""

    SCHEMA = "json_schema"
    OBJECT = "json_object"
    NONE = "none"

    def step_down(self) -> "Form":
        """Return the next form."""
        return Form.OBJECT if self is Form.SCHEMA else Form.NONE


class Question(Struct, frozen=True, kw_only=True):
    """What every call of a model has: its body without a form, and the words that ask for one.

    `schema` is that of an answer; without one, no form is asked for.
    """

    body: dict[str, Any]
    system: str
    user: str
    form: str
    schema: dict[str, Any] | None = None


class Heard(Struct, frozen=True, kw_only=True):
    """How an answer came: status, time, attempts in all, and in what form it was asked for."""

    http_status: int
    latency_ms: float
    attempts: int
    form: Form


class FormRefusedError(CallError):
    """The server does not take the form that was asked for."""


class Chat:
    """A model as one job uses it; an async context manager."""

    def __init__(
        self,
        endpoint: Endpoint,
        question: Question,
        *,
        limits: Limits,
        policy: Policy,
        manners: Manners,
        resolver: Resolve | None = None,
        run_id: str = "",
        tap: Tap | None = None,
    ) -> None:
        self._question = question
        self._headers = own_headers(run_id)
        self._caller = Caller(endpoint.headers, limits=limits, manners=manners, run_id=run_id)
        self._endpoint, target = self._caller.judge(policy, endpoint)
        self._templates: dict[tuple[Form, bool], Template] = {}
        self._proven: set[Form] = set()
        self._form = Form.NONE if question.schema is None else Form.SCHEMA
        headers = self._template(self._form, repair=False).fixed_headers
        self._caller.connect(target, policy=policy, headers=headers, resolver=resolver, tap=tap)

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

    def mask(self, text: str) -> str:
        """Return what a model said without our secrets: it may have been told to repeat them."""
        return self._caller.scrubber.mask(text)

    async def ask(
        self, ask: Ask, *, read: Callable[[bytes], R], unfit: Callable[[R], bool]
    ) -> tuple[R, Heard]:
        """Ask once, and return what `read` makes of the answer.

        Where that is `unfit`, a form that has never brought a fit answer is given up for the
        next one; with the last form, or a proven one, the question is put once more.

        Raises:
            CallError: there was no answer.
        """
        form, repair, attempts = self._form, False, 0
        while True:
            try:
                found, reply, tries = await self._send(ask, form, repair=repair, read=read)
            except FormRefusedError as exc:
                attempts += exc.attempts
                if form is Form.NONE:
                    raise
                form = self._leave(form)
                continue
            attempts += tries
            fit = not unfit(found)
            if fit:
                self._proven.add(form)
            if fit or repair:
                return found, Heard(
                    http_status=reply.status,
                    latency_ms=reply.latency_ms,
                    attempts=attempts,
                    form=form,
                )
            if form in self._proven or form is Form.NONE:
                repair = True
            else:
                form = self._leave(form)

    async def _send(
        self, ask: Ask, form: Form, *, repair: bool, read: Callable[[bytes], R]
    ) -> tuple[R, Reply, int]:
        request = self._template(form, repair=repair).render(ask, 1)
        reply, found, tries = await self._caller.fetch(request, ask.id, partial(self._read, read))
        return found, reply, tries

    def _leave(self, form: Form) -> Form:
        """Give a form up, for all that are asked from now on; return the one to use."""
        if self._form is form:
            self._form = form.step_down()
        return form.step_down()

    def _read(self, read: Callable[[bytes], R], reply: Reply) -> R:
        if reply.status in _REFUSALS and any(name in reply.body for name in _NAMES):
            raise FormRefusedError(
                FailureCode.HTTP_4XX,
                self._caller.scrubber.excerpt(reply.body),
                http_status=reply.status,
                latency_ms=reply.latency_ms,
            )
        try:
            self._caller.check_status(reply)
        except CallError as exc:
            exc.again = _says_again(reply)
            raise
        return read(reply.body)

    def _template(self, form: Form, *, repair: bool) -> Template:
        known = self._templates.get((form, repair))
        if known is None:
            body = _write_body(self._question, form, repair=repair)
            endpoint = structs.replace(self._endpoint, body=body)
            known = Template.compile(endpoint, headers=self._headers)
            self._templates[form, repair] = known
        return known


def _write_body(question: Question, form: Form, *, repair: bool) -> dict[str, Any]:
    words = REPAIR + question.form if repair else question.form
    body: dict[str, Any] = {
        **question.body,
        "messages": [
            {"role": "system", "content": question.system},
            {"role": "user", "content": f"{question.user}\n\n{words}"},
        ],
    }
    return body | _write_form(question.schema, form)


def _write_form(schema: Mapping[str, Any] | None, form: Form) -> dict[str, Any]:
    if form is Form.NONE:
        return {}
    if form is Form.OBJECT:
        return {"response_format": {"type": form.value}}
    named = {"name": "judgment", "strict": True, "schema": schema}
    return {"response_format": {"type": form.value, form.value: named}}


def _says_again(reply: Reply) -> bool | None:
    """Return what a server says of another attempt, in its header or by its status."""
    said = reply.headers.get("x-should-retry", "").strip().lower()
    if said in ("true", "false"):
        return said == "true"
    return True if reply.status in _AGAIN else None
