"""Generates the OpenAPI 3.1 document from the operations beside the handlers."""

import re
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import Any, Final

import msgspec
from litestar.handlers import HTTPRouteHandler
from litestar.routes import BaseRoute, HTTPRoute
from msgspec import Struct

from reteval.contract.api_keys import Scope
from reteval.contract.grants import SHARE_HEADER, SHARE_PARAMETER
from reteval.contract.problems import Problem
from service import errors
from service.api.examples import read_examples
from service.api.idempotency import HEADER as KEY_HEADER
from service.api.idempotency import KEY
from service.api.openapi_links import describe_links, refer_links
from service.api.openapi_problems import (
    describe_headers,
    describe_problem_examples,
    describe_problems,
    refer_headers,
)
from service.api.operations import (
    JSON,
    OPERATION,
    PAGES,
    Access,
    Answer,
    Operation,
    kinds_of,
    opens_by_link,
)
from service.api.problems import BAD_REQUEST, INTERNAL, ErrorKind, kind_of

PREFIX: Final = "/v1"
_REF: Final = "#/components/schemas/{name}"
_EXAMPLE: Final = "#/components/examples/{name}"
_PATH_PARAMETER: Final = re.compile(r"\{(?P<name>\w+)(?::\w+)?\}")
_GUARDED: Final = (
    errors.KeyInUrlError,
    errors.UnauthorizedError,
    errors.RateLimitedError,
    errors.QuotaExceededError,
    errors.StoreUnavailableError,
)
_SECURITY: Final = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "An API key."},
    "share": {
        "type": "apiKey",
        "in": "header",
        "name": SHARE_HEADER,
        "description": f"A link's token; `?{SHARE_PARAMETER}=` does the same.",
    },
}
_BODIED: Final = (
    errors.MalformedTextError,
    errors.TooSlowError,
    errors.TooLargeError,
    errors.UnsupportedMediaTypeError,
)
_TEXT: Final = {"type": "string"}
_HEADERS: Final[dict[str, Any]] = {
    KEY_HEADER: {"schema": {"type": "string", "pattern": f"^({KEY.pattern})$"}},
    "If-Match": {"required": True, "schema": {"type": "string", "minLength": 1}},
}

Document = dict[str, Any]


class Described(Struct, frozen=True):
    """A method of a path with its operation."""

    path: str
    method: str
    operation: Operation


def describe(routes: Sequence[BaseRoute]) -> Document:
    """Return the OpenAPI document of an application's routes."""
    found = sorted(list_operations(routes), key=lambda one: (one.path, one.method))
    refs, components = _schemas(found)
    links = describe_links((one.path, one.operation.id) for one in found)
    paths: dict[str, Document] = {}
    for one in found:
        entry = paths.setdefault(one.path, {})[one.method] = _operation(one, refs)
        if one.method == "post":
            _link(entry, one.operation, links)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "reteval",
            "version": version("reteval-service"),
            "description": "Retrieval evaluation as a service. Errors are RFC 9457 problem details "
            "with a stable `code`; every GET route answers HEAD, too.",
        },
        "paths": paths,
        "components": {
            "schemas": dict(sorted(components.items())),
            "headers": describe_headers(),
            "links": links,
            "examples": {**_examples(refs), **describe_problem_examples()},
            "securitySchemes": _SECURITY,
        },
    }


def list_operations(routes: Sequence[BaseRoute]) -> Iterator[Described]:
    """Yield each documented method of each route; HEAD goes without saying."""
    return (one for one in _list(routes) if one.operation.tag != PAGES)


def list_pages(routes: Sequence[BaseRoute]) -> Iterator[Described]:
    """Yield each page and each form, which are for people and not documented here."""
    return (one for one in _list(routes) if one.operation.tag == PAGES)


def _list(routes: Sequence[BaseRoute]) -> Iterator[Described]:
    for route in routes:
        if not isinstance(route, HTTPRoute):
            continue
        for handler in route.route_handlers:
            operation = _read_operation(handler)
            if operation is not None:
                path = _PATH_PARAMETER.sub(r"{\g<name>}", route.path_format)
                method = next(str(name) for name in sorted(handler.http_methods) if name != "HEAD")
                yield Described(path, method.lower(), operation)


def _read_operation(handler: HTTPRouteHandler) -> Operation | None:
    found = handler.opt.get(OPERATION)
    return found if isinstance(found, Operation) else None


def _schemas(found: Sequence[Described]) -> tuple[dict[Any, Document], dict[str, Document]]:
    """Return the reference of each struct in use, and the schemas they refer to."""
    kinds: dict[Any, None] = {Problem: None}
    for one in found:
        media = [answer.media for answer in one.operation.answers.values()]
        for table in (*media, one.operation.body):
            kinds.update((kind, None) for kind in kinds_of(table))
    references, components = msgspec.json.schema_components(tuple(kinds), ref_template=_REF)
    return dict(zip(kinds, references, strict=True)), components


