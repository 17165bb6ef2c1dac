"""Versions of test sets, through both clients against a scripted service."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from reteval.contract.differences import Change, ChangeCounts, Changes, DiffRow, Subject
from reteval.contract.testsets import TestSetPage
from reteval.contract.versions import ChangeSet, DiffPage, JudgmentChange, Version, VersionPage
from tests.unit.reteval.documents import PINNED, Script, a_test_set, answer
from tests.unit.reteval.test_keeping import Calls, both

CHANGES = Changes(judgments=ChangeCounts(added=2, changed=1))
VERSION = Version(
    id="ts_1",
    version=2,
    hash="sha256:00",
    created_at="2026-01-01T00:00:00.000Z",
    created_by="key_1",
    parent="ts_0",
    note="by hand",
    changes=CHANGES,
    queries=5,
    judgments=9,
)
ROWS = (
    DiffRow(
        subject=Subject.QUERY, change=Change.CHANGED, query_id="q1", query="a", fields=("tags",)
    ),
    DiffRow(
        subject=Subject.JUDGMENT,
        change=Change.ADDED,
        query_id="q1",
        query="a",
        document_id="d",
        after=3,
    ),
)


def a_diff(*rows: DiffRow, cursor: str | None = None) -> DiffPage:
    """Return a page of differences."""
    return DiffPage(
        test_set=PINNED, against=PINNED, changes=CHANGES, items=rows, next_cursor=cursor
    )


async def gather(rows: Any) -> list[Any]:
    """Collect what is iterated, in either way."""
    if hasattr(rows, "__aiter__"):
        return [row async for row in rows]
    return list(rows)


def collect(calls: Calls, service: Script, method: str, *words: Any, **options: Any) -> list[Any]:
    """Return all rows that a method iterates over, whichever client has it."""

    def work(client: Any) -> Any:
        rows = getattr(client, method)(*words, **options)
        return gather(rows) if hasattr(rows, "__aiter__") else list(rows)

    found: list[Any] = calls(service, work)
    return found


@both
def test_documents_and_files_make_versions(calls: Calls, tmp_path: Path) -> None:
    """A struct, a dict and a JSON file go as JSON; CSV goes with its options; each has a key."""
    document, table = tmp_path / "changes.json", tmp_path / "labels.csv"
    document.write_text('{"remove": ["q1"]}')
    table.write_text("query_id,docid,rating\nq1,d,1\n")
    rated = ChangeSet(judgments=[JudgmentChange(query_id="q1", id="d", grade=None)])
    service = Script([answer(a_test_set()) for _ in range(4)])
    for changes in (rated, {"remove": ["q1"]}, document):
        made = calls(service, lambda client, sent=changes: client.create_version("a b", sent))
        assert made == a_test_set()
    calls(service, lambda client: client.create_version("a b", str(table), rater="bo", note="n"))
    sent = [request.read() for request in service.requests]
    assert b'"grade":null' in sent[0]
    assert [b'{"remove":["q1"]}', b'{"remove": ["q1"]}'] == sent[1:3]
    assert sent[3] == table.read_bytes()
    assert {request.url.raw_path.partition(b"?")[0] for request in service.requests} == {
        b"/v1/test-sets/a%20b/versions"
    }
    assert [request.headers["content-type"] for request in service.requests] == [
        *["application/json"] * 3,
        "text/csv",
    ]
    assert dict(service.requests[3].url.params) == {"rater": "bo", "note": "n"}
    assert len({request.headers["idempotency-key"] for request in service.requests}) == 4


@both
def test_lost_answer_makes_no_second_version(calls: Calls) -> None:
    """It is sent again under the same key."""
    service = Script([httpx.ReadError("reset"), answer(a_test_set())])
    calls(service, lambda client: client.create_version("docs", {}))
    first, again = service.requests
    assert first.headers["idempotency-key"] == again.headers["idempotency-key"]


@both
def test_options_beside_a_document_are_refused(calls: Calls) -> None:
    """A JSON change set has its own note and raters; a second opinion would be lost."""
    service = Script([])
    with pytest.raises(ValueError, match="note: a JSON change set"):
        calls(service, lambda client: client.create_version("docs", {}, note="x"))


@both
def test_lineage_and_names_are_paged(calls: Calls) -> None:
    """All versions, over pages; all sets of a name that no path holds."""
    service = Script(
        [
            answer(VersionPage(items=(VERSION,), next_cursor="c")),
            answer(VersionPage(items=(VERSION,))),
            answer(TestSetPage(items=(a_test_set(),))),
        ]
    )
    assert collect(calls, service, "versions", "docs", limit=1) == [VERSION, VERSION]
    assert collect(calls, service, "test_sets", name="a/b") == [a_test_set()]
    assert [str(request.url.copy_with(host="h")) for request in service.requests] == [
        "http://h/v1/test-sets/docs/versions?limit=1",
        "http://h/v1/test-sets/docs/versions?limit=1&cursor=c",
        "http://h/v1/test-sets?name=a%2Fb",
    ]


@both
def test_difference_is_read_whole_or_by_rows(calls: Calls) -> None:
    """Counts and first rows in one answer, or all rows over pages."""
    service = Script(
        [answer(a_diff(*ROWS)), answer(a_diff(ROWS[0], cursor="c")), answer(a_diff(ROWS[1]))]
    )
    assert calls(service, lambda client: client.diff("docs", "ts_0")) == a_diff(*ROWS)
    assert collect(calls, service, "diff_rows", "docs") == list(ROWS)
    assert [dict(request.url.params) for request in service.requests] == [
        {"against": "ts_0"},
        {},
        {"cursor": "c"},
    ]
