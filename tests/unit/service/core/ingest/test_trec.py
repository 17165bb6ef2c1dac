import pytest

from reteval.contract.imports import Negatives
from service.errors import InvalidError, MalformedTextError
from tests.unit.service.core.ingest.bodies import LAX, take_trec

QRELS = b"1 0 a 1\n"


def texts(topics: bytes) -> dict[str, str]:
    """What is asked, by topic."""
    _, written = take_trec(topics, b"", LAX)
    return {one.id: one.query for one in written}


@pytest.mark.parametrize(
    "topics",
    [
        b"1\tred shoes\n2\tblue hats\n",
        b"\xef\xbb\xbf1\tred shoes\r\n\r\n2\tblue hats",
        (
            b"<top>\n<num> Number: 1\n<title> red shoes\n\n<desc> Description:\nx\n</top>\n\n"
            b"<top>\n<num> Number: 2\n<title> Topic: blue\n hats\n<narr>\n</top>\n"
        ),
        (
            b"<top><num>1</num><title>red shoes</title></top>\n<TOP><NUM>2</NUM>"
            b"<TITLE>blue hats</TITLE></TOP>"
        ),
        (
            b"<DOC>\n<DOCNO> 1 </DOCNO>\n\n red\nshoes\n</DOC>\n"
            b"<DOC>\n<DOCNO>2</DOCNO> blue hats </DOC>\n"
        ),
    ],
)
def test_read_trec_reads_topics_in_each_layout(topics: bytes) -> None:
    """Lines, classic blocks with and without end tags, and document blocks are one thing."""
    assert texts(topics) == {"1": "red shoes", "2": "blue hats"}


def test_read_trec_keeps_the_text_of_a_line_exactly() -> None:
    """Only the first tab separates."""
    assert texts(b"1\t a\tb  c \n") == {"1": " a\tb  c "}


def test_read_trec_reads_qrels_with_any_blanks_and_comments() -> None:
    """Tabs and repeated blanks separate; comments and blank lines are skipped."""
    qrels = b"# judged twice\n1 0 a 3\r\n\n1\t0\tb  -1\n 1   Q0  c\xc2\xa0d 0 \n"
    _, (query,) = take_trec(b"1\tq\n", qrels, negatives=Negatives.KEEP)
    assert [(j.id, j.grade) for j in query.relevant or ()] == [("a", 3), ("b", -1), ("c\xa0d", 0)]


def test_read_trec_keeps_topics_without_judgments() -> None:
    """They become unscorable queries, refused or counted like any other."""
    draft, written = take_trec(b"1\tq\n2\tr\n", QRELS, LAX)
    assert (draft.stats.unscorable, [len(one.relevant or ()) for one in written]) == (1, [1, 0])
    with pytest.raises(InvalidError) as caught:
        take_trec(b"1\tq\n2\tr\n", QRELS)
    assert [item.row for item in caught.value.errors] == [2]


@pytest.mark.parametrize(
    ("topics", "qrels", "row"),
    [
        (b"1\tq\n2 r\n", QRELS, 2),
        (b"1\tq\n\tr\n", QRELS, 2),
        (b"1\tq\n1\tr\n", QRELS, 2),
        (b"<top><num>1<title>q</top>\n\n<top>\n<title>r</top>\n", QRELS, 3),
        (b"<top><num>1<title>q</top>\n<top>\n<num>2</top>\n", QRELS, 2),
        (b"<top><num>1<title>q</top>\n<top>\n<num>2<title>r\n", QRELS, 2),
        (b"1\tq\n", QRELS + b"\n2 0 a 1\n", 3),
        (b"1\tq\n", QRELS + b"1 0 b\n", 2),
        (b"1\tq\n", QRELS + b"1 0 b c 1\n", 2),
        (b"1\tq\n", QRELS + b"1 0 b high\n", 2),
        (b"1\tq\n", QRELS + b"1 0 a 2\n", 2),
        (b"1\tq\n", QRELS + b"1 0 b 4\n", 2),
    ],
)
def test_read_trec_names_the_row_of_a_problem(topics: bytes, qrels: bytes, row: int) -> None:
    """Lines that do not fit, unknown topics and conflicts name the line of their own file."""
    with pytest.raises(InvalidError) as caught:
        take_trec(topics, qrels)
    assert [(item.row, item.pointer) for item in caught.value.errors] == [(row, "")]


def test_read_trec_counts_what_it_does_not_list() -> None:
    """Qrels of another collection are not listed whole, but counted."""
    with pytest.raises(InvalidError, match="30 rows cannot be taken, 20 are listed"):
        take_trec(b"1\tq\n", b"9 0 a 1\n" * 30)


@pytest.mark.parametrize(
    ("topics", "qrels", "name"),
    [
        ("1\té".encode() + b"\n2\t\xe9", QRELS, "topics"),
        (b"1\tq", "1 0 é 1\n".encode() + b"1 0 \xe9 1", "qrels"),
    ],
)
def test_read_trec_refuses_broken_characters(topics: bytes, qrels: bytes, name: str) -> None:
    """The error names the file."""
    with pytest.raises(MalformedTextError, match=f"line 2 of {name} is not UTF-8"):
        take_trec(topics, qrels)
