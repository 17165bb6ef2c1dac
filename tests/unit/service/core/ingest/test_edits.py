"""Change sets put into effect: what comes of them, and where they are refused."""

from collections.abc import AsyncIterator, Sequence
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reteval.contract.differences import Change, DiffRow, Subject
from reteval.contract.problems import ProblemItem
from reteval.contract.testsets import Judgment, Query, TestSetHead
from service.core.ingest.changes import read_changes
from service.errors import InvalidError
from service.store.differences import compare_queries
from tests.unit.service.core.ingest.bodies import json_body, query, take, take_json

HEAD = TestSetHead()
LAX = TestSetHead(allow_unscorable=True)
PARENT = [
    query("reset my password", id="q1", relevant_ids=["d1", "d2"], grades=[3, 1]),
    query("refund", id="q2", relevant_ids=["d9"]),
    query("refnud", id="q2~typo", parent="q2", kind="typo"),
]
IDS = st.sampled_from(["q0", "q1", "q2", "q3", "q4", "q5"])
DOCUMENTS = st.sampled_from(["a", "b", "c", "d"])
GRADES = st.integers(-1, 3)


def stored(*queries: dict[str, Any], head: TestSetHead = HEAD) -> list[Query]:
    """Return queries as they are stored."""
    return take_json(json_body(*queries, allow_unscorable=head.allow_unscorable))[1]


async def in_chunks(queries: Sequence[Query], size: int = 2) -> AsyncIterator[list[Query]]:
    """Yield queries a few at a time, as they come from the store."""
    for start in range(0, len(queries), size):
        yield [*queries[start : start + size]]


def change(parent: Sequence[Query], head: TestSetHead = HEAD, **parts: Any) -> list[Query]:
    """Return what comes of a change set."""
    _, edits = read_changes(msgspec.json.encode(parts), head)
    _, written = take(edits.apply(in_chunks(parent)), head)
    return written


def differ(before: Sequence[Query], after: Sequence[Query]) -> list[DiffRow]:
    """Return how two lists of queries differ, in the order of the second."""
    known = {one.id: one for one in before}
    rows = [row for one in after for row in compare_queries(known.pop(one.id, None), one)]
    return rows + [row for one in known.values() for row in compare_queries(one, None)]


def refusals(parent: Sequence[Query], head: TestSetHead = HEAD, **parts: Any) -> list[ProblemItem]:
    """Return why a change set is refused."""
    with pytest.raises(InvalidError) as caught:
        change(parent, head, **parts)
    return list(caught.value.errors)


def test_each_part_does_what_it_says() -> None:
    """A query is added last or replaced in place, one goes, judgments come, change and go."""
    after = change(
        stored(*PARENT),
        queries=[query("delete it", id="q7"), query("refund now", id="q2", relevant_ids=["d8"])],
        remove=["q2~typo"],
        judgments=[
            {"query_id": "q1", "id": "d1", "grade": 2, "rater": "bo"},
            {"query_id": "q1", "id": "d2", "grade": None},
            {"query_id": "q1", "id": 5, "grade": 0},
            {"query_id": "q2", "id": "d9", "grade": 1},
            {"query_id": "q7", "id": "e", "grade": 3},
        ],
    )
    assert [(one.id, one.query, one.relevant) for one in after] == [
        ("q1", "reset my password", [Judgment("d1", 2, "bo"), Judgment("5", 0)]),
        ("q2", "refund now", [Judgment("d8", 1), Judgment("d9", 1)]),
        ("q7", "delete it", [Judgment("d", 1), Judgment("e", 3)]),
    ]


def test_nothing_to_change_changes_nothing() -> None:
    """An empty change set leaves every query as it is, and so does the same judgment again."""
    parent = stored(*PARENT)
    again = [{"query_id": "q1", "id": "d1", "grade": 3}] * 2
    assert change(parent) == change(parent, judgments=again) == parent


def test_query_without_id_is_the_one_that_its_text_names() -> None:
    """A derived id replaces, too."""
    parent = stored({"query": "a", "relevant_ids": ["x"]})
    (after,) = change(parent, queries=[{"query": "a", "relevant_ids": ["y"]}])
    assert (after.id, after.relevant) == (parent[0].id, [Judgment("y", 1)])


