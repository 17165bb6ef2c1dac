from typing import Any

import msgspec
import pytest

from reteval.contract.problems import ProblemItem
from reteval.contract.testsets import Query
from service.core.ingest.shape import decode
from service.errors import MalformedJsonError


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    """A member."""

    grade: int = 0


class Outer(msgspec.Struct, forbid_unknown_fields=True):
    """A document with each kind of member."""

    query: str = ""
    relevant: list[Inner] = []
    meta: dict[str, int] = {}


OUTER = msgspec.json.Decoder(Outer)


def misfit(data: bytes, **place: Any) -> ProblemItem:
    """What does not fit."""
    found = decode(data, OUTER, **place)
    assert isinstance(found, ProblemItem)
    return found


def test_decode_gives_the_value_when_it_fits() -> None:
    """A body of the right shape is decoded."""
    assert decode(b'{"query": "a"}', OUTER) == Outer("a")


@pytest.mark.parametrize(
    ("data", "pointer"),
    [
        (b'{"query": 1}', "/query"),
        (b'{"relevant": [{}, {"grade": null}]}', "/relevant/1/grade"),
        (b'{"relevant": 1}', "/relevant"),
        (b'{"relevant": [{"x~y/z": 1}]}', "/relevant/0/x~0y~1z"),
        (b'{"meta": {"a": "b"}}', "/meta"),
        (b"[]", ""),
    ],
)
def test_decode_points_at_the_misfit(data: bytes, pointer: str) -> None:
    """The path that msgspec writes becomes a JSON Pointer, escaped as RFC 6901 says."""
    assert misfit(data).pointer == pointer


def test_decode_extends_the_pointer_of_the_caller() -> None:
    """A part of a document is located in the whole."""
    item = misfit(b'{"query": 1}', pointer="/queries/3", row=7)
    assert (item.pointer, item.row) == ("/queries/3/query", 7)


def test_decode_suggests_a_field_when_one_is_close() -> None:
    """A misspelt field is named with the field that was meant; a strange one is to be removed."""
    assert misfit(b'{"relevant_id": 1}').fix == "Did you mean 'relevant_ids'?"
    assert misfit(b'{"zzzzzz": 1}').fix == "Remove the field."


def test_decode_says_add_when_a_field_is_missing() -> None:
    """A missing field has its own advice."""
    found = decode(b"{}", msgspec.json.Decoder(Query))
    assert isinstance(found, ProblemItem)
    assert found.fix == "Add the field."


def test_decode_cuts_long_names_when_it_quotes_them() -> None:
    """A hostile field name is not echoed in full."""
    item = misfit(b'{"%s": 1}' % (b"x" * 100_000))
    assert len(item.message) + len(item.pointer) < 1_000


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b'{"query": "a\xff"}', b'{"query": "\\ud800"}', b"{} x", b"[" * 100_000],
)
def test_decode_refuses_as_malformed_when_it_is_no_json(data: bytes) -> None:
    """Syntax, encoding and depth are 400, not 422."""
    with pytest.raises(MalformedJsonError):
        decode(data, OUTER)


def test_decode_names_depth_when_nested_too_deeply() -> None:
    """The error says depth, not recursion of this program."""
    with pytest.raises(MalformedJsonError, match="nested too deeply"):
        decode(b"[" * 100_000, msgspec.json.Decoder(msgspec.Raw))


def test_decode_prefers_malformed_when_a_misfit_comes_first() -> None:
    """A body that breaks off later cannot be read at all, whatever came before."""
    with pytest.raises(MalformedJsonError):
        decode(b'{"unknown": 1, "query": "a', OUTER)


def test_decode_names_the_line_when_malformed_in_a_stream() -> None:
    """The error of a stream names the line."""
    with pytest.raises(MalformedJsonError, match="line 4") as caught:
        decode(b"{", OUTER, row=4)
    assert [item.row for item in caught.value.errors] == [4]
