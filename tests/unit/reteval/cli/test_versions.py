from pathlib import Path

import msgspec

from reteval.contract.differences import Change, ChangeCounts, Changes, DiffRow, Subject
from reteval.contract.versions import VersionPage
from tests.unit.reteval.cli.test_keeping import command
from tests.unit.reteval.documents import a_test_set, answer
from tests.unit.reteval.test_versions import CHANGES, ROWS, VERSION, a_diff


def test_version_tells_what_was_changed(tmp_path: Path) -> None:
    """The new set, counts, and what the service says of it; options are the file's."""
    table = tmp_path / "labels.csv"
    table.write_text("query_id,docid,rating\n")
    made = a_test_set(changes=CHANGES)
    words = ("version", "docs", str(table), "--rater", "anna", "--source", "human")
    code, out, _, service = command(*words, answers=[answer(made)])
    assert (code, dict(service.requests[0].url.params)) == (0, {"rater": "anna", "source": "human"})
    assert out.splitlines()[:4] == [
        "ts_1 docs version 2",
        "queries    0 added, 0 removed, 0 changed",
        "judgments  2 added, 0 removed, 1 changed",
        "[warn] few_queries: 5 queries are too few to trust",
    ]
    out = command(*words, "--json", answers=[answer(made)])[1]
    assert msgspec.json.decode(out, type=type(made)) == made
    known = command(*words, answers=[answer(a_test_set(warnings=()))])[1]
    assert known == "ts_1 docs version 2\n"


def test_version_by_a_document_takes_no_options(tmp_path: Path) -> None:
    """They stand in the document: usage error, nothing is sent."""
    document = tmp_path / "changes.json"
    document.write_text("{}")
    code, _, err, service = command("version", "docs", str(document), "--note", "x", answers=[])
    assert (code, "note: a JSON change set" in err, len(service.requests)) == (2, True, 0)


def test_versions_are_a_table() -> None:
    """A line each: who, when, from what, totals with what changed, and why."""
    upload = msgspec.structs.replace(
        VERSION, id="ts_0", version=1, parent=None, note="", changes=None, queries=1_200
    )
    page = VersionPage(items=(VERSION, upload))
    code, out, _, _ = command("versions", "docs", answers=[answer(page)])
    assert code == 0
    assert [line.split() for line in out.splitlines()[1:]] == [
        [
            *("2", "ts_1", "2026-01-01T00:00:00", "key_1", "ts_0", "5", "(+0", "-0", "~0)"),
            *("9", "(+2", "-0", "~1)", "by", "hand"),
        ],
        ["1", "ts_0", "2026-01-01T00:00:00", "key_1", "1,200", "9"],
    ]
    lines = command("versions", "docs", "--json", answers=[answer(page)])[1].splitlines()
    assert [msgspec.json.decode(line, type=type(VERSION)) for line in lines] == [VERSION, upload]


def test_diff_is_counts_and_rows_on_request() -> None:
    """With --rows each query and judgment has its line."""
    gone = DiffRow(
        subject=Subject.JUDGMENT,
        change=Change.REMOVED,
        query_id="q1",
        query="a",
        document_id="e",
        before=2,
    )
    code, out, _, service = command("diff", "docs", "ts_0", answers=[answer(a_diff(*ROWS))])
    assert (code, len(service.requests)) == (0, 1)
    assert out.splitlines() == [
        "docs version 2 (ts_1) against docs version 2 (ts_1)",
        "queries    0 added, 0 removed, 0 changed",
        "judgments  2 added, 0 removed, 1 changed",
    ]
    pages = [answer(a_diff(*ROWS)), answer(a_diff(*ROWS, gone))]
    assert command("diff", "docs", "--rows", answers=pages)[1].splitlines()[3:] == [
        "changed  query q1 (tags): a",
        "added    judgment of d for q1: - > 3",
        "removed  judgment of e for q1: 2 > -",
    ]
    pages = [answer(a_diff(*ROWS)), answer(a_diff(*ROWS))]
    lines = command("diff", "docs", "--rows", "--json", answers=pages)[1].splitlines()
    assert len(lines) == 3


def test_diff_tells_of_the_set_and_its_order() -> None:
    """Fields of the set and another order of queries have lines of their own."""
    found = msgspec.structs.replace(
        a_diff(),
        changes=Changes(
            queries=ChangeCounts(added=1_000), head=("scale", "relevant_from"), reordered=True
        ),
    )
    assert command("diff", "docs", answers=[answer(found)])[1].splitlines()[1:] == [
        "queries    1,000 added, 0 removed, 0 changed",
        "judgments  0 added, 0 removed, 0 changed",
        "of the set scale, relevant_from",
        "queries stand in another order",
    ]
