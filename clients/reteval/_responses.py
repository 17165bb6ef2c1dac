"""Reading answers: the type that was asked for, or an error that says what came instead.

Answers may come from anything between here and the service, so nothing about a body is taken
on trust. No sockets, no HTTP library.
"""

import re
from collections.abc import Mapping
from http import HTTPStatus
from types import NoneType
from typing import Any, Final, TypeVar, cast

import msgspec
from msgspec import Struct

from reteval._growth import decode
from reteval._requests import Call
from reteval.contract.gates import EXIT_CODE_HEADER, EXIT_CODES, GatePending
from reteval.contract.problems import ProblemItem
from reteval.errors import Refusal, ResponseError, UnreadableResponseError, refused

T = TypeVar("T")
EXCERPT_CHARS: Final = 120
FIRST_ERROR: Final = 400


class Reply(Struct, frozen=True, kw_only=True):
    """An answer as it came; header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Problem(Struct, frozen=True, kw_only=True):
    """Problem details as far as they are there; codes of later releases included."""

    code: str
    title: str = ""
    detail: str = ""
    instance: str = ""
    errors: tuple[ProblemItem, ...] = ()
    retryable: bool = False


def read(call: Call[T], reply: Reply) -> T:
    """Turn an answer into what the call expects.

    Raises:
        ResponseError: a status of 400 or more, in the class that fits it.
        UnreadableResponseError: any other answer that the call does not expect.
    """
    if reply.status >= FIRST_ERROR:
        raise refusal_of(call, reply)
    if not HTTPStatus.OK <= reply.status < HTTPStatus.MULTIPLE_CHOICES:
        raise _unreadable(call, reply, _why_not_a_success(reply))
    expect: Any = call.expect
    if expect is NoneType:
        return cast("T", None)
    if expect is bytes:
        return cast("T", reply.body)
    if not reply.body:
        raise _unreadable(call, reply, "the answer is empty where a document was expected")
    try:
        return cast("T", _decode(reply.body, expect))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as exc:
        why = f"the answer cannot be read ({exc}); it is {_describe(reply)}"
        raise _unreadable(call, reply, why) from exc


def read_verdict(call: Call[T], reply: Reply) -> tuple[T, int] | GatePending:
    """Turn the answer of a gate into its verdict and exit code, or what it waits for.

    Raises:
        ResponseError, UnreadableResponseError: as `read`; a verdict has to say its exit code.
    """
    if reply.status == HTTPStatus.ACCEPTED:
        waits = cast("Call[GatePending]", msgspec.structs.replace(call, expect=GatePending))
        return read(waits, reply)
    verdict = read(call, reply)
    sent = reply.headers.get(EXIT_CODE_HEADER.lower(), "")
    if sent not in map(str, EXIT_CODES.values()):
        raise _unreadable(call, reply, f"a verdict with the exit code {sent!r}")
    return verdict, int(sent)


def refusal_of(call: Call[object], reply: Reply) -> ResponseError:
    """Return the error of an answer of 400 or more, whoever wrote it."""
    problem = problem_of(reply)
    if problem is None:
        return refused(
            Refusal(
                request=call.about,
                status=reply.status,
                code=None,
                detail=f"not an answer of the service but {_describe(reply)}",
                request_id=reply.headers.get("x-request-id"),
            )
        )
    texts = dict.fromkeys(text for text in (problem.title, problem.detail) if text)
    return refused(
        Refusal(
            request=call.about,
            status=reply.status,
            code=problem.code,
            detail=": ".join(texts),
            request_id=reply.headers.get("x-request-id") or problem.instance or None,
            errors=problem.errors,
            retryable=problem.retryable,
        )
    )


def problem_of(reply: Reply) -> Problem | None:
    """Return the problem details of an answer, None where it has none."""
    try:
        return msgspec.json.decode(reply.body, type=Problem)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _decode(body: bytes, expect: Any) -> Any:
    if expect == list[dict[str, Any]]:
        return msgspec.json.Decoder(dict[str, Any]).decode_lines(body)
    return decode(body, expect)


def _unreadable(call: Call[object], reply: Reply, why: str) -> UnreadableResponseError:
    return UnreadableResponseError(
        Refusal(
            request=call.about,
            status=reply.status,
            code=None,
            detail=why,
            request_id=reply.headers.get("x-request-id"),
        )
    )


def _why_not_a_success(reply: Reply) -> str:
    location = reply.headers.get("location")
    if location:
        return f"a redirect to {location!r}, which is not followed; use that address as the url"
    return "neither an answer nor an error; something between here and the service interferes"


def _describe(reply: Reply) -> str:
    kind = reply.headers.get("content-type", "").partition(";")[0] or "of no declared type"
    text = reply.body[: 8 * EXCERPT_CHARS].decode("utf-8", errors="replace")
    words = " ".join(re.sub(r"<[^>]*>", " ", text).split())
    if not words:
        return f"an empty body ({kind})"
    more = "..." if len(words) > EXCERPT_CHARS else ""
    return f"{len(reply.body)} bytes ({kind}) that begin {words[:EXCERPT_CHARS] + more!r}"