CHANGES = st.fixed_dictionaries(
    {
        "queries": st.dictionaries(
            IDS, st.dictionaries(DOCUMENTS, GRADES, min_size=1), max_size=3
        ).map(lambda sent: [_spell(name, judged, text="new") for name, judged in sent.items()]),
        "remove": st.lists(IDS, unique=True, max_size=3),
        "judgments": st.dictionaries(st.tuples(IDS, DOCUMENTS), st.none() | GRADES, max_size=8).map(
            lambda pairs: [
                {"query_id": name, "id": document, "grade": grade}
                for (name, document), grade in pairs.items()
            ]
        ),
    }
)


def _spell(name: str, judged: dict[str, int], text: str = "old") -> dict[str, Any]:
    relevant = [{"id": document, "grade": grade} for document, grade in judged.items()]
    return {"id": name, "query": f"{text} {name}", "relevant": relevant}


PARENTS = st.dictionaries(IDS, st.dictionaries(DOCUMENTS, GRADES), min_size=1).map(
    lambda sent: [_spell(name, judged) for name, judged in sent.items()]
)


def _possible(parent: list[Query], parts: dict[str, Any]) -> dict[str, Any]:
    """Leave out of a change set what the parent has no place for, or what says nothing new."""
    grades = {one.id: {str(j.id): j.grade for j in one.relevant or ()} for one in parent}
    sent = {one["id"]: one for one in parts["queries"]}
    remove = [name for name in parts["remove"] if name in grades and name not in sent]
    remove = remove[: len(grades) - 1]
    judgments = [
        one
        for one in parts["judgments"]
        if one["query_id"] in grades
        and one["query_id"] not in (*remove, *sent)
        and grades[one["query_id"]].get(one["id"]) != one["grade"]
    ]
    return {"queries": parts["queries"], "remove": remove, "judgments": judgments}


@given(PARENTS, CHANGES)
def test_difference_to_what_came_of_a_change_is_the_change(
    body: list[dict[str, Any]], drawn: dict[str, Any]
) -> None:
    """What is sent to be different is what differs, and nothing else."""
    parent = stored(*body, head=LAX)
    parts = _possible(parent, drawn)
    rows = differ(parent, change(parent, LAX, **parts))
    kinds = {
        (row.subject, row.change, row.query_id) for row in rows if row.subject is Subject.QUERY
    }
    known = {one.id for one in parent}
    assert kinds == {(Subject.QUERY, Change.REMOVED, name) for name in parts["remove"]} | {
        (Subject.QUERY, Change.CHANGED if one["id"] in known else Change.ADDED, one["id"])
        for one in parts["queries"]
    }
    whole = {*parts["remove"], *(one["id"] for one in parts["queries"])}
    assert {
        (row.query_id, row.document_id): row.after for row in rows if row.query_id not in whole
    } == {(one["query_id"], one["id"]): one["grade"] for one in parts["judgments"]}
    for one in parts["queries"]:
        (made,) = [q for q in change(parent, LAX, **parts) if q.id == one["id"]]
        assert {str(j.id): j.grade for j in made.relevant or ()} == {
            j["id"]: j["grade"] for j in one["relevant"]
        }


@given(PARENTS, CHANGES, st.randoms(use_true_random=False))
def test_order_of_a_change_set_does_not_matter(
    body: list[dict[str, Any]], drawn: dict[str, Any], random: Random
) -> None:
    """Whatever the order of its parts' members, the same queries come of it, new ones last."""
    parent = stored(*body, head=LAX)
    parts = _possible(parent, drawn)
    shuffled = {name: random.sample(members, len(members)) for name, members in parts.items()}
    first, second = change(parent, LAX, **parts), change(parent, LAX, **shuffled)
    assert {one.id: _content(one) for one in first} == {one.id: _content(one) for one in second}
    kept = [one.id for one in parent if one.id not in parts["remove"]]
    assert [one.id for one in first][: len(kept)] == kept
    assert [one.id for one in second][: len(kept)] == kept


def _content(one: Query) -> Any:
    return one.query, {str(judgment.id): judgment.grade for judgment in one.relevant or ()}


@given(PARENTS, CHANGES)
def test_sums_of_judgments_reconcile(body: list[dict[str, Any]], drawn: dict[str, Any]) -> None:
    """There are as many judgments more as were added less those that were removed."""
    parent = stored(*body, head=LAX)
    after = change(parent, LAX, **_possible(parent, drawn))
    rows = [row for row in differ(parent, after) if row.subject is Subject.JUDGMENT]
    added = sum(row.change is Change.ADDED for row in rows)
    removed = sum(row.change is Change.REMOVED for row in rows)

    def total(queries: list[Query]) -> int:
        return sum(len(one.relevant or ()) for one in queries)

    assert total(after) == total(parent) + added - removed


