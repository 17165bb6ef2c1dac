import json
from typing import Any

import msgspec
import pytest

from reteval.contract.testsets import Judgment, JudgmentSource
from service.core.ingest.provenance import is_moment
from tests.unit.service.core.ingest.bodies import (
    json_body,
    lines,
    only_refusal,
    query,
    take_json,
    take_ndjson,
)

STATED = {"rater": "anna", "at": "2026-01-31T12:00:00.25Z", "source": "human"}


def judged(*judgments: dict[str, Any]) -> dict[str, Any]:
    """Return a query with these judgments."""
    return query("a", id="q1", relevant=list(judgments))


def test_provenance_is_kept_as_sent() -> None:
    """Rater, time and source come back from JSON and from many lines; what says none says none."""
    sent = judged({"id": 7, "grade": 3, **STATED}, {"id": "b", "source": "llm"}, {"id": "c"})
    many = [{**sent, "id": f"q{number}", "query": f"text {number}"} for number in range(1_200)]
    for _, written in (take_json(json_body(sent)), take_ndjson(lines(*many))):
        for stored in written:
            assert stored.relevant == [
                Judgment("7", 3, "anna", "2026-01-31T12:00:00.25Z", JudgmentSource.HUMAN),
                Judgment("b", 1, source=JudgmentSource.LLM),
                Judgment("c", 1),
            ]


def test_stored_judgment_names_only_what_was_said() -> None:
    """What is written out again holds no member that was not sent, and is the same set."""
    draft, written = take_ndjson(lines(judged({"id": "a", "grade": 2, **STATED}, {"id": "b"})))
    body = msgspec.json.encode(written[0])
    assert json.loads(body)["relevant"] == [
        {"id": "a", "grade": 2, **STATED},
        {"id": "b", "grade": 1},
    ]
    again, rewritten = take_ndjson(body)
    assert (again.hash, rewritten) == (draft.hash, written)


def test_provenance_is_not_in_the_hash() -> None:
    """The same grades by anybody at any time are the same content."""
    bare = take_json(json_body(judged({"id": "a", "grade": 2})))[0]
    said = take_json(json_body(judged({"id": "a", "grade": 2, **STATED})))[0]
    assert bare.hash == said.hash


def test_first_of_two_equal_judgments_is_kept() -> None:
    """Of a document judged alike twice, who was first is told."""
    _, written = take_json(
        json_body(judged({"id": 1, "rater": "anna"}, {"id": "1", "rater": "bo"}, {"id": "2"}))
    )
    assert written[0].relevant == [Judgment("1", 1, "anna"), Judgment("2", 1)]


@pytest.mark.parametrize(
    ("said", "pointer"),
    [
        ({"rater": ""}, "rater"),
        ({"rater": "x" * 201}, "rater"),
        ({"rater": "é" * 101}, "rater"),
        ({"rater": "a\nb"}, "rater"),
        ({"at": "yesterday"}, "at"),
        ({"at": "2026-02-30T00:00:00Z"}, "at"),
        ({"at": "x" * 33}, "at"),
        ({"source": "oracle"}, "source"),
    ],
)
def test_what_nobody_can_have_said_is_refused_in_its_place(
    said: dict[str, str], pointer: str
) -> None:
    """Each member is checked for bounds, form and control characters."""
    item = only_refusal(judged({"id": "a"}, {"id": "b", **said}))
    assert (item.pointer, bool(item.fix)) == (f"/queries/0/relevant/1/{pointer}", True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-31T12:00:00Z", True),
        ("2026-01-31T12:00:00.123456Z", True),
        ("2024-02-29T23:59:59Z", True),
        ("2026-01-31T12:00:00.1234567Z", False),
        ("2026-01-31T12:00:00", False),
        ("2026-01-31T12:00:00+01:00", False),
        ("2026-01-31", False),
        ("20260131T120000Z", False),
        ("2026-W05-6T12:00:00Z", False),
        ("2026-01-31T24:00:01Z", False),
        ("٢٠٢٦-01-31T12:00:00Z", False),
        ("0000-01-31T12:00:00Z", False),
    ],
)
def test_moment_has_one_form(text: str, *, expected: bool) -> None:
    """To the second or finer, in UTC, and on a day that there is."""
    assert is_moment(text) is expected
