import io
from typing import Any

import pytest

from reteval.contract.testsets import Judgment, Query, TestSetHead
from service.core.building.faq import QUESTION_NAMES, read_faq
from service.core.building.rows import Row, read_table
from service.errors import InvalidError
from tests.unit.service.core.ingest.bodies import take

HEAD = TestSetHead()


def read(text: str) -> list[Query]:
    """Take a table in, as the route does."""
    rows = read_table(io.BytesIO(text.encode()), required=QUESTION_NAMES)
    return take(read_faq(rows, grade=3), HEAD)[1]


def test_answers_document_is_the_known_positive() -> None:
    """Each question is a query from an FAQ with its document at the highest grade."""
    (one, other) = read(
        "question,answer,url\nHow do\u00a0I pay? ,By card.,/pay\nWhere is it?,Here.,/map\n"
    )
    assert one == Query(
        query="How do I pay?", id=one.id, relevant=[Judgment("/pay", 3)], source="faq"
    )
    assert (other.query, other.cluster_id) == ("Where is it?", "")


def test_question_on_several_rows_has_several_documents() -> None:
    """Rows of one question are one query; a document named twice is one."""
    (one,) = read("query;docid\nHow?;a\nHow?;b\nHow?;a\n")
    assert one.relevant == [Judgment("a", 3), Judgment("b", 3)]


def test_questions_with_one_answer_are_one_need() -> None:
    """They share a cluster, whatever the answer's case; others have none."""
    first, second, third = read(
        "question,answer,id\nHow?,Like this.,1\nIn what way?,like THIS,2\nWhy?,,3\n"
    )
    assert first.cluster_id == second.cluster_id != ""
    assert (first.cluster_id[:7], third.cluster_id) == ("answer_", "")


def test_questions_without_answers_are_not_one_need() -> None:
    """Where nobody wrote an answer, nothing is shared."""
    assert [one.cluster_id for one in read("question,id\nHow?,1\nWhy?,2\n")] == ["", ""]


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (None, "cannot be read"),
        ({"answer": "x", "id": "1"}, "has no question"),
        ({"question": "\u200b", "id": 1}, "has no question"),
        ({"question": "How?", "id": " "}, "has no document"),
        ({"question": "How?"}, "has no document"),
        ({"question": "How?", "id": ["a", "b"]}, "has no document"),
        ({"question": True, "id": "a"}, "has no question"),
    ],
)
def test_row_that_is_no_pair_is_refused_with_its_place(cells: Any, message: str) -> None:
    """Each row without a question or a document is named; nothing is taken over."""
    rows = iter([Row(2, {"question": "Fine?", "id": 7}), Row(3, cells)])
    with pytest.raises(InvalidError, match=message) as caught:
        list(read_faq(rows, grade=3))
    assert [item.row for item in caught.value.errors] == [3]


def test_reading_stops_at_many_problems() -> None:
    """A file of something else is refused without reading it to its end."""
    rows = (Row(number, None) for number in range(1_000_000_000))
    with pytest.raises(InvalidError, match="stopped after 20 problems"):
        list(read_faq(rows, grade=3))
