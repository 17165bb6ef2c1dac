from typing import Any

import pytest

from reteval.contract.imports import ImportOptions, OnError
from service.core.ingest.formats.engines import find_text
from service.core.ingest.formats.format import Holds, Opened
from service.core.ingest.formats.gathering import Gathering
from service.core.ingest.formats.reading import read_import
from service.core.ingest.formats.rows import Vote
from service.core.ingest.formats.sample import Sample
from service.errors import InvalidError, TooLargeError
from tests.unit.service.core.ingest.bodies import LAX, file, imported
from tests.unit.service.core.ingest.samples import lines, text

GROUP = {"queries": [{"placeholders": {"$query": "a"}}], "relevant_documents": {"d": {"gain": 1}}}


@pytest.mark.parametrize(
    ("document", "reasons"),
    [
        ({"topics": [GROUP, 3]}, {"bad_record": 1}),
        ({"topics": [GROUP, {"name": "empty"}]}, {"bad_record": 1}),
        ({"topics": [{**GROUP, "queries": [{"placeholders": {}}, 3]}]}, {"not_a_query": 1}),
        ({"topics": [{**GROUP, "queries": {}}]}, {"not_a_query": 1}),
        ({"topics": [{**GROUP, "relevant_documents": []}]}, {"bad_record": 1}),
        ({"topics": [{**GROUP, "relevant_documents": {"d": 3}}]}, {"not_a_judgment": 1}),
        ({"requests": [{"id": "1", "ratings": []}, 3]}, {"not_a_query": 1}),
        ({"requests": [{"id": "1", "ratings": [{"_id": "d"}, 3]}]}, {"not_a_judgment": 2}),
        ({"q1": {"d": 1}, "q2": {"d": []}}, {"not_a_judgment": 1, "no_text": 1}),
        ({"queries": {"a": "x", "b": 3}, "relevant_docs": {"a": ["d"], "b": 3}}, {"bad_record": 2}),
        ({"ratings": [{"query_text": "a", "doc_id": "d", "rating": 1}, 3]}, {"bad_record": 1}),
        ({"ratings": [{"query_text": "a", "doc_id": "d", "rating": 1}, {}]}, {"bad_record": 1}),
        ({"ratings": [{"query_text": "a", "doc_id": "", "rating": 1}]}, {"not_a_judgment": 1}),
        ({"ratings": [{"query_text": "a", "doc_id": "d", "rating": []}]}, {"not_a_judgment": 1}),
        ({"ratings": [{"query_text": "", "doc_id": "d", "rating": 1}]}, {"not_a_query": 1}),
        ({"queries": [{"query_text": "a", "ratings": [3]}]}, {"bad_record": 1}),
        ({"queries": [{"query_text": "a", "ratings": "x"}]}, {"bad_record": 1}),
        (
            {"queries": [{"query_text": "a", "ratings": {"d": 1, "e": [], "f": True}}]},
            {"not_a_judgment": 2},
        ),
        ({"q1": {"d": 1}, "q2": {"d": 1_000}}, {"over_scale": 1, "no_text": 1}),
    ],
)
def test_record_of_another_form_is_refused_where_it_stands(
    document: dict[str, Any], reasons: dict[str, int]
) -> None:
    """Each member that is not what its format has there is counted under a reason."""
    with pytest.raises(InvalidError) as caught:
        imported(file(text(document)), head=LAX)
    assert all(item.row for item in caught.value.errors)
    assert len(caught.value.errors) == reasons_listed(text(document), reasons)


def reasons_listed(body: bytes, reasons: dict[str, int]) -> int:
    """Check the counts by reason of a skipping import, and give how many were refused."""
    found = read_import([file(body)], ImportOptions(on_error=OnError.SKIP), LAX)
    at_once = sum(found.gathering.ledger.reasons.values())
    list(found.located())
    assert dict(found.gathering.ledger.reasons) == reasons
    return at_once


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ({"id": "7", "request": {"query": {"match": {"title": {"query": "red"}}}}}, "red"),
        ({"id": "7", "request": {"query": {"match_phrase": {"title": "red"}}}}, "red"),
        ({"id": "7", "request": {"query": {"multi_match": {"query": "red", "fields": []}}}}, "red"),
        ({"id": "7", "request": {"query": {"bool": {"must": [{"term": {"t": "red"}}]}}}}, "red"),
        ({"id": "7", "request": {"query": {"match": {"a": 1, "b": 2}}}}, "7"),
        ({"id": "7", "request": {"query": {"match": 3}}}, "7"),
        ({"id": "7", "params": {"size": 3}, "template_id": "t"}, "7"),
        ({}, ""),
        (3, ""),
    ],
)
def test_text_of_a_request_is_found(request_: Any, expected: str) -> None:
    """The usual clauses say what is asked for; else the id stands there."""
    assert find_text(request_) == expected


def test_array_of_documents_is_a_corpus() -> None:
    """Documents may come as an array; those without id, and lines that are none, are passed."""
    corpus = file(
        text([{"_id": "d", "title": "x", "text": "y"}, {"title": 3}, 3]), "docs", "corpus"
    )
    found, _, _ = imported(file(b"1\tq\n"), file(b"1 0 d 1\n"), corpus)
    assert "judged_not_in_corpus" not in [one.code for one in found.warnings()]


def test_lines_that_are_no_queries_are_refused() -> None:
    """A BEIR line without a text, and one that is no JSON, are named by line."""
    body = lines({"_id": "1", "text": "q"}) + b'{"_id": "2", "text": "r"}\n{"_id": []}\n{"\n'
    with pytest.raises(InvalidError) as caught:
        imported(file(body))
    assert [item.row for item in caught.value.errors] == [3, 4]


def test_upload_of_too_many_rows_is_stopped() -> None:
    """Rows are held until all are known, so their number is bounded."""
    qrels = file(b"1 0 a 1\n")
    opened = Opened(qrels, Sample(qrels, "utf-8"), ImportOptions())
    gathering = Gathering(ImportOptions(), LAX, most=3)
    rows = (Vote("1", None, "a", "1", at) for at in range(1, 5))
    with pytest.raises(TooLargeError, match="over 3 rows"):
        gathering.take(opened, Holds.JUDGMENTS, rows)


def test_rater_of_a_judgment_is_kept() -> None:
    """A judgment that is one rater's names that rater; one that several share names nobody."""
    body = b"query,docid,ann,bob\nq,d,1,1\nq,e,2,\n"
    _, _, (query,) = imported(file(body))
    assert [(one.id, one.rater or "") for one in query.relevant or ()] == [("d", ""), ("e", "ann")]
