from typing import Any

import pytest

from reteval.contract.imports import (
    Consensus,
    Negatives,
    OnError,
    QueryIds,
    Unlabelled,
)
from reteval.contract.testsets import Query, Scale, TestSetHead
from service.errors import InvalidError, MalformedTextError
from tests.unit.service.core.ingest.bodies import LAX, file, imported, take_csv
from tests.unit.service.core.ingest.samples import RED, lines, table, text

RATED = b"query,docid,ann,bob,cat\nq,d,1,1,3\nq,e,0,2,\nq,f,2,2,2\nq,g,0,1,2\n"


def grades(written: list[Query]) -> dict[str, int]:
    """Grades by document of all queries."""
    return {str(one.id): one.grade for query in written for one in query.relevant or ()}


def rated(rule: Consensus, **options: Any) -> dict[str, int]:
    """The grades that a rule makes of three raters."""
    return grades(take_csv(RATED, LAX, consensus=rule, **options)[1])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"grades": "E:3,S:2,C:1,I:0"}, {"a": 3, "b": 0}),
        ({"grades": "e:1,E:2,I:1"}, {"a": 2, "b": 1}),
    ],
)
def test_labels_are_mapped(options: dict[str, Any], expected: dict[str, int]) -> None:
    """Letters become grades by the map that was sent, to the letter."""
    body = b"query,docid,rating\nq,a,E\nq,b,I\n"
    assert grades(take_csv(body, LAX, **options)[1]) == expected


def test_floats_are_cut() -> None:
    """Numbers between 0 and 1 fall into the highest cut they reach; below all cuts is 0."""
    body = b"query,docid,rating\nq,a,0.9\nq,b,0.75\nq,c,0.5\nq,d,.2\nq,e,1\n"
    cuts = ">=0.25:1,>=0.75:3,>=0.5:2"
    assert grades(take_csv(body, LAX, grades=cuts)[1]) == {"a": 3, "b": 3, "c": 2, "d": 0, "e": 3}


@pytest.mark.parametrize(
    ("rating", "options", "reason"),
    [
        ("0.5", {}, "no whole number"),
        ("E", {}, "no whole number"),
        ("1e3", {}, "no whole number"),
        ("X", {"grades": "E:3"}, "nothing for 'X'"),
        ("-1", {}, "negative"),
        ("4", {}, "outside"),
        ("5", {"reverse": "1-4"}, "outside the reversed scale"),
        ("E", {"grades": "E:9"}, "outside"),
    ],
)
def test_grade_that_must_not_be_guessed_is_refused(
    rating: str, options: dict[str, Any], reason: str
) -> None:
    """Another scale needs an explicit choice; the refusal names what was seen and the choice."""
    with pytest.raises(InvalidError, match=reason) as caught:
        take_csv(f"query,docid,rating\nq,a,{rating}\n".encode(), LAX, **options)
    (item,) = caught.value.errors
    assert (item.row, bool(item.fix)) == (2, True)


@pytest.mark.parametrize("grades_map", ["E", "E:x", "E:1,E:2", ">=x:1", "E:1.5"])
def test_map_that_cannot_be_read_is_named(grades_map: str) -> None:
    """A mistake in the map is the parameter's, not the file's."""
    with pytest.raises(InvalidError) as caught:
        take_csv(b"query,docid,rating\nq,a,E\n", LAX, grades=grades_map)
    assert [item.pointer for item in caught.value.errors] == ["?grades"]


def test_negative_and_reversed_grades_are_a_choice() -> None:
    """-1 is kept or left out as told, and 1 the best becomes the highest."""
    body = b"query,docid,rating\nq,a,1\nq,b,4\nq,c,-1\n"
    head = TestSetHead(scale=Scale(4))
    told = {"reverse": "1-4", "negatives": Negatives.KEEP}
    assert grades(take_csv(body, head, **told)[1]) == {"a": 4, "b": 1, "c": -1}
    left = {"reverse": "1-4", "negatives": Negatives.UNJUDGED}
    assert grades(take_csv(body, head, **left)[1]) == {"a": 4, "b": 1}


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (Consensus.MEDIAN, {"d": 1, "e": 0, "f": 2, "g": 1}),
        (Consensus.MAJORITY_THEN_MIN, {"d": 1, "e": 0, "f": 2, "g": 0}),
        (Consensus.MEAN_ROUNDED, {"d": 2, "e": 1, "f": 2, "g": 1}),
        (Consensus.HUMAN_LAST, {"d": 3, "e": 2, "f": 2, "g": 2}),
    ],
)
def test_consensus_rule_settles_what_raters_differ_on(
    rule: Consensus, expected: dict[str, int]
) -> None:
    """Each rule gives the grades that its name says."""
    assert rated(rule) == expected