RATE = {"query_id": "q1", "id": "d1", "grade": 2}


@pytest.mark.parametrize(
    ("parts", "pointer", "words"),
    [
        ({"note": "a\nb"}, "/note", "control character"),
        ({"note": "x" * 1_001}, "/note", "length <= 1000"),
        ({"queries": [query(id="x"), query(id="x")]}, "/queries/1/id", "already used"),
        ({"queries": [query(id="x", parent="nobody", kind="k")]}, "/queries/0/parent", "no query"),
        ({"queries": [query(id="x", grades=[9])]}, "/queries/0/grades/0", "outside"),
        ({"queries": [{"id": "x"}]}, "/queries/0", "missing required"),
        ({"remove": ["nobody"]}, "/remove/0", "there is no query"),
        ({"remove": ["q2~typo", "q2~typo"]}, "/remove/1", "named twice"),
        ({"remove": ["q2"]}, "/remove/0", "'q2~typo' is a variant of it"),
        ({"remove": ["q1"], "queries": [query(id="q1")]}, "/remove/0", "also to be added"),
        ({"remove": ["q1"], "judgments": [RATE]}, "/judgments/0/query_id", "to be removed"),
        ({"judgments": [RATE | {"query_id": "q8"}]}, "/judgments/0/query_id", "there is no query"),
        ({"judgments": [RATE | {"grade": 4}]}, "/judgments/0/grade", "outside -100 to scale.max 3"),
        ({"judgments": [RATE | {"grade": "3"}]}, "/judgments/0/grade", "Expected `int | null`"),
        ({"judgments": [RATE | {"id": "x", "grade": None}]}, "/judgments/0/id", "not judged"),
        ({"judgments": [RATE | {"id": ""}]}, "/judgments/0/id", "is empty"),
        ({"judgments": [RATE | {"at": "now"}]}, "/judgments/0/at", "no moment"),
        ({"judgments": [RATE, RATE | {"grade": 1}]}, "/judgments/1/grade", "grade 1 here and 2"),
        ({"judgments": [RATE, RATE | {"grade": None}]}, "/judgments/1/grade", "grade none here"),
        (
            {"judgments": [{"query_id": "q2", "id": "d9", "grade": 0}]},
            "/judgments/0",
            "query 'q2': no document of grade 1",
        ),
        (
            {"queries": [query("z", id="q2", parent="q1", kind="typo")]},
            "/queries/0/parent",
            "'q2~typo' is a variant of it",
        ),
        (
            {
                "queries": [query("z", id="q2", expect="nothing")],
                "judgments": [{"query_id": "q2", "id": "d", "grade": 2}],
            },
            "/queries/0",
            "contradicts its relevant documents",
        ),
        (
            {
                "queries": [query(id="q2", grades=[9])],
                "judgments": [{"query_id": "q2", "id": "d", "grade": 2}],
            },
            "/queries/0/grades/0",
            "outside",
        ),
        ({"jugdments": []}, "/jugdments", "unknown field"),
    ],
)
def test_what_cannot_be_done_is_refused_in_its_place(
    parts: dict[str, Any], pointer: str, words: str
) -> None:
    """One flaw is one problem, which points at the change that causes it."""
    (item,) = refusals(stored(*PARENT), **parts)
    assert (item.pointer, words in item.message, bool(item.fix)) == (pointer, True, True), item


def test_whole_change_is_looked_through() -> None:
    """Flaws of every part are told at once."""
    found = refusals(
        stored(*PARENT),
        remove=["x"],
        queries=[query(id="new", relevant_ids=[])],
        judgments=[RATE | {"query_id": "y"}],
    )
    assert {item.pointer for item in found} == {
        "/remove/0",
        "/queries/0",
        "/judgments/0/query_id",
    }


def test_warnings_name_stored_queries_by_their_id() -> None:
    """A query that repeats a stored one's text is told with both."""
    _, edits = read_changes(msgspec.json.encode({"queries": [query("refund", id="q7")]}), HEAD)
    draft, _ = take(edits.apply(in_chunks(stored(*PARENT))), HEAD)
    (found,) = [warning for warning in draft.warnings if warning.code == "same_text"]
    assert found.evidence[0]["first"] == "query 'q2'"
    assert found.evidence[0]["second"] == "/queries/0"
