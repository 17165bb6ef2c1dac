"""From an endpoint's description to requests."""

import json
from typing import Any
from urllib.parse import parse_qs, parse_qsl, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reteval.contract.endpoints import Endpoint, Method
from worker.search.placeholders import MissingFieldError
from worker.search.template import Ask, Template, UnsendableError

URL = "http://host.example/search"
NASTY = [
    '27" monitor',
    "C:\\temp\\",
    "<b>x</b> & y",
    "100% silicone",
    "kfc \U0001f357",
    "caf\u00e9",
    "cafe\u0301",
    "a&b=c+d",
    "tab\tand\nnewline\r\n",
    "{{q}}",
    "{{query}}",
    "{{k}} of {{query}}",
    "${x} %_% #;?/",
    "\u202eRTL \u0663",
    "x'); DROP TABLE docs;--",
    " led and trailed ",
]
TEXTS = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), min_size=1)


def render(query: str, k: int = 10, **fields: Any) -> tuple[str, bytes | None]:
    """Return the URL and the body of a rendered request."""
    endpoint = Endpoint(**{"url": URL, **fields})
    prepared = Template.compile(endpoint).render(Ask(text=query), k)
    return str(prepared.url), prepared.body


@pytest.mark.parametrize("method", [Method.POST, Method.PUT])
def test_render_when_nothing_is_declared(method: Method) -> None:
    """The default body is the query and the depth, the depth a number."""
    url, body = render("how?", 7, method=method)
    assert url == URL
    assert body == b'{"query":"how?","top_k":7}'


def test_render_when_a_get_declares_nothing() -> None:
    """A GET sends the query and the depth as parameters, and no body."""
    assert render("how so?", method=Method.GET) == (f"{URL}?query=how%20so%3F&top_k=10", None)


def test_render_when_a_get_declares_other_parameters() -> None:
    """Parameters that leave out the query get it beside them."""
    url, _ = render("how", method=Method.GET, params={"lang": "en", "top_k": 3, "fuzzy": True})
    assert parse_qs(urlsplit(url).query) == {
        "query": ["how"],
        "top_k": ["3"],
        "lang": ["en"],
        "fuzzy": ["true"],
    }


def test_render_when_a_get_has_the_query_in_its_url() -> None:
    """A URL that holds the query is complete; parameters join its query string."""
    url, body = render(
        "a/b", method=Method.GET, url=f"{URL}/{{{{query}}}}?n={{{{k}}}}", params={"x": 1}
    )
    assert (url, body) == (f"{URL}/a%2Fb?n=10&x=1", None)


@pytest.mark.parametrize("query", NASTY)
def test_render_when_the_query_is_nasty(query: str) -> None:
    """Every text arrives as it is in body, parameter and form, and is never expanded again."""
    _, body = render(
        query, body={"q": {"match": ["{{query}}", "title:{{query}} {{k}}"]}, "n": "{{k}}"}
    )
    assert body is not None
    assert json.loads(body) == {"q": {"match": [query, f"title:{query} 10"]}, "n": 10}
    url, _ = render(query, method=Method.GET, params={"q": "{{query}}", "size": "{{k}}"})
    assert parse_qsl(urlsplit(url).query, keep_blank_values=True) == [("q", query), ("size", "10")]
    _, form = render(query, form={"q": "<{{query}}>", "size": "{{k}}", "a&b": "c d"})
    assert form is not None
    assert dict(parse_qsl(form.decode())) == {"q": f"<{query}>", "size": "10", "a&b": "c d"}


@given(TEXTS, TEXTS)
def test_render_keeps_any_text(query: str, literal: str) -> None:
    """A body is the declared tree with the query put in, for every query and every literal."""
    literal = literal.replace("{{", "{")
    _, body = render(query, body={literal: [literal, f"{literal}{{{{query}}}}", None, 1.5, True]})
    assert body is not None
    assert json.loads(body) == {literal: [literal, literal + query, None, 1.5, True]}


def test_render_when_a_header_holds_the_query() -> None:
    """In a header the query is percent-encoded, so that it cannot end the line."""
    endpoint = Endpoint(url=URL, method=Method.GET, headers={"X-Query": "q={{query}};{{k}}"})
    value = Template.compile(endpoint).render(Ask(text="a\r\nX: caf\u00e9"), 3).headers["x-query"]
    assert value == "q=a%0D%0AX%3A%20caf%C3%A9;3"
    assert unquote(value) == "q=a\r\nX: caf\u00e9;3"