def test_last_human_goes_before_later_models() -> None:
    """A rater named as a model never overwrites a person, and counts where there is no person."""
    assert rated(Consensus.HUMAN_LAST, models="cat, bob") == {"d": 1, "e": 0, "f": 2, "g": 0}
    assert rated(Consensus.HUMAN_LAST, models="ann,bob,cat")["d"] == 3


def test_raters_that_differ_without_a_rule_are_refused() -> None:
    """Nothing is averaged unasked: each pair on which raters differ is named with its votes."""
    with pytest.raises(InvalidError, match="3 problems") as caught:
        take_csv(RATED, LAX)
    first = caught.value.errors[0]
    assert first.row == 2
    assert "1 in row 2 of table by ann" in first.message
    assert "consensus=" in first.fix


def test_conflicting_duplicates_name_both_lines() -> None:
    """The same rater with two grades is an error with both places; two files are told apart."""
    topics = file(b"1\tq\n", "topics")
    one, two = file(b"1 0 a 1\n1 0 b 1\n", "one"), file(b"1 0 b 1\n1 0 a 2\n", "two")
    with pytest.raises(InvalidError) as caught:
        imported(topics, one, two)
    (item,) = caught.value.errors
    assert item.row == 2
    assert item.message.startswith("two row 2: ")
    assert "grade 2 here and 1 in row 1 of one" in item.message


def test_same_judgment_twice_is_counted_once() -> None:
    """Repeats are collapsed and counted."""
    found, draft, _ = imported(file(b"1\tq\n", "t"), file(b"1 0 a 1\n1 0 a 1\n"))
    assert (draft.stats.judgments, found.gathering.ledger.duplicates) == (1, 1)


def test_places_in_json_are_pointers() -> None:
    """A refusal inside a document names the record and the judgment by JSON Pointer."""
    book = {"query_doc_pairs": [{"query_text": "q", "doc_id": "d", "judgements": [{"rating": 9}]}]}
    with pytest.raises(InvalidError) as caught:
        imported(file(text(book)))
    assert [item.pointer for item in caught.value.errors] == ["/query_doc_pairs/0/judgements/0"]


def test_rows_are_skipped_only_when_told() -> None:
    """on_error=skip stores the rest, and the set says for ever what was left out."""
    body = b"query,docid,rating\nq,a,1\nq,b,high\nq,c,2\n"
    with pytest.raises(InvalidError):
        take_csv(body)
    found, draft, written = imported(file(body), on_error=OnError.SKIP)
    assert grades(written) == {"a": 1, "c": 2}
    (warning,) = [one for one in found.warnings() if one.code == "rows_skipped"]
    assert warning.evidence == ({"file": "file", "row": 3, "reason": "not_a_grade"},)
    assert draft.stats.judgments == 2


def test_queries_nobody_judged_are_dropped_only_when_told() -> None:
    """unlabelled=drop leaves them out; otherwise they are refused or counted as ever."""
    files = file(b"1\tq\n2\tr\n", "t"), file(b"1 0 a 1\n")
    with pytest.raises(InvalidError):
        imported(*files)
    _, draft, _ = imported(*files, unlabelled=Unlabelled.DROP)
    assert (draft.stats.queries, draft.stats.unscorable) == (1, 0)


@pytest.mark.parametrize(
    ("ids", "topics", "qrels"),
    [
        (QueryIds.ORDINAL, b"007\tq\n042\tr\n", b"1 0 a 1\n2 0 b 1\n"),
        (QueryIds.NUMBER, b"001\tq\n002\tr\n", b"1 0 a 1\n2 0 b 1\n"),
        (QueryIds.NUMBER, b"1\tq\n2\tr\n", b"001 0 a 1\n02 0 b 1\n"),
    ],
)
def test_queries_are_counted_or_read_as_numbers_when_told(
    ids: QueryIds, topics: bytes, qrels: bytes
) -> None:
    """Judgments meet queries by order, or without leading zeros, and queries have those ids."""
    with pytest.raises(InvalidError, match="in none of the files"):
        imported(file(topics), file(qrels))
    _, _, written = imported(file(topics), file(qrels), query_ids=ids)
    assert [(one.id, grades([one])) for one in written] == [("1", {"a": 1}), ("2", {"b": 1})]


