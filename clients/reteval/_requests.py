"""A call to the service, as a value: built by the modules of its routes, sent elsewhere.

Knows paths, parameters and what comes back; no sockets, no HTTP library.
"""

from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar
from urllib.parse import quote

import msgspec
from msgspec import Struct, field

T_co = TypeVar("T_co", covariant=True)
JSON = "application/json"
JSON_LINES = "application/x-ndjson"


class Part(Struct, frozen=True, kw_only=True):
    """A file of a multipart body."""

    name: str
    filename: str
    content: bytes


class Call(Struct, Generic[T_co], frozen=True, kw_only=True):
    """A request and the type of its answer.

    The body is `content`, or what stands in `file` when it is sent, or `parts`.
    `repeatable`: sending it twice does no harm. `keyed`: it makes something, and goes under an
    idempotency key of its own, so that it can be repeated, too. `extra_s` is how much longer than
    usual the answer may take. `expect` is a struct for JSON, a list of dicts for JSON Lines,
    `bytes` for the body as it is, NoneType for no body.
    """

    method: str
    path: str
    expect: type[T_co]
    params: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    content: bytes | None = None
    file: Path | None = None
    parts: tuple[Part, ...] = ()
    repeatable: bool = False
    keyed: bool = False
    extra_s: float = 0.0

    @property
    def about(self) -> str:
        """Method and path, for messages."""
        return f"{self.method} {self.path}"


class Page(Protocol[T_co]):
    """A page of a list."""

    @property
    def items(self) -> tuple[T_co, ...]:
        """The rows of this page."""

    @property
    def next_cursor(self) -> str | None:
        """Where the next page starts; None on the last."""


P = TypeVar("P", bound=Page[Any])


def next_page(call: Call[P], page: P) -> Call[P] | None:
    """Return the call that continues `call` after `page`, if anything follows."""
    if page.next_cursor is None:
        return None
    return msgspec.structs.replace(call, params={**call.params, "cursor": page.next_cursor})


def segment(text: str) -> str:
    """Quote an id or name for use in a path.

    Raises:
        ValueError: a text that would make the path another one.
    """
    if text in ("", ".", ".."):
        raise ValueError(f"{text!r} is no id or name; pass the id that the service answered")
    return quote(text, safe="")


def get_from(
    path: str,
    expect: type[T_co],
    *,
    accept: str = JSON,
    wait: int | None = None,
    **params: str | int | None,
) -> Call[T_co]:
    """Read from a path; parameters that are None are not sent.

    With `wait`, the service holds its answer for so many seconds.
    """
    return Call(
        method="GET",
        path=path,
        expect=expect,
        params=_sent(params | {"wait": wait}),
        headers={"accept": accept},
        repeatable=True,
        extra_s=float(wait or 0),
    )


def post_to(
    path: str,
    expect: type[T_co],
    document: object = None,
    *,
    wait: int | None = None,
    keyed: bool = False,
) -> Call[T_co]:
    """Post a document to a path as JSON, or nothing; `keyed` where it makes something each time."""
    return Call(
        method="POST",
        path=path,
        expect=expect,
        params=_sent({"wait": wait}),
        headers={"accept": JSON} if document is None else {"content-type": JSON},
        content=None if document is None else msgspec.json.encode(document),
        repeatable=not keyed,
        keyed=keyed,
        extra_s=float(wait or 0),
    )


def put_at(path: str, expect: type[T_co], document: object, **headers: str) -> Call[T_co]:
    """Put a document in the place of what is at a path."""
    return Call(
        method="PUT",
        path=path,
        expect=expect,
        headers={"accept": JSON, "content-type": JSON, **headers},
        content=msgspec.json.encode(document),
        repeatable=True,
    )


def with_key(call: Call[T_co], key: str) -> Call[T_co]:
    """Put a call under an idempotency key, which makes repeating it harmless.

    The service compares bytes: a multipart body has to be delimited alike each time.
    """
    headers = {**call.headers, "idempotency-key": key}
    if call.parts:
        headers["content-type"] = f"multipart/form-data; boundary={key}"
    return msgspec.structs.replace(call, headers=headers, repeatable=True, keyed=False)


def delete_at(path: str) -> Call[None]:
    """Delete what is at a path."""
    return Call(method="DELETE", path=path, expect=type(None), repeatable=True)


def _sent(params: dict[str, str | int | None]) -> dict[str, str]:
    return {name: str(value) for name, value in params.items() if value is not None}
