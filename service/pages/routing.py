"""What every page promises, and how its errors look: the guard is the API's own."""

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlencode

from litestar import Response
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import SkipValidation
from litestar.response import Redirect
from msgspec import Struct

from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditEvent
from service import errors
from service.api.bodies import AnyRequest
from service.api.operations import HTML, PAGES, Access, Answer, Operation, creates, reads
from service.api.problems import INTERNAL, kind_of, log_unexpected, note_denial
from service.core.backend import Backend
from service.errors import ServiceError
from service.pages.rendering import answer_page

Deployed = NamedDependency[SkipValidation[Backend]]
"""The backend in the service of whoever looks."""

SIGN_IN: Final = "/sign-in"
_PAGE: Final = {200: Answer(about="The page", media={HTML: None})}


def shows(
    path: str,
    name: str,
    *,
    scope: Scope | Access,
    shared: str = "",
    query: type[Struct] | None = None,
) -> Callable[[Any], HTTPRouteHandler]:
    """Route GET, and HEAD with it, to the handler of a page; `name` is in logs and metrics."""
    return reads(path, _describe(name, scope=scope, shared=shared, query=query))


def takes(
    path: str, name: str, *, scope: Scope | Access, event: AuditEvent | None = None
) -> Callable[[Any], HTTPRouteHandler]:
    """Route POST to the handler of a form, which leads on once `event` has happened."""
    return creates(path, _describe(name, scope=scope, event=event))


def lead_to(path: str, **parameters: str) -> Response[Any]:
    """Lead the browser on, as after a form was taken."""
    query = f"?{urlencode(parameters)}" if parameters else ""
    return Redirect(path + query, status_code=303)


def show_service_error(request: AnyRequest, exc: ServiceError) -> Response[Any]:
    """Show what the service tells a client; who has no key is led to where one can be given."""
    if isinstance(exc, errors.UnauthorizedError) and request.method in ("GET", "HEAD"):
        return lead_to(SIGN_IN, next=find_address(request))
    note_denial(request, exc)
    kind = INTERNAL if type(exc) is ServiceError else kind_of(type(exc))
    return answer_page(
        request,
        "error.html",
        status=kind.status,
        title=kind.title,
        code=kind.code,
        detail=exc.detail,
        items=exc.errors,
    )


def show_unexpected(request: AnyRequest, exc: Exception) -> Response[Any]:
    """Show that something failed which nobody foresaw; the log has it."""
    detail = log_unexpected(request, exc)
    return answer_page(
        request,
        "error.html",
        status=INTERNAL.status,
        title=INTERNAL.title,
        code=INTERNAL.code,
        detail=detail,
        items=(),
    )


def find_address(request: AnyRequest) -> str:
    """Return the path and the query that were asked for."""
    query = request.scope["query_string"].decode("ascii", "replace")
    path = request.scope["raw_path"].decode("ascii", "replace")
    return f"{path}?{query}" if query else path


def _describe(
    name: str,
    *,
    scope: Scope | Access,
    shared: str = "",
    query: type[Struct] | None = None,
    event: AuditEvent | None = None,
) -> Operation:
    return Operation(
        id=name,
        tag=PAGES,
        scope=scope,
        shared=shared,
        query=query,
        event=event,
        summary=name,
        answers=_PAGE,
    )
