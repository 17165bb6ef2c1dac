"""What the fields of a query may hold."""

from typing import Any

import pytest

from reteval.contract.testsets import Query, TestSetHead
from service.core.ingest.canon import ContentHash
from service.core.ingest.located import Located
from service.core.ingest.query_fields import check_fields


def pointers(fields: dict[str, Any]) -> list[str]:
    """Return the places at fault."""
    item = Located(query=Query(query="q", fields=fields), pointer="/queries/0")
    return [problem.pointer for problem in check_fields(item)]


def digest(fields: dict[str, Any]) -> str:
    """Hash a set of one query."""
    content = ContentHash(TestSetHead())
    content.add(Query(query="q", id="q1", fields=fields), [])
    return content.digest()


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"lang": "pt", "limit": 3, "boost": 0.5, "fresh": True, "v.1-a_b": [0.5] * 4_096},
        {str(n): "" for n in range(32)},
        {"a" * 64: "x" * 8_192},
    ],
)
def test_good_fields_pass(fields: dict[str, Any]) -> None:
    """Scalars and lists of numbers under names that a placeholder can hold."""
    assert pointers(fields) == []


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"a b": 1}, "/queries/0/fields/a b"),
        ({"": 1}, "/queries/0/fields/"),
        ({"a/b": 1}, "/queries/0/fields/a~1b"),
        ({"a" * 65: 1}, f"/queries/0/fields/{'a' * 65}"),
        ({"a": "x\x00"}, "/queries/0/fields/a"),
        ({"a": "é" * 4_097}, "/queries/0/fields/a"),
        ({"a": [0.5] * 4_097}, "/queries/0/fields/a"),
        ({str(n): "" for n in range(33)}, "/queries/0/fields"),
    ],
)
def test_bad_fields_are_named(fields: dict[str, Any], place: str) -> None:
    """Each flaw has its place."""
    assert pointers(fields) == [place]


def test_fields_are_part_of_the_content() -> None:
    """Sets that ask other things are other sets; the order of names does not matter."""
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    assert len({digest({}), digest({"a": 1}), digest({"a": 2}), digest({"a": "1"})}) == 4
