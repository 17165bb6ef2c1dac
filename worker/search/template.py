"""From an endpoint's description to requests: placeholders filled in, nothing sent.

The description is compiled once into ready pieces of text. Filling in joins those pieces with
the encoded query, so a query that itself holds `{{query}}` or `{{k}}` is never expanded again.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import quote, quote_plus

import httpx
import msgspec
from msgspec import UNSET, Struct

from reteval.contract.runs import Endpoint, Method
from service.egress import check_headers

_PLACEHOLDER: Final = re.compile(r"(\{\{(?:query|k)\}\})")
_QUERY: Final = "{{query}}"
_K: Final = "{{k}}"
_DEFAULT: Final = {"query": _QUERY, "top_k": _K}
_JSON_TYPE: Final = "application/json"
_FORM_TYPE: Final = "application/x-www-form-urlencoded"

Encode = Callable[[str], str]
Scalar = str | int | float | bool


class Prepared(Struct, frozen=True):
    """A request ready to be sent."""

    method: str
    url: httpx.URL
    headers: httpx.Headers
    body: bytes | None


class _Slot(Struct, frozen=True):
    """The place of a placeholder; `encode` writes the query for where it stands."""

    name: str
    encode: Encode


Piece = str | _Slot


class Template(Struct, frozen=True, kw_only=True):
    """A compiled endpoint. `url` and `headers` are fixed where no placeholder is in them."""

    method: str
    url: tuple[Piece, ...]
    headers: tuple[tuple[str, tuple[Piece, ...]], ...]
    body: tuple[Piece, ...] | None
    fixed_url: httpx.URL | None
    fixed_headers: httpx.Headers | None

    @classmethod
    def compile(cls, endpoint: Endpoint, *, headers: Mapping[str, str] | None = None) -> "Template":
        """Compile an endpoint; `headers` are sent unless the endpoint has its own of that name.

        Where nothing mentions `{{query}}`, the default protocol fills in: `query` and `top_k`
        as parameters of a GET, else as a JSON body. In the URL, parameters and headers the
        query is percent-encoded UTF-8. A query of `.` or `..` alone cannot stand between two
        slashes of a path, where URLs give it another meaning: use a parameter.

        Raises:
            ValueError: both body and form, a placeholder in the host, a header that may not be
                sent, or a body or form that leaves the query nowhere to stand.
        """
        check_headers(endpoint.headers)
        params, body, form = _with_default(endpoint)
        url = _compile_url(endpoint.url, params)
        content_type = {} if body is form is UNSET else {"Content-Type": _JSON_TYPE}
        if form is not UNSET:
            content_type = {"Content-Type": _FORM_TYPE}
        lines = _compile_headers(
            [{"Accept": _JSON_TYPE, **content_type}, headers or {}, endpoint.headers]
        )
        return cls(
            method=endpoint.method.value,
            url=url,
            headers=lines,
            body=_compile_body(body, form),
            fixed_url=None if _slots(url) else httpx.URL(_join(url, "", 0)),
            fixed_headers=None if any(_slots(value) for _, value in lines) else _fill(lines, "", 0),
        )

    def render(self, query: str, k: int) -> Prepared:
        """Fill in one query and the number of hits asked for."""
        return Prepared(
            self.method,
            self.fixed_url or httpx.URL(_join(self.url, query, k)),
            self.fixed_headers or _fill(self.headers, query, k),
            None if self.body is None else _join(self.body, query, k).encode(),
        )


def _with_default(endpoint: Endpoint) -> tuple[dict[str, Scalar], Any, Any]:
    params, body, form = endpoint.params, endpoint.body, endpoint.form
    if body is not UNSET and form is not UNSET:
        raise ValueError("an endpoint has a body or a form, not both; leave one out")
    places = (endpoint.url, params, endpoint.headers, body, form)
    if any(_mentions_query(place) for place in places):
        return params, body, form
    if body is not UNSET or form is not UNSET:
        raise ValueError(f"the query would not be sent: put {_QUERY} where it belongs")
    if endpoint.method is Method.GET:
        return {**_DEFAULT, **params}, body, form
    return params, dict(_DEFAULT), form


def _mentions_query(node: object) -> bool:
    if isinstance(node, str):
        return _QUERY in node
    if isinstance(node, dict):
        return any(_mentions_query(value) for value in node.values())
    return isinstance(node, list) and any(_mentions_query(value) for value in node)


def _compile_url(url: str, params: Mapping[str, Scalar]) -> tuple[Piece, ...]:
    if _PLACEHOLDER.search("/".join(url.split("/", 3)[:3]).partition("?")[0]):
        raise ValueError("the URL's host is fixed: placeholders belong in its path or query")
    pieces = _cut(url, _percent, str)
    mark = "&" if "?" in url else "?"
    for name, value in params.items():
        pieces += [f"{mark}{_percent(name)}=", *_cut(_text(value), _percent, _percent)]
        mark = "&"
    return _merge(pieces)


def _compile_headers(
    layers: list[Mapping[str, str]],
) -> tuple[tuple[str, tuple[Piece, ...]], ...]:
    """Later layers win over earlier ones, whatever the case of their names."""
    merged: dict[str, tuple[str, str]] = {}
    for layer in layers:
        merged.update({name.lower(): (name, value) for name, value in layer.items()})
    return tuple((name, _merge(_cut(value, _percent, str))) for name, value in merged.values())


def _compile_body(body: Any, form: Any) -> tuple[Piece, ...] | None:
    if form is not UNSET:
        pieces: list[Piece] = []
        for name, value in form.items():
            pieces += ["&" if pieces else "", quote_plus(name), "="]
            pieces += _cut(_text(value), quote_plus, quote_plus)
        return _merge(pieces)
    return None if body is UNSET else _merge(_compile_json(body))


def _compile_json(node: Any) -> list[Piece]:
    if isinstance(node, dict):
        pieces: list[Piece] = ["{"]
        for index, (key, value) in enumerate(node.items()):
            pieces += ["," if index else "", _json(key), ":", *_compile_json(value)]
        return [*pieces, "}"]
    if isinstance(node, list):
        pieces = ["["]
        for index, value in enumerate(node):
            pieces += ["," if index else "", *_compile_json(value)]
        return [*pieces, "]"]
    if node == _K:
        return [_Slot(_K, str)]
    if isinstance(node, str):
        return ['"', *_cut(node, _json_inner, _json_inner), '"']
    return [_json(node)]


def _cut(text: str, encode: Encode, literal: Encode) -> list[Piece]:
    """Cut a text at its placeholders; the rest goes through `literal`."""
    return [
        _Slot(part, encode) if part in (_QUERY, _K) else literal(part)
        for part in _PLACEHOLDER.split(text)
    ]


def _merge(pieces: list[Piece]) -> tuple[Piece, ...]:
    """Join neighbouring texts, so that filling in touches as few pieces as possible."""
    merged: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, str) and merged and isinstance(merged[-1], str):
            merged[-1] += piece
        elif piece != "":
            merged.append(piece)
    return tuple(merged)


def _slots(pieces: tuple[Piece, ...]) -> bool:
    return any(isinstance(piece, _Slot) for piece in pieces)


def _join(pieces: tuple[Piece, ...], query: str, k: int) -> str:
    return "".join(
        [
            piece
            if isinstance(piece, str)
            else piece.encode(query)
            if piece.name == _QUERY
            else str(k)
            for piece in pieces
        ]
    )


def _fill(lines: tuple[tuple[str, tuple[Piece, ...]], ...], query: str, k: int) -> httpx.Headers:
    return httpx.Headers([(name, _join(value, query, k)) for name, value in lines])


def _text(value: Scalar) -> str:
    return value if isinstance(value, str) else _json(value)


def _percent(text: str) -> str:
    return quote(text, safe="")


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _json_inner(text: str) -> str:
    return _json(text)[1:-1]
