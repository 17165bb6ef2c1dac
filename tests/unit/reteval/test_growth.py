import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

from reteval._growth import decode
from reteval.contract.runs import Run, RunPage
from reteval.contract.testsets import QueryPage
from service.api.examples import read_examples

ANSWERS = {kind.__name__: kind for kind in (QueryPage, Run, RunPage)}


class Cat(Struct, tag="cat", tag_field="kind", forbid_unknown_fields=True):
    """One of two."""

    name: str


class Dog(Struct, tag="dog", tag_field="kind", forbid_unknown_fields=True):
    """The other."""

    age: int


class Home(Struct, forbid_unknown_fields=True):
    """Every kind of container."""

    pet: Cat | Dog | None
    pets: list[Cat | Dog]
    pair: tuple[Cat, int]
    by_name: dict[str, Cat]
    word: str | int


def grow(value: Any) -> Any:
    """Add a field to each object of a document."""
    if isinstance(value, dict):
        return {**{name: grow(part) for name, part in value.items()}, "news": {"a": [1]}}
    return [grow(part) for part in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", ANSWERS)
def test_new_fields_of_answers_are_left_out(name: str) -> None:
    """A new field in each struct, such as an endpoint or a query, changes nothing."""
    example = read_examples()[name]
    maps = {"meta", "links", "headers", "params", "form"}

    def grow_structs(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            grown = {inner: grow_structs(part, inner) for inner, part in value.items()}
            return grown if key in maps else {**grown, "news": 1}
        return [grow_structs(part) for part in value] if isinstance(value, list) else value

    kind = ANSWERS[name]
    assert decode(json.dumps(grow_structs(example)).encode(), kind) == decode(
        json.dumps(example).encode(), kind
    )


def test_every_container_is_searched() -> None:
    """Unions by tag, lists, pairs, maps and plain values."""
    cat, dog = {"kind": "cat", "name": "a"}, {"kind": "dog", "age": 3}
    old = {"pet": dog, "pets": [cat, dog], "pair": [cat, 1], "by_name": {"a": cat}, "word": "w"}
    new = grow(old)
    del new["by_name"]["news"]
    assert decode(json.dumps(new).encode(), Home) == decode(json.dumps(old).encode(), Home)


@pytest.mark.parametrize("body", [b"{", b'{"pet": 1}', b'{"news": 1}', b"[]", b"null"])
def test_what_is_wrong_stays_wrong(body: bytes) -> None:
    """Only unknown fields are forgiven."""
    with pytest.raises(msgspec.MsgspecError):
        decode(body, Home)


@settings(max_examples=200, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["pet", "pets", "kind", "name", "x"]), inner)
        ),
    )
)
def test_any_json_is_read_or_refused(value: Any) -> None:
    """No document makes it fail in another way."""
    try:
        decode(json.dumps(value).encode(), Home)
    except msgspec.MsgspecError:
        return
