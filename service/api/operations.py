"""What a route promises: parameters, bodies, answers and errors, kept beside its handler.

The OpenAPI document is generated from these, and nothing else describes the API.
"""

from collections.abc import Callable, Sequence
from enum import Enum
from http import HTTPStatus
from typing import Any, Final

from litestar import route
from litestar.enums import HttpMethod
from litestar.handlers import HTTPRouteHandler
from litestar.types import Scope as ASGIScope
from msgspec import Struct

from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditEvent
from service.api.sharing import try_grants
from service.core.grants import RUN
from service.errors import ServiceError

OPERATION: Final = "operation"
PAGES: Final = "pages"
"""The tag of routes for people, which the API's description leaves out."""
JSON: Final = "application/json"
JSON_LINES: Final = "application/x-ndjson"
CSV: Final = "text/csv"
MULTIPART: Final = "multipart/form-data"
TSV: Final = "text/tab-separated-values"
ZIP: Final = "application/zip"
GZIP: Final = "application/gzip"
PARQUET: Final = "application/vnd.apache.parquet"
HTML: Final = "text/html"
BINARY: Final = "application/octet-stream"
YAML: Final = "application/yaml"
XML: Final = "application/xml"
TEXT: Final = "text/plain"
MARKDOWN: Final = "text/markdown"
EVENTS: Final = "text/event-stream"


class Answer(Struct, frozen=True, kw_only=True):
    """A successful answer: `media` maps each media type to a struct, or None for plain text.

    A tuple of structs is one or another of them, by what was asked.
    """

    about: str
    media: dict[str, Any] = {}
    headers: dict[str, str] = {}


class Access(Enum):
    """What a route needs that asks for no scope."""

    OPEN = "nothing"
    ANY_KEY = "any valid key"


class Operation(Struct, frozen=True, kw_only=True):
    """One method of one path. `query` is a struct whose fields are the query parameters.

    `scope` is what a key needs to have. `shared` is the path parameter whose object may be
    another team's; `event` is what the audit log calls it where it succeeds. `kept` is the part of
    a run that the answer shows, where it is kept once it cannot change.
    """

    id: str
    tag: str
    scope: Scope | Access
    shared: str = ""
    event: AuditEvent | None = None
    kept: str = ""
    summary: str
    about: str = ""
    answers: dict[int, Answer]
    query: type[Struct] | None = None
    headers: dict[str, str] = {}
    body: dict[str, Any] = {}
    errors: tuple[type[ServiceError], ...] = ()


def kinds_of(media: dict[str, Any]) -> list[Any]:
    """Return the structs that a body or an answer may be."""
    return [
        one
        for kind in media.values()
        if kind is not None
        for one in (kind if isinstance(kind, tuple) else (kind,))
    ]


def find_operation(scope: ASGIScope) -> Operation | None:
    """Return what a request was routed to; None where no route fits, or it is not ours."""
    handler: Any = scope.get("route_handler")
    operation = None if handler is None else handler.opt.get(OPERATION)
    return operation if isinstance(operation, Operation) else None


def opens_by_link(operation: Operation) -> bool:
    """Whether the token of a link to a run is enough for an operation."""
    return operation.shared == RUN


def reads(path: str, operation: Operation) -> Callable[[Any], HTTPRouteHandler]:
    """Route GET, and HEAD with it, to a handler."""
    return _routed(path, [HttpMethod.GET, HttpMethod.HEAD], operation)


def creates(path: str, operation: Operation) -> Callable[[Any], HTTPRouteHandler]:
    """Route POST to a handler."""
    return _routed(path, [HttpMethod.POST], operation)


def replaces(path: str, operation: Operation) -> Callable[[Any], HTTPRouteHandler]:
    """Route PUT to a handler."""
    return _routed(path, [HttpMethod.PUT], operation)


def deletes(path: str, operation: Operation) -> Callable[[Any], HTTPRouteHandler]:
    """Route DELETE to a handler."""
    return _routed(path, [HttpMethod.DELETE], operation)


def _routed(
    path: str, methods: Sequence[HttpMethod], operation: Operation
) -> Callable[[Any], HTTPRouteHandler]:
    routed = route(
        path,
        http_method=methods,
        name=operation.id,
        operation_id=operation.id,
        status_code=HTTPStatus.OK,
        opt={OPERATION: operation},
    )
    if not operation.shared:
        return routed
    return lambda handler: routed(try_grants(handler, operation.shared))