def test_texts_of_one_id_must_agree() -> None:
    """Two files that give one query two texts are refused; the same text twice is not."""
    qrels = file(b"1 0 a 1\n")
    imported(
        file(b"1\tq\n"),
        file(b'{"_id": "1", "text": "q"}\n{"_id": "2", "text": "r"}\n', "b"),
        qrels,
        head=LAX,
    )
    with pytest.raises(InvalidError, match="another text than in row 1"):
        imported(file(b"1\tq\n"), file(b'{"_id": "1", "text": "r"}\n'), qrels)


def test_information_need_split_and_source_are_kept() -> None:
    """What a file says of a query besides its text stays with it."""
    rows = [{"text": RED, "relevant": [{"id": "d"}], "information_need": "to walk"}]
    rows.append(
        {"text": "x", "relevant": [{"id": "d", "grade": 1}], "split": "tune", "tags": ["t"]}
    )
    rows[0]["relevant"] = [{"id": "d", "grade": 1}]
    rows[0]["source"] = "shop"
    _, _, (first, second) = imported(file(lines(*rows)))
    assert (first.fields, first.source) == ({"information_need": "to walk"}, "shop")
    assert (second.split, second.tags) == ("tune", ["t"])


def test_qrels_of_several_splits_name_them() -> None:
    """BEIR's train, dev and test qrels give their queries that split."""
    header = b"query-id\tcorpus-id\tscore\n"
    _, _, written = imported(
        file(lines({"_id": "1", "text": "a"}, {"_id": "2", "text": "b"}), "queries.jsonl"),
        file(header + b"1\td\t1\n", "qrels/train.tsv"),
        file(header + b"2\td\t1\n", "qrels/test.tsv"),
    )
    assert [one.split for one in written] == ["train", "test"]


@pytest.mark.parametrize(
    ("encoding", "said"),
    [("latin-1", True), ("cp1252", True), ("utf-16", False), ("utf-8-sig", False)],
)
def test_encoding_is_found_and_a_guess_is_said(encoding: str, said: bool) -> None:  # noqa: FBT001
    """Marks decide; without one, bytes that are no UTF-8 are read as Windows-1252, and said."""
    body = "query,docid,rating\r\ncafé,a,1\r\n".encode(encoding)
    found, _, (query,) = imported(file(body))
    assert query.query == "café"
    assert ("encoding_guessed" in [one.code for one in found.warnings()]) is said


def test_rare_byte_decides_for_latin_1() -> None:
    """A byte that Windows-1252 does not know leaves Latin-1."""
    found, _, _ = imported(file(b"query,docid,rating\ncaf\xe9 \x81,a,1\n"))
    assert [one.encoding for one in found.files] == ["latin-1"]


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (b"q1\tcaf\xc3\xa9\nq2\tcaf\xe9\n", 2),
        (b"q1\tx\nq2\ty\x00\n", 2),
        ("q1\tx\n".encode("utf-16") + b"\x00", 2),
    ],
)
def test_damaged_characters_are_named_by_line(body: bytes, line: int) -> None:
    """A file that is UTF-8 but for one place is damaged, not Latin-1."""
    with pytest.raises(MalformedTextError, match=f"line {line} of"):
        imported(file(body))


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ("query", "names no role"),
        ("text:Query", "names no role"),
        ("query:Nope", "not in the header"),
        ("query:Twice", "more than once"),
        ("query:Query,query:Doc", "given twice"),
        ("docid:Doc", "no column holds the query"),
    ],
)
def test_columns_that_cannot_be_chosen_are_named(columns: str, reason: str) -> None:
    """A role or a column that is none is the parameter's mistake."""
    with pytest.raises(InvalidError, match=reason) as caught:
        take_csv(b"Query,Doc,Twice,Twice\nq,d,1,1\n", LAX, columns=columns)
    assert [item.pointer for item in caught.value.errors] == ["?columns"]


def test_raters_can_be_chosen_columns() -> None:
    """rater: as often as there are raters; a column with a comma is quoted."""
    body = table("Query|Doc, id|Ann|Bob|Note", ["q", "d", 1, 2, "x"])
    columns = 'query:Query,"docid:Doc, id",rater:Ann,rater:Bob'
    _, written = take_csv(body, LAX, columns=columns, consensus=Consensus.MEAN_ROUNDED)
    assert grades(written) == {"d": 2}
