"""Rules and lookups of an endpoint: what is refused before anything is sent."""

from typing import Any

import msgspec
import pytest

from reteval.contract.endpoints import Endpoint
from service.core.id_checks import check_ids


def endpoint(**fields: Any) -> Endpoint:
    """Read an endpoint as it is sent."""
    return msgspec.convert({"url": "http://a.example/search", **fields}, Endpoint)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"id_rule": [{"op": "strip"}, {"op": "split", "text": "#", "n": 0}]},
        {"lookup": "http://a.example:80/docs/{{id}}"},
    ],
)
def test_sound_descriptions_pass(fields: dict[str, Any]) -> None:
    """Nothing is said of what can be done."""
    assert list(check_ids(endpoint(**fields))) == []


@pytest.mark.parametrize(
    ("fields", "pointer", "said"),
    [
        ({"id_rule": [{"op": "strip"}, {"op": "zfill"}]}, "/endpoint/id_rule/1", "needs an `n`"),
        ({"lookup": "http://a.example/docs"}, "/endpoint/lookup", "is missing"),
        ({"lookup": "http://b.example/{{id}}"}, "/endpoint/lookup", "another host"),
        ({"lookup": "https://a.example/{{id}}"}, "/endpoint/lookup", "another host"),
        ({"lookup": "file:///{{id}}"}, "/endpoint/lookup", "http"),
    ],
)
def test_flaws_are_named_with_their_place(fields: dict[str, Any], pointer: str, said: str) -> None:
    """Each flaw says where it is, what it is, and what to write."""
    (item,) = check_ids(endpoint(**fields))
    assert item.pointer == pointer
    assert said in item.message
    assert item.fix