def _operation(one: Described, refs: dict[Any, Document]) -> Document:
    operation = one.operation
    entry: Document = {
        "operationId": operation.id,
        "tags": [operation.tag],
        "summary": operation.summary,
    }
    about = " ".join(filter(None, (operation.about, _needs(operation))))
    if about:
        entry["description"] = about
    parameters = [*_path_parameters(one.path), *_query_parameters(operation), *_headers(operation)]
    if parameters:
        entry["parameters"] = parameters
    if operation.body:
        entry["requestBody"] = {
            "required": True,
            "content": _content(operation, operation.body, refs),
        }
    entry["responses"] = {
        **{
            str(status): _answer(operation, answer, refs)
            for status, answer in operation.answers.items()
        },
        **describe_problems(_errors_of(one), refs[Problem]),
    }
    if operation.scope is not Access.OPEN:
        ways = ("bearer", "share") if opens_by_link(operation) else ("bearer",)
        entry["security"] = [*({way: []} for way in ways), {}]
    return entry


def _needs(operation: Operation) -> str:
    return f"Scope: `{operation.scope}`." if isinstance(operation.scope, Scope) else ""


def _link(entry: Document, operation: Operation, links: Document) -> None:
    """Say what can be done with what was made."""
    for status, answer in operation.answers.items():
        if led := refer_links(kinds_of(answer.media), links):
            entry["responses"][str(status)]["links"] = led


def _errors_of(one: Described) -> list[ErrorKind]:
    """Return what a route may answer in trouble: its own errors, and those of every route."""
    guards = () if one.operation.scope is Access.OPEN else _GUARDED
    scoped = (errors.ForbiddenError,) if isinstance(one.operation.scope, Scope) else ()
    bodied = _BODIED if one.operation.body else ()
    usual = (*guards, *scoped, *bodied, errors.NotAcceptableError)
    kinds = dict.fromkeys((*one.operation.errors, *usual))
    return [BAD_REQUEST, *map(kind_of, kinds), INTERNAL]


def _path_parameters(path: str) -> Iterator[Document]:
    for match in _PATH_PARAMETER.finditer(path):
        yield {"name": match["name"], "in": "path", "required": True, "schema": {"type": "string"}}


def _query_parameters(operation: Operation) -> Iterator[Document]:
    if operation.query is None:
        return
    _, components = msgspec.json.schema_components([operation.query], ref_template=_REF)
    schema = components[operation.query.__name__]
    for name, properties in schema["properties"].items():
        shape = _inline(dict(properties), components)
        about = shape.pop("description", None)
        yield {
            "name": name,
            "in": "query",
            "required": name in schema.get("required", ()),
            **({"description": about} if about else {}),
            "schema": shape,
        }


def _inline(shape: Document, components: dict[str, Document]) -> Document:
    """Put an enum in the place of its reference; null is not something a query can say."""
    options = [option for option in shape.get("anyOf", [shape]) if option != {"type": "null"}]
    name = options[0].get("$ref", "").rpartition("/")[2]
    if not name:
        return shape
    return {"type": "string", "enum": components[name]["enum"]}


def _headers(operation: Operation) -> Iterator[Document]:
    for name, about in operation.headers.items():
        entry = {"name": name, "in": "header", "description": about, "schema": _TEXT}
        yield {**entry, **_HEADERS.get(name, {})}


def _answer(operation: Operation, answer: Answer, refs: dict[Any, Document]) -> Document:
    own = {
        name: {"description": about, "schema": {"type": "string"}}
        for name, about in answer.headers.items()
    }
    entry: Document = {"description": answer.about, "headers": refer_headers() | own}
    if answer.media:
        entry["content"] = _content(operation, answer.media, refs)
    return entry


def _content(operation: Operation, media: dict[str, Any], refs: dict[Any, Document]) -> Document:
    return {
        name: {
            "schema": {} if name == JSON else _TEXT,
            "example": read_examples()[f"{operation.id} {name}"],
        }
        if kind is None
        else _form(kinds_of({name: kind}), refs)
        for name, kind in media.items()
    }


def _form(kinds: Sequence[Any], refs: dict[Any, Document]) -> Document:
    if len(kinds) == 1:
        example = {"$ref": _EXAMPLE.format(name=kinds[0].__name__)}
        return {"schema": refs[kinds[0]], "examples": {"one": example}}
    return {
        "schema": {"anyOf": [refs[kind] for kind in kinds]},
        "examples": {
            kind.__name__: {"$ref": _EXAMPLE.format(name=kind.__name__)} for kind in kinds
        },
    }


def _examples(refs: dict[Any, Document]) -> Document:
    return {
        name: {"value": read_examples()[name]}
        for name in sorted(kind.__name__ for kind in refs if kind is not Problem)
    }
