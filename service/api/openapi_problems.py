"""The OpenAPI text of errors: each code once, with its headers and an example."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from reteval.contract.problems import Problem, ProblemItem
from service.api.problems import PROBLEM_JSON, ErrorKind, error_kinds

_POINTED: Final = {422: ProblemItem(pointer="/queries/0", message="what is wrong", fix="The cure.")}
_ID: Final = "urn:reteval:request:5f2c1a9e0b7d4c3fa1e88d6b0c94e7f2"
_HEADERS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "X-Request-Id": (
        "The caller's id of the request where it sent a well-formed one, else a new one.",
        {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"},
    ),
    "Retry-After": ("Seconds until it is worth trying again.", {"type": "integer", "minimum": 1}),
    "WWW-Authenticate": ("How to send a key.", {"type": "string"}),
    "Accept-Encoding": ("The encodings of a body that are read.", {"type": "string"}),
}

Document = dict[str, Any]


def describe_headers() -> Document:
    """Return the headers that answers of many routes carry."""
    return {
        name: {"description": about, "schema": schema} for name, (about, schema) in _HEADERS.items()
    }


def refer_headers(*names: str) -> Document:
    """Return references to headers, that of the request's id first."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in ("X-Request-Id", *names)}


def describe_problem_examples() -> Document:
    """Return an example of each code."""
    return {f"problem-{kind.code}": {"value": _example(kind)} for kind in error_kinds()}


def describe_problems(kinds: Sequence[ErrorKind], shape: Document) -> Document:
    """Group errors by status, each status naming its codes."""
    by_status: dict[int, list[ErrorKind]] = {}
    for kind in sorted(kinds, key=lambda kind: kind.status):
        by_status.setdefault(kind.status, []).append(kind)
    return {str(status): _answer(status, rows, shape) for status, rows in by_status.items()}


def _answer(status: int, kinds: Sequence[ErrorKind], shape: Document) -> Document:
    headers = ["Retry-After"] if any(kind.retryable for kind in kinds) else []
    headers += {401: ["WWW-Authenticate"], 415: ["Accept-Encoding"]}.get(status, [])
    examples = {
        str(kind.code): {"$ref": f"#/components/examples/problem-{kind.code}"} for kind in kinds
    }
    return {
        "description": " ".join(f"`{kind.code}`: {kind.title}." for kind in kinds),
        "headers": refer_headers(*headers),
        "content": {PROBLEM_JSON: {"schema": shape, "examples": examples}},
    }


def _example(kind: ErrorKind) -> Any:
    item = _POINTED.get(kind.status)
    return msgspec.to_builtins(
        Problem(
            type=f"/docs#error-{kind.code}",
            title=kind.title,
            status=kind.status,
            detail=kind.about,
            code=kind.code,
            instance=_ID,
            errors=(item,) if item else (),
            retryable=kind.retryable,
        )
    )