def test_compile_when_headers_overlap() -> None:
    """The endpoint's own headers win over ours, whatever their case, and ours over defaults."""
    endpoint = Endpoint(url=URL, headers={"content-type": "application/vnd.x+json", "X-Key": "k"})
    headers = (
        Template.compile(endpoint, headers={"User-Agent": "us", "X-Key": "no"})
        .render(Ask(text="q"), 1)
        .headers
    )
    assert {name.lower(): value for name, value in headers.items()} == {
        "accept": "application/json",
        "content-type": "application/vnd.x+json",
        "user-agent": "us",
        "x-key": "k",
    }


def test_compile_when_a_form_is_declared() -> None:
    """A form is labelled as one."""
    prepared = Template.compile(Endpoint(url=URL, form={"q": "{{query}}"})).render(
        Ask(text="a b"), 1
    )
    assert prepared.headers["content-type"] == "application/x-www-form-urlencoded"
    assert prepared.body == b"q=a+b"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"body": {"q": "{{query}}"}, "form": {"q": "{{query}}"}}, "not both"),
        ({"body": {"q": "fixed"}}, "would not be sent"),
        ({"form": {"q": "fixed"}}, "would not be sent"),
        ({"body": None}, "would not be sent"),
        ({"url": "http://{{query}}.example/x"}, "host is fixed"),
        ({"headers": {"Host": "x"}}, "'Host'"),
    ],
)
def test_compile_when_the_endpoint_is_wrong(fields: dict[str, Any], message: str) -> None:
    """What could not be sent as meant is refused, with what to do."""
    with pytest.raises(ValueError, match=message):
        Template.compile(Endpoint(**{"url": URL, **fields}))


def test_render_when_nothing_varies_but_the_body() -> None:
    """URL and headers are built once."""
    template = Template.compile(Endpoint(url=URL))
    first, second = template.render(Ask(text="a"), 1), template.render(Ask(text="b"), 1)
    assert first.url is second.url
    assert first.headers is second.headers


def test_render_when_the_query_has_fields() -> None:
    """Fields and the query's id stand anywhere; alone in JSON they keep their type."""
    ask = Ask(text="q", id="q 7", fields={"lang": "pt&br", "vector": [0.5, 1.0], "limit": 3})
    endpoint = Endpoint(
        url=f"{URL}/{{{{field.lang}}}}",
        params={"l": "{{field.lang}}"},
        headers={"X-Query-Id": "{{query_id}}"},
        body={
            "q": "{{query}}",
            "v": "{{field.vector}}",
            "n": "{{field.limit}}",
            "id": "{{query_id}}",
        },
    )
    prepared = Template.compile(endpoint).render(ask, 10)
    assert str(prepared.url) == f"{URL}/pt%26br?l=pt%26br"
    assert prepared.headers["X-Query-Id"] == "q%207"
    assert prepared.body is not None
    assert json.loads(prepared.body) == {"q": "q", "v": [0.5, 1.0], "n": 3, "id": "q 7"}
    with pytest.raises(MissingFieldError, match="lang"):
        Template.compile(endpoint).render(Ask(text="q"), 10)


def test_compile_when_only_a_field_tells_queries_apart() -> None:
    """An endpoint that wants a vector needs no text."""
    prepared = Template.compile(Endpoint(url=URL, body={"v": "{{field.v}}"})).render(
        Ask(text="q", fields={"v": [1.0]}), 10
    )
    assert prepared.body == b'{"v":[1.0]}'


@pytest.mark.parametrize("query", [".", ".."])
def test_render_when_the_query_is_a_dot_segment(query: str) -> None:
    """A path segment that URLs resolve away is refused; a parameter or more text is fine."""
    template = Template.compile(Endpoint(url=f"{URL}/{{{{query}}}}/x", method=Method.GET))
    with pytest.raises(UnsendableError, match="parameter"):
        template.render(Ask(text=query), 10)
    assert str(template.render(Ask(text=f"{query}a"), 10).url) == f"{URL}/{query}a/x"
    in_query = Template.compile(Endpoint(url=f"{URL}?q={{{{query}}}}", method=Method.GET))
    assert str(in_query.render(Ask(text=query), 10).url) == f"{URL}?q={query}"


def test_render_when_a_page_is_asked_for() -> None:
    """The place to go on from is filled in like any other value."""
    endpoint = Endpoint(
        url=URL, params={"from": "{{offset}}"}, body={"q": "{{query}}", "after": "{{cursor}}"}
    )
    prepared = Template.compile(endpoint).render(Ask(text="q"), 10, {"offset": 20, "cursor": None})
    assert str(prepared.url) == f"{URL}?from=20"
    assert prepared.body == b'{"q":"q","after":null}'
