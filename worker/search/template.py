"""From an endpoint's description to requests: placeholders filled in, nothing sent."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from msgspec import UNSET, Struct
from multidict import CIMultiDict, istr
from yarl import URL

from reteval.contract.endpoints import FIELD, Endpoint, Fields, Method, Scalar
from reteval.contract.outcomes import Outcome
from service.egress import check_headers
from worker.search.placeholders import (
    QUERY,
    QUERY_ID,
    K,
    Layout,
    Piece,
    Value,
    Values,
    cut,
    cut_json,
    fill,
    find_names,
    has_slots,
    merge,
    percent,
    plus,
    to_text,
)

_DEFAULT: Final = {"query": "{{query}}", "top_k": "{{k}}"}
_JSON_TYPE: Final = "application/json"
_FORM_TYPE: Final = "application/x-www-form-urlencoded"
_DOTS: Final = (".", "..")


class UnsendableError(Exception):
    """A query that cannot be put into the request as it is; the text says why."""


class Ask(Struct, frozen=True, kw_only=True):
    """What is searched for: a text, the id of its query, and the query's fields.

    `compare` is given the texts of the first hits, where they have any, and notes in the outcome
    how much of the query is in them. A hit without one has None. `keep` is given the text of each
    document of the answer that has one, by its id. Nothing else sees them.
    """

    text: str
    id: str = ""
    fields: Fields = {}
    compare: Callable[[Outcome, Sequence[str | None]], Outcome] | None = None
    keep: Callable[[Mapping[str, str]], None] | None = None


class Prepared(Struct, frozen=True):
    """A request ready to be sent."""

    method: str
    url: URL
    headers: CIMultiDict[str]
    body: bytes | None


class Template(Struct, frozen=True, kw_only=True):
    """A compiled endpoint. `url` and `headers` are fixed where no placeholder is in them."""

    method: str
    url: Layout
    headers: tuple[tuple[str, Layout], ...]
    body: Layout | None
    in_path: bool
    fixed_url: URL | None
    fixed_headers: CIMultiDict[str] | None

    @classmethod
    def compile(cls, endpoint: Endpoint, *, headers: Mapping[str, str] | None = None) -> "Template":
        """Compile an endpoint; `headers` are sent unless the endpoint has its own of that name.

        Where nothing stands for the query, the default protocol fills in: `query` and `top_k`
        as parameters of a GET, else as a JSON body. In the URL, parameters and headers values
        are percent-encoded UTF-8.

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
        varied = any(has_slots(value) for _, value in lines)
        return cls(
            method=endpoint.method.value,
            url=url,
            headers=lines,
            body=_compile_body(body, form),
            in_path=bool(find_names(endpoint.url.partition("?")[0])),
            fixed_url=None if has_slots(url) else URL(fill(url, {}), encoded=True),
            fixed_headers=None if varied else _fill_headers(lines, {}),
        )

    def render(self, ask: Ask, k: int, place: Values | None = None) -> Prepared:
        """Fill in one query, the number of hits asked for, and where to go on from.

        Raises:
            UnsendableError: a path of `.` or `..`, to which URLs give another meaning.
            MissingFieldError: the query lacks a field.
        """
        values = _gather(ask, k, place)
        url = self.fixed_url
        if url is None:
            text = fill(self.url, values)
            if self.in_path:
                _check_path(text)
            url = URL(text, encoded=True)
        headers = self.fixed_headers
        if headers is None:
            headers = _fill_headers(self.headers, values)
        return Prepared(
            self.method,
            url,
            headers,
            None if self.body is None else fill(self.body, values).encode(),
        )


def _gather(ask: Ask, k: int, place: Values | None) -> Values:
    values: dict[str, Value] = {QUERY: ask.text, QUERY_ID: ask.id, K: k}
    if ask.fields:
        values.update({FIELD + name: value for name, value in ask.fields.items()})
    if place:
        values.update(place)
    return values


def _check_path(url: str) -> None:
    path = url.partition("?")[0].split("/")[3:]
    found = next((segment for segment in path if segment in _DOTS), None)
    if found:
        raise UnsendableError(
            f"{found!r} alone cannot stand between two slashes of a path; use a parameter"
        )


def _with_default(endpoint: Endpoint) -> tuple[dict[str, Scalar], Any, Any]:
    params, body, form = endpoint.params, endpoint.body, endpoint.form
    if body is not UNSET and form is not UNSET:
        raise ValueError("an endpoint has a body or a form, not both; leave one out")
    if any(_carries_query(place) for place in (endpoint.url, params, endpoint.headers, body, form)):
        return params, body, form
    if body is not UNSET or form is not UNSET:
        raise ValueError("the query would not be sent: put {{query}} where it belongs")
    if endpoint.method is Method.GET:
        return {**_DEFAULT, **params}, body, form
    return params, dict(_DEFAULT), form


def _carries_query(node: object) -> bool:
    """Whether requests differ from query to query."""
    return any(name in (QUERY, QUERY_ID) or name.startswith(FIELD) for name in find_names(node))


def _compile_url(url: str, params: Mapping[str, Scalar]) -> Layout:
    if find_names("/".join(url.split("/", 3)[:3]).partition("?")[0]):
        raise ValueError("the URL's host is fixed: placeholders belong in its path or query")
    pieces = cut(url, percent, str)
    mark = "&" if "?" in url else "?"
    for name, value in params.items():
        pieces += [f"{mark}{percent(name)}=", *cut(to_text(value), percent, percent)]
        mark = "&"
    return merge(pieces)


def _compile_headers(
    layers: list[Mapping[str, str]],
) -> tuple[tuple[str, Layout], ...]:
    """Later layers win over earlier ones, whatever the case of their names."""
    merged: dict[str, tuple[str, str]] = {}
    for layer in layers:
        merged.update({name.lower(): (name, value) for name, value in layer.items()})
    # An `istr` knows its lower case, which need not be made again for every request.
    return tuple((istr(name), merge(cut(value, percent, str))) for name, value in merged.values())


def _compile_body(body: Any, form: Any) -> Layout | None:
    if form is not UNSET:
        pieces: list[Piece] = []
        for name, value in form.items():
            pieces += ["&" if pieces else "", plus(name), "="]
            pieces += cut(to_text(value), plus, plus)
        return merge(pieces)
    return None if body is UNSET else merge(cut_json(body))


def _fill_headers(lines: tuple[tuple[str, Layout], ...], values: Values) -> CIMultiDict[str]:
    return CIMultiDict([(name, fill(value, values)) for name, value in lines])
