"""What the status of a reply means: an answer to read, or one failure code."""

from http import HTTPStatus
from typing import Final

from reteval.contract.outcomes import FailureCode
from worker.search.answers import AnswerError
from worker.search.failures import CallError
from worker.search.scrubbing import Scrubber
from worker.search.transport import Reply

_AUTH: Final = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)


def check_status(reply: Reply, scrubber: Scrubber, retry_after: float | None) -> None:
    """Let a 2xx pass.

    Raises:
        CallError: any other status, with a short excerpt of what the endpoint said.
    """
    if HTTPStatus.OK <= reply.status < HTTPStatus.MULTIPLE_CHOICES:
        return
    code = _name_status(reply.status)
    if code is FailureCode.REDIRECT_NOT_FOLLOWED:
        said = "to " + scrubber.clean_location(reply.headers.get("location", "nowhere"))
    else:
        said = scrubber.excerpt(reply.body)
    raise CallError(
        code,
        f"HTTP {reply.status} {said}".strip(),
        http_status=reply.status,
        latency_ms=reply.latency_ms,
        retry_after=retry_after,
    )


def name_answer_error(exc: AnswerError, reply: Reply, scrubber: Scrubber) -> CallError:
    """Turn an unreadable answer into a failure of the call.

    The body decides what is JSON; a content type only names the failure, since many services
    label good JSON as text.
    """
    kind = reply.headers.get("content-type", "")
    code, detail = exc.code, exc.detail
    if code is FailureCode.INVALID_JSON and kind and "json" not in kind.lower():
        code = FailureCode.INVALID_CONTENT_TYPE
        detail = f"the answer is {scrubber.clean(kind)}, not JSON: {scrubber.excerpt(reply.body)}"
    return CallError(
        code,
        scrubber.clean(detail),
        http_status=reply.status,
        latency_ms=reply.latency_ms,
    )


def _name_status(status: int) -> FailureCode:
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return FailureCode.HTTP_5XX
    if status < HTTPStatus.BAD_REQUEST:
        return FailureCode.REDIRECT_NOT_FOLLOWED
    if status in _AUTH:
        return FailureCode.ENDPOINT_AUTH
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return FailureCode.RATE_LIMITED
    return FailureCode.HTTP_4XX
