"""Placeholders in texts and JSON trees."""

import json
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.search.placeholders import (
    MissingFieldError,
    Value,
    cut,
    cut_json,
    fill,
    find_names,
    merge,
    percent,
)

TEXTS = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]))


def fill_json(tree: object, **values: Value) -> object:
    """Fill in a tree and read it back; `__` in a name stands for a dot."""
    named = {name.replace("__", "."): value for name, value in values.items()}
    return json.loads(fill(merge(cut_json(tree)), named))


@pytest.mark.parametrize("value", ["a", 7, 2**60, 1.5, True, [0.25, -1.0], None])
def test_a_placeholder_alone_keeps_its_type(value: Value) -> None:
    """A JSON string that is nothing but a placeholder becomes the value itself."""
    assert fill_json({"v": ["{{field.v}}"]}, field__v=value) == {"v": [value]}


def test_a_placeholder_among_text_becomes_text() -> None:
    """Numbers, truth values and lists are written as JSON writes them, null as nothing."""
    tree = "{{k}}/{{field.a}}/{{field.b}}/{{field.c}}/{{cursor}}"
    values: dict[str, Value] = {"field__a": True, "field__b": 0.5, "field__c": [1.0, 2.5]}
    assert fill_json(tree, k=10, cursor=None, **values) == "10/true/0.5/[1.0,2.5]/"


@given(TEXTS)
def test_the_json_filter_nests(text: str) -> None:
    """Inside JSON that is itself written into a parameter, a text survives both readings."""
    pieces = merge(cut('query("title", "{{query|json}}", {"a": "b"})', percent, percent))
    sent = unquote(fill(pieces, {"query": text}))
    inner = sent.removeprefix('query("title", ').removesuffix(', {"a": "b"})')
    assert json.loads(inner) == text
    tree = {"query": '{ Get { Doc(bm25: {query: "{{query|json}}"}) } }'}
    read = fill_json(tree, query=text)
    assert isinstance(read, dict)
    assert json.loads(read["query"][len("{ Get { Doc(bm25: {query: ") : -len("}) } }")]) == text


def test_values_are_never_expanded_again() -> None:
    """A value that looks like a placeholder stays as it is."""
    values: dict[str, Value] = {"query": "{{k}} {{query}}", "field.x": "{{query}}", "k": 3}
    pieces = merge(cut("{{query}}|{{field.x}}|{{k}}", str, str))
    assert fill(pieces, values) == "{{k}} {{query}}|{{query}}|3"


@pytest.mark.parametrize(
    "text", ["{{ query }}", "{{q}}", "{query}", "{{query|xml}}", "{{field.}}", "{{field.a b}}"]
)
def test_other_braces_are_text(text: str) -> None:
    """Search templates of other makers pass through."""
    assert fill(merge(cut(text, percent, str)), {}) == text


def test_a_missing_field_is_named() -> None:
    """A query without the field says which one."""
    with pytest.raises(MissingFieldError, match=r"no field 'lang.code'"):
        fill(merge(cut("{{field.lang.code}}", str, str)), {"query": "q"})


def test_names_are_found_everywhere() -> None:
    """Keys are no places; strings at any depth are."""
    tree = {"{{k}}": [{"a": "x {{query|json}} {{query_id}}"}, "{{field.a-b.c}}"], "n": 1}
    assert find_names(tree) == {"query", "query_id", "field.a-b.c"}
