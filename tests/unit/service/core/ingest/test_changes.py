from typing import Any

import pytest

from reteval.contract.testsets import Judgment, JudgmentSource, TestSetHead
from reteval.contract.unjudged import UnjudgedPair
from service.core.ingest.changes import Stated, read_changes, read_ratings
from service.core.unjudged import COLUMNS, write_csv
from service.errors import InvalidError, MalformedJsonError, MalformedTextError
from tests.unit.service.core.ingest.bodies import query, take
from tests.unit.service.core.ingest.test_edits import HEAD, in_chunks, stored

PARENT = [query("one", id="q1"), query("two", id="=2")]


def rate(table: bytes, head: TestSetHead = HEAD, **stated: Any) -> dict[str, list[Judgment]]:
    """Return the judgments of each query after a table was put into effect."""
    edits = read_ratings(table, head, Stated(**stated))
    _, written = take(edits.apply(in_chunks(stored(*PARENT))), head)
    return {one.id: list(one.relevant or ()) for one in written}


def refusal(table: bytes) -> list[tuple[int | None, str]]:
    """Return the rows for which a table is refused, and why."""
    with pytest.raises(InvalidError) as caught:
        rate(table)
    assert all(item.pointer == "" and item.fix for item in caught.value.errors)
    return [(item.row, item.message) for item in caught.value.errors]


def test_filled_in_list_is_a_change_set() -> None:
    """Our own CSV of what to label, with some ratings filled in, rates just those pairs."""
    pairs = [
        UnjudgedPair(
            query_id=name, query="-text", document_id=document, value=1.0, runs=1, best_rank=1
        )
        for name, document in (("q1", "a"), ("q1", "+b"), ("=2", "=c"), ("=2", "@d"))
    ]
    rows = write_csv(pairs).splitlines()
    ratings = ["3", "0", "2", ""]
    filled = [row.replace(",,", f",{r},", 1) for row, r in zip(rows, ratings, strict=True)]
    table = "\r\n".join([",".join(COLUMNS), *filled]).encode()
    assert rate(table) == {
        "q1": [Judgment("d", 1), Judgment("a", 3), Judgment("+b", 0)],
        "=2": [Judgment("d", 1), Judgment("=c", 2)],
    }


def test_rows_say_who_judged_or_the_request_does() -> None:
    """A cell goes before what holds for all rows; an empty one is what holds for all."""
    table = (
        b"\xef\xbb\xbfquery_id;docid;rating;rater;source;at\n"
        b"q1;x;2.0;bo;llm;2026-01-31T12:00:00Z\n"
        b"q1;y;1;;;\n"
    )
    rated = rate(table, rater="anna", source=JudgmentSource.HUMAN)
    assert rated["q1"][1:] == [
        Judgment("x", 2, "bo", "2026-01-31T12:00:00Z", JudgmentSource.LLM),
        Judgment("y", 1, "anna", source=JudgmentSource.HUMAN),
    ]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"q1,a,high", "rating 'high' is no grade"),
        (b"q1,a,9", "grade 9 is outside -100 to scale.max 3"),
        (b"q1,,1", "document id is empty"),
        (b",a,1", "length >= 1"),
        (b"q9,a,1", "there is no query 'q9'"),
        (b"q1,a", "2 cells under 3 columns"),
        (b"q1,a\x07,1", "control character U+0007"),
    ],
)
def test_bad_row_is_told_with_its_line(line: bytes, words: str) -> None:
    """The line is that of the file, the header being the first."""
    ((row, message),) = refusal(b"query_id,docid,rating\nq1,b,1\n" + line + b"\n")
    assert (row, words in message) == (3, True), message


def test_bad_provenance_is_told_with_its_line() -> None:
    """A source that there is not, a moment that is none."""
    table = b"query_id,docid,rating,source,at\nq1,a,1,oracle,\nq1,b,1,,today\n"
    found = refusal(table.replace(b"q1,b,1,,today\n", b"")) + refusal(
        table.replace(b"q1,a,1,oracle,\n", b"")
    )
    assert [(row, row_words(text)) for row, text in found] == [(2, "source"), (2, "moment")]


def row_words(text: str) -> str:
    """Return what a message is about."""
    return "source" if "source" in text else "moment" if "moment" in text else text


def test_contradiction_is_told_where_it_is() -> None:
    """The same pair with another rating is refused at its second row, the same again is not."""
    table = b"query_id,docid,rating\nq1,a,1\nq1,a,1\nq1,a,2\n"
    ((row, message),) = refusal(table)
    assert (row, "grade 2 here and 1 before" in message) == (4, True)


@pytest.mark.parametrize(
    "header", [b"query,docid,rating", b"query_id,docid,rating,mood", b"query_id,docid,rating,docid"]
)
def test_header_names_known_columns_once(header: bytes) -> None:
    """What a column means is never guessed."""
    ((row, message),) = refusal(header + b"\n")
    assert row == 1
    assert message.startswith("row 1: the header must name the columns 'docid', 'query_id' and")


def test_flood_of_flaws_is_cut() -> None:
    """Reading stops at twenty problems."""
    assert len(refusal(b"query_id,docid,rating\n" + b"q1,a,high\n" * 50)) == 20


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b'{"note": "a"'])
def test_body_that_is_no_json_cannot_be_read(body: bytes) -> None:
    """Syntax outranks everything else."""
    with pytest.raises(MalformedJsonError):
        read_changes(body, HEAD)


def test_table_in_another_encoding_cannot_be_read() -> None:
    """Latin-1 is refused and not guessed."""
    with pytest.raises(MalformedTextError):
        rate(b"query_id,docid,rating\nq1,\xe4,1\n")


def test_members_of_another_type_are_all_told() -> None:
    """Up to twenty, each in its place."""
    body = b'{"judgments": [1, {"query_id": "q1", "id": "a"}, {"grade": 1}], "queries": [[]]}'
    with pytest.raises(InvalidError) as caught:
        read_changes(body, HEAD)
    assert [item.pointer for item in caught.value.errors] == [
        "/queries/0",
        "/judgments/0",
        "/judgments/1",
        "/judgments/2",
    ]
