import pytest

from service.errors import InvalidError, MalformedTextError
from tests.unit.service.core.ingest.bodies import LAX, take_csv


def judgments(body: bytes) -> dict[str, dict[str | int, int]]:
    """Grades by query text and document."""
    _, written = take_csv(body, LAX)
    return {one.query: {j.id: j.grade for j in one.relevant or ()} for one in written}


@pytest.mark.parametrize(
    "body",
    [
        b"query,docid,rating\na b,1,3\nc,2,0\na b,x,1\n",
        b"\xef\xbb\xbfquery,docid,rating\r\na b,1,3\r\n\r\nc,2,0\r\na b,x,1",
        b"query;docid;rating\na b;1;3\nc;2;0\na b;x;1\n",
        b"rating\tquery\tdocid\n3\ta b\t1\n0\tc\t2\n1\ta b\tx\n",
        b'"Rating";"Query";"DocID"\n3;"a b";1\n0;c;2\n"1";a b;x\n',
        b"query, docid, rating\na b, 1, 3\nc, 2, 0\na b, x, 1.0\n",
        b"query,docid,rating\ra b,1,3\rc,2,0\ra b,x,1\r",
    ],
)
def test_read_csv_gives_the_same_whatever_the_dialect(body: bytes) -> None:
    """Delimiter, order of columns, quotes, line ends and a byte order mark do not matter."""
    assert judgments(body) == {"a b": {"1": 3, "x": 1}, "c": {"2": 0}}


def test_read_csv_keeps_query_text_exactly() -> None:
    """Quotes, delimiters, line breaks and spaces inside a quoted query are part of it."""
    body = 'query,docid,rating\n" 27"" monitor, 4k\nnew ",1,1\ncafé,2,1\n'.encode()
    assert list(judgments(body)) == [' 27" monitor, 4k\nnew ', "café"]


def test_read_csv_groups_by_query_id_where_there_is_one() -> None:
    """The same text under two ids is two queries; a row without id groups by text."""
    body = b"query_id,query,docid,rating\n1,a,x,1\n2,a,y,1\n1,a,z,2\n,b,w,1\n,b,v,1\n"
    draft, written = take_csv(body)
    assert [(one.query, len(one.relevant or ())) for one in written] == [
        ("a", 2),
        ("a", 1),
        ("b", 2),
    ]
    assert [one.id for one in written[:2]] == ["1", "2"]
    assert [warning.code for warning in draft.warnings] == ["few_queries", "same_text"]


def test_read_csv_takes_a_row_of_blanks_as_an_unjudged_query() -> None:
    """That is how rating tools export a query that nobody rated."""
    assert judgments(b"query,docid,rating\na,,\nb,1,1\n") == {"a": {}, "b": {"1": 1}}


@pytest.mark.parametrize(
    ("body", "row"),
    [
        (b"query,docid,rating\na,1,1\na,2,high\n", 3),
        (b"query,docid,rating\na,1,\n", 2),
        (b"query,docid,rating\na,,1\n", 2),
        (b"query,docid,rating\na,1,2.5\n", 2),
        (b"query,docid,rating\na,1\n", 2),
        (b'query,docid,rating\n"a\nb",1,1\n\na,1,x\n', 5),
        (b"query,docid,rating\na,1,1\na,2,1\na,1,3\n", 4),
        (b"query,docid,rating\na,1,1\na,2,4\n", 3),
        (b"query,docid,rating\na,1,1\na,2\x01,1\n", 3),
        (b"query_id,query,docid,rating\n1,a,x,1\n1,b,x,1\n", 3),
        (b"query_id,query,docid,rating\n1\x01,a,x,1\n", 2),
        (b"query,doc,rating\na,1,1\n", 1),
        (b"query,docid,rating,tags\na,1,1,x\n", 1),
        (b"query,query,docid,rating\na,1,1,x\n", 1),
        (b"", 1),
    ],
)
def test_read_csv_names_the_row_of_a_problem(body: bytes, row: int) -> None:
    """A wrong cell, a conflict or a bad header names the line it is on, without a pointer."""
    with pytest.raises(InvalidError) as caught:
        take_csv(body)
    assert [(item.row, item.pointer) for item in caught.value.errors] == [(row, "")]


def test_read_csv_counts_what_it_does_not_list() -> None:
    """A table of another format is not listed whole, but counted."""
    with pytest.raises(InvalidError, match="30 rows cannot be taken, 20 are listed"):
        take_csv(b"query,docid,rating\n" + b"a,1,x\n" * 30)


def test_read_csv_refuses_a_table_damaged_in_one_place() -> None:
    """Bytes that are no UTF-8 among characters that are: damage, named by its line, no guess."""
    with pytest.raises(MalformedTextError, match="line 3 of table is not UTF-8"):
        take_csv("query,docid,rating\ncafé,1,1\n".encode() + b"caf\xe9,2,1\n")


@pytest.mark.parametrize("rest", [b'"a,1,1\n', b'"a"b,1,1\n', b'"' + b"x" * 200_000])
def test_read_csv_refuses_quotes_that_do_not_match(rest: bytes) -> None:
    """An open quote would swallow the rest of the file: refused with the line it begins on."""
    with pytest.raises(MalformedTextError, match="begins on line 3"):
        take_csv(b"query,docid,rating\nx,1,1\n" + rest)
