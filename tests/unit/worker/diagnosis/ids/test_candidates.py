"""Lists and fields of an answer: where hits may be, and what their fields look like."""

from typing import Any

import jmespath
import pytest

from worker.diagnosis.ids.candidates import Field, find_candidates, join, list_fields


@pytest.mark.parametrize(
    ("answer", "path"),
    [
        ([{"id": "a"}], "@"),
        ({"hits": {"hits": [{"_id": "a"}]}}, "hits.hits"),
        ({"data": {"Get": {"Article": [{"x": 1}]}}}, "data.Get.Article"),
        ({"ids": [["a", "b"]]}, "ids[0]"),
        ({"odd key": {'q"t': [{"id": 1}]}}, '"odd key"."q\\"t"'),
        ({"responses": [{"hits": [{"id": 1}, {"id": 2}]}]}, "responses[0].hits"),
        ({"rows": [["a", 0.5], ["b", 0.4]]}, "rows"),
    ],
)
def test_candidates_are_found_where_they_are(answer: Any, path: str) -> None:
    """Each list has a JMESPath that finds it again."""
    found = {one.path: one.entries for one in find_candidates(answer)}
    assert path in found
    assert jmespath.search(path, answer) == found[path]


def test_candidates_of_objects_come_first() -> None:
    """Facets and spellings are lists too, but hits are longer lists of objects."""
    answer = {
        "facets": ["a", "b", "c", "d"],
        "best": [{"id": 1}],
        "docs": [{"id": 1}, {"id": 2}],
        "none": [],
    }
    assert [one.path for one in find_candidates(answer)] == ["docs", "best", "facets"]


def test_candidates_of_anything_else_are_none() -> None:
    """Texts, numbers and very deep answers hold no list that could be named."""
    deep: Any = [{"id": 1}]
    for _ in range(9):
        deep = {"in": deep}
    assert find_candidates("text") == find_candidates(7) == find_candidates(deep) == []


@pytest.mark.parametrize(
    ("path", "values", "looks"),
    [
        ("id", ["a", "b"], "id"),
        ("pk", [7, 9], "id"),
        ("docno", [12, 11], "id"),
        ("score", [0.5, 0.4], "score"),
        ("_score", [3, 2], "score"),
        ("weight", [2.5, 2.5, 1.0], "score"),
        ("year", [1999, 2004, 2001], "id"),
        ("body", ["one two three four five", "six seven eight nine"], "text"),
        ("lang", ["en", "en"], "text"),
        ("flag", [True, False], "other"),
        ("gap", ["a", None], "id"),
    ],
)
def test_fields_look_like_what_they_are(path: str, values: list[Any], looks: str) -> None:
    """Values decide, names help."""
    field = Field(path=path, values=values)
    if path == "gap":
        assert not field.may_be_id
    else:
        assert field.looks_like == looks


def test_fields_are_flattened_with_paths() -> None:
    """Nested objects and rows are reached by a path; inner lists are left out."""
    hit = {"score": 0.9, "meta": {"doc-id": "a", "tags": ["x"]}}
    paths = {field.path: field.values for field in list_fields([hit])}
    assert paths == {"score": [0.9], 'meta."doc-id"': ["a"]}
    rows = [field.path for field in list_fields([["a", 0.5], ["b", 0.4]])]
    assert rows == ["[0]", "[1]"]
    assert list_fields(["a"]) == []


def test_join_quotes_what_is_no_name() -> None:
    """Only plain names stand without quotes."""
    assert join("", "a") == "a"
    assert join("a", "b c") == 'a."b c"'
    assert join("a", "b\\c") == 'a."b\\\\c"'
