"""Parts of documents rolled up into documents."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reteval.contract.endpoints import Endpoint
from reteval.contract.outcomes import FailureCode
from worker.search.answers import Answer, AnswerError
from worker.search.mapping import Mapping

CHUNKS = [
    {"id": "a#2", "doc": "a", "score": 9},
    {"id": "b#1", "doc": "b", "score": 8},
    {"id": "a#1", "doc": "a", "score": 7},
    {"id": "c#1", "doc": "c", "score": 6},
]


def read(answer: Any, depth: int = 10, **fields: Any) -> Answer:
    """Read an answer of an endpoint with these fields."""
    mapping = Mapping.compile(Endpoint(url="http://h/", **fields))
    return mapping.read(json.dumps(answer).encode(), depth)


def test_the_first_part_counts() -> None:
    """Documents stand where their best part stood, ranks close up, the hits are counted."""
    rolled = Answer(["a", "b", "c"], [9.0, 8.0, 6.0], 3, hits=4)
    assert read(CHUNKS, collapse_by="doc") == rolled
    assert read({"results": CHUNKS}, collapse_at="#") == rolled
    assert read(CHUNKS, 2, collapse_by="doc") == Answer(["a", "b"], [9.0, 8.0], 3, hits=4)


def test_ids_are_cut_at_the_last_mark() -> None:
    """A mark inside the document's own id stays; an id without one is the document's."""
    assert read({"ids": ["x/1/0", "x/1/1", "x"]}, ids="ids", collapse_at="/").ids == ["x/1", "x"]
    assert read(["#1", "a"], collapse_at="#").ids == ["#1", "a"]


def test_a_part_without_document_spoils_the_answer() -> None:
    """As for ids: leaving it out would shift the ranks behind it."""
    with pytest.raises(AnswerError) as caught:
        read([*CHUNKS, {"id": "d#1"}], collapse_by="doc")
    assert caught.value.code is FailureCode.SCHEMA


def test_parallel_arrays_have_no_fields() -> None:
    """`collapse_by` reads hits, which parallel arrays are not."""
    with pytest.raises(ValueError, match="collapse_at"):
        Mapping.compile(Endpoint(url="http://h/", ids="ids", collapse_by="doc"))


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 9)), max_size=30))
def test_no_document_twice_and_none_lost(parts: list[tuple[str, int]]) -> None:
    """Every document that has a part comes up once, in the order of its first part."""
    answer = read([f"{document}#{part}" for document, part in parts], 100, collapse_at="#")
    assert answer.ids == list(dict.fromkeys(document for document, _ in parts))
    assert (answer.returned, answer.hits) == (len(answer.ids), len(parts))
