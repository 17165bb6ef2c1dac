"""Turns every error into one `application/problem+json` shape; internals stay inside."""

import errno
from http import HTTPStatus
from typing import Any, Final

import msgspec
import structlog
from litestar import Request, Response
from litestar.exceptions import HTTPException
from msgspec import Struct

from reteval.contract.problems import ErrorCode, Problem, ProblemItem
from reteval.contract.quotas import QuotaRefusal
from service import errors
from service.api.bodies import ENCODINGS
from service.api.envelope import request_id
from service.errors import ServiceError

PROBLEM_JSON: Final = "application/problem+json"
_RETRY_AFTER_S: Final = 1
_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

_log = structlog.get_logger("reteval.api")


class ErrorKind(Struct, frozen=True, kw_only=True):
    """A row of the error table: everything about a code that never varies."""

    code: ErrorCode
    status: int
    title: str
    retryable: bool
    about: str


DENIED: Final = "egress_denied"
"""Where an answered refusal to call an address lies, in the state of the request."""


def error_kinds() -> tuple[ErrorKind, ...]:
    """Return the table of all error codes, by status."""
    kinds = [BAD_REQUEST, METHOD_NOT_ALLOWED, INTERNAL]
    kinds += [kind_of(kind) for kind in ServiceError.__subclasses__()]
    return tuple(sorted(kinds, key=lambda kind: (kind.status, kind.code)))


def answer_service_error(request: "Request[Any, Any, Any]", exc: ServiceError) -> Response[bytes]:
    """Answer an error that the service raised on purpose."""
    kind = INTERNAL if type(exc) is ServiceError else kind_of(type(exc))
    headers = {}
    if exc.retryable or exc.retry_after_s is not None:
        headers["Retry-After"] = str(exc.retry_after_s or _RETRY_AFTER_S)
    if isinstance(exc, errors.UnauthorizedError):
        headers["WWW-Authenticate"] = 'Bearer realm="reteval"'
    note_denial(request, exc)
    if isinstance(exc, errors.UnsupportedMediaTypeError):
        headers["Accept-Encoding"] = ", ".join(ENCODINGS)
    return _answer(request, kind, exc.detail, items=exc.errors, headers=headers, quota=exc.quota)


def note_denial(request: "Request[Any, Any, Any]", exc: ServiceError) -> None:
    """Leave a refusal to call an address for the audit log."""
    if isinstance(exc, errors.EndpointNotAllowedError):
        request.scope["state"][DENIED] = exc


def answer_http_exception(request: "Request[Any, Any, Any]", exc: HTTPException) -> Response[bytes]:
    """Answer an error of the framework: no such route, wrong method, broken request."""
    if exc.status_code == HTTPStatus.NOT_FOUND:
        return _answer(request, kind_of(errors.NotFoundError), "There is no such route.")
    if exc.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = sorted(_allowed(exc))
        detail = f"This route answers {', '.join(allowed)}."
        return _answer(request, METHOD_NOT_ALLOWED, detail, headers={"Allow": ", ".join(allowed)})
    if exc.status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
        return _answer(request, BAD_REQUEST, exc.detail or "The request cannot be read.")
    return answer_unexpected(request, exc)


def answer_unexpected(request: "Request[Any, Any, Any]", exc: Exception) -> Response[bytes]:
    """Answer an error that nobody foresaw; the log has it, the client gets its id.

    That a disk is full may be found wherever something large is put aside.
    """
    if isinstance(exc, OSError) and exc.errno in _NO_ROOM:
        _log.error("request.no_room", request_id=request_id(request.scope), exc_info=exc)
        return answer_service_error(request, errors.no_room())
    return _answer(request, INTERNAL, log_unexpected(request, exc))


def log_unexpected(request: "Request[Any, Any, Any]", exc: Exception) -> str:
    """Log an error that nobody foresaw, and return what the client is told of it."""
    _log.error("request.failed", request_id=request_id(request.scope), exc_info=exc)
    return "The service failed; the operator's log has the cause under this request's id."


def _answer(
    request: "Request[Any, Any, Any]",
    kind: ErrorKind,
    detail: str,
    *,
    items: tuple[ProblemItem, ...] = (),
    headers: dict[str, str] | None = None,
    quota: QuotaRefusal | None = None,
) -> Response[bytes]:
    problem = Problem(
        type=f"/docs#error-{kind.code}",
        title=kind.title,
        status=kind.status,
        detail=detail,
        code=kind.code,
        instance=f"urn:reteval:request:{request_id(request.scope)}",
        errors=items,
        retryable=kind.retryable,
        quota=quota,
    )
    return Response(
        msgspec.json.encode(problem),
        status_code=kind.status,
        media_type=PROBLEM_JSON,
        headers=headers,
    )


def _allowed(exc: HTTPException) -> list[str]:
    listed = (exc.headers or {}).get("allow", "")
    return [method.strip() for method in listed.split(",") if method.strip()]


def kind_of(error: type[ServiceError]) -> ErrorKind:
    """Return an error's row of the table."""
    return ErrorKind(
        code=error.code,
        status=int(error.status),
        title=error.title,
        retryable=error.retryable,
        about=(error.__doc__ or "").strip(),
    )


BAD_REQUEST: Final = ErrorKind(
    code=ErrorCode.BAD_REQUEST,
    status=400,
    title="The request cannot be read",
    retryable=False,
    about="A header, form or address that cannot be read.",
)
METHOD_NOT_ALLOWED: Final = ErrorKind(
    code=ErrorCode.METHOD_NOT_ALLOWED,
    status=405,
    title="The route does not answer this method",
    retryable=False,
    about="The `Allow` header lists the methods of the route.",
)
INTERNAL: Final = ErrorKind(
    code=ErrorCode.INTERNAL,
    status=500,
    title="Internal error",
    retryable=False,
    about="A defect of the service; report it with the request id.",
)
