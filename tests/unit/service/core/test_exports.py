import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reteval.contract.outcomes import Outcome, OutcomeRow, OutcomeStatus, QueryRow
from reteval.contract.testsets import Judgment, Query
from service.core.exports import disarm, write_csv
from service.core.trec import encode_id, write_qrels, write_run, write_topics


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_formula_is_disarmed(text: str) -> None:
    """Text that a spreadsheet would execute gets a quote before it; other text none."""
    assert (disarm(text), disarm("plain -1")) == (f"'{text}", "plain -1")


@given(st.lists(st.text(), min_size=1, max_size=5))
def test_csv_keeps_any_text_in_its_cell(texts: list[str]) -> None:
    """Line breaks, quotes and separators stay inside their cell."""
    rows = [
        QueryRow(query_id=text, query=text, status="ok", metrics={"mrr": 0.5}) for text in texts
    ]
    read = list(csv.reader(io.StringIO(write_csv(rows, ["mrr"]), newline="")))
    assert [row[:2] for row in read] == [[disarm(text)] * 2 for text in texts]


@given(st.text(), st.text())
def test_trec_ids_stay_one_column_and_distinct(one: str, other: str) -> None:
    """No id breaks a line into more columns, and two ids are never written alike."""
    assert len(encode_id(one).split()) == 1
    assert (encode_id(one) == encode_id(other)) is (one == other)


def test_trec_repeat_cannot_meet_a_document() -> None:
    """A document whose id looks like a repeat is written otherwise."""
    assert encode_id("a~dup2") == "a%7Edup2"


def test_trec_run_keeps_order_and_repeats() -> None:
    """Scores fall by one a rank; a repeat keeps its slot under another name."""
    outcome = Outcome(status=OutcomeStatus.OK, ids=["a", "b c", "a"], returned=3)
    row = OutcomeRow(query_id="q 1", query="x", outcome=outcome)
    assert write_run([row], depth=3, tag="t").splitlines() == [
        "q%201 Q0 a 1 3 t",
        "q%201 Q0 b%20c 2 2 t",
        "q%201 Q0 a~dup3 3 1 t",
    ]


def test_trec_test_set_keeps_grades_and_texts() -> None:
    """Negative grades stay; a text with line breaks stays on its line."""
    queries = [
        Query(id="1", query="two\nlines", relevant=[Judgment("a", 3), Judgment("b", -1)]),
        Query(id="2", query="none"),
    ]
    assert write_topics(queries) == "1\ttwo lines\n2\tnone\n"
    assert write_qrels(queries) == "1 0 a 3\n1 0 b -1\n"
