import contextlib
from typing import Annotated

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.core.decoding import decode, locate, read_parameters, to_pointer
from service.errors import InvalidError, MalformedJsonError, ServiceError


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    """A nested struct."""

    grade: Annotated[int, msgspec.Meta(le=3)]


class Outer(msgspec.Struct, forbid_unknown_fields=True):
    """A struct with everything that has a path."""

    queries: list[Inner] = []
    meta: dict[str, int] = {}
    limit: int = 1


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        (b'{"queries": [{"grade": 1}, {"grade": "1"}]}', "/queries/1/grade"),
        (b'{"queries": [{"grade": 4}]}', "/queries/0/grade"),
        (b'{"queries": [{"grade": true}]}', "/queries/0/grade"),
        (b'{"queries": [{"grade": 1, "grades": 1}]}', "/queries/0/grades"),
        (b'{"queries": [{}]}', "/queries/0"),
        (b'{"meta": {"a/b": "x"}}', "/meta"),
        (b'{"a/b~c": 1}', "/a~1b~0c"),
        (b"[]", ""),
    ],
)
def test_wrong_value_is_named_by_its_pointer(body: bytes, pointer: str) -> None:
    """JSON of another form is refused with the JSON Pointer of the first wrong place."""
    with pytest.raises(InvalidError) as caught:
        decode(body, Outer)
    assert (caught.value.errors[0].pointer, bool(caught.value.errors[0].fix)) == (pointer, True)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"limit": 1} x',
        b'{"limit": "x"',
        b'{"limit": "\xff"}',
        b'{"limitt": "\xff"}',
        b"[" * 100_000,
        b'{"queries": ' + b"[" * 100_000,
    ],
)
def test_broken_json_is_malformed_even_after_a_wrong_value(body: bytes) -> None:
    """Syntax, encoding and nesting outrank a wrong type."""
    with pytest.raises(MalformedJsonError):
        decode(body, Outer)


def test_unknown_field_has_its_near_miss() -> None:
    """A misspelt field is answered with the field that was meant."""
    item = locate("Object contains unknown field `grad` - at `$.queries[0]`", Outer)
    assert (item.pointer, item.fix) == ("/queries/0/grad", "Did you mean 'grade'?")
    far = locate("Object contains unknown field `zzz`", Outer)
    assert (far.pointer, far.fix) == ("/zzz", "Leave 'zzz' out.")


def test_missing_field_is_asked_for() -> None:
    """A required field that is absent is named in the fix."""
    item = locate("Object missing required field `grade` - at `$.queries[0]`", Outer)
    assert (item.pointer, item.fix) == ("/queries/0", "Add 'grade'.")


def test_pointer_ends_where_the_key_is_unknown() -> None:
    """A map's value has no name in the message, so its map is named."""
    assert to_pointer(".meta[...].x") == "/meta"


@pytest.mark.parametrize(
    ("pairs", "pointer"),
    [
        ([("limit", "x")], "?limit"),
        ([("limit", "1"), ("limit", "1")], "?limit"),
        ([("limitt", "1")], "?limitt"),
    ],
)
def test_parameter_is_refused_by_name(pairs: list[tuple[str, str]], pointer: str) -> None:
    """A wrong, repeated or unknown query parameter is named."""
    with pytest.raises(InvalidError) as caught:
        read_parameters(pairs, Outer)
    assert caught.value.errors[0].pointer == pointer


def test_parameter_is_read_into_its_type() -> None:
    """Text from the address becomes a number where one is asked for."""
    assert read_parameters([("limit", "5")], Outer).limit == 5


@given(st.binary(max_size=60) | st.text(alphabet='{}[]":,limtqura0 ', max_size=60).map(str.encode))
def test_any_body_is_read_or_refused(body: bytes) -> None:
    """No body makes anything but the struct or an error of ours."""
    with contextlib.suppress(ServiceError):
        assert isinstance(decode(body, Outer), Outer)
