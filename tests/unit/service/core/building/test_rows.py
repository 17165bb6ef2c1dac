import io
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.core.building.rows import Row, read_lines, read_objects, read_table
from service.errors import InvalidError, MalformedTextError, ServiceError


def table(text: str) -> list[Row]:
    """Read a table that needs a column `q`."""
    return list(read_table(io.BytesIO(text.encode()), required=("q",)))


def test_table_is_read_by_its_header() -> None:
    """Names are those of the header in lower case; rows are numbered by their first line."""
    assert table('\ufeffQ;n\n"a;\nb";1\n\nc;2\n') == [
        Row(2, {"q": "a;\nb", "n": "1"}),
        Row(5, {"q": "c", "n": "2"}),
    ]


def test_row_that_does_not_fit_has_no_cells() -> None:
    """Another number of cells, or bytes that are no UTF-8, leave a row without cells."""
    body = b"q,n\na\nb\xff,2\nc,3\n"
    rows = list(read_table(io.BytesIO(body), required=("q",)))
    assert [row.cells for row in rows] == [None, None, {"q": "c", "n": "3"}]


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n"])
def test_header_must_name_what_is_needed(text: str) -> None:
    """A table without the column is refused at its first row."""
    with pytest.raises(InvalidError) as caught:
        table(text)
    assert (caught.value.errors[0].row, "'q'" in caught.value.detail) == (1, True)


def test_open_quote_is_told_with_its_row() -> None:
    """A quote that is never closed does not swallow the rest in silence."""
    with pytest.raises(MalformedTextError, match="line 3"):
        table('q\na\n"b\nc\n')


def test_header_that_is_too_long_is_told() -> None:
    """A file without line breaks is refused in words, whatever it is."""
    with pytest.raises(MalformedTextError, match="line 1"):
        table("q" * 200_000)


@given(st.binary(max_size=200), st.sampled_from([b"", b"q,n\n", b'{"q": 1}\n']))
def test_any_bytes_are_rows_or_refused_in_words(body: bytes, before: bytes) -> None:
    """No file breaks a reader; what it cannot read has no cells."""
    text = before + body
    with suppress(ServiceError):
        list(read_table(io.BytesIO(text), required=("q",)))
    assert all(row.number >= 1 for row in read_objects(io.BytesIO(text)))
    assert len(list(read_lines(io.BytesIO(text)))) == len(io.BytesIO(text).readlines())


def test_objects_are_read_line_by_line() -> None:
    """Blank lines are skipped, what is no object has no cells, dumps are unwrapped."""
    body = b'\xef\xbb\xbf{"Q": 1}\n\n[1]\nx\n{"_source": {"q": "a"}}\n{"_source": 1, "q": "b"}\n'
    assert list(read_objects(io.BytesIO(body))) == [
        Row(1, {"q": 1}),
        Row(3, None),
        Row(4, None),
        Row(5, {"q": "a"}),
        Row(6, {"_source": 1, "q": "b"}),
    ]


def test_lines_are_cells() -> None:
    """Each line is a query, whatever it holds but broken bytes."""
    assert list(read_lines(io.BytesIO(b"\xef\xbb\xbfa, b\r\n\xff\n"))) == [
        Row(1, {"query": "a, b\r\n"}),
        Row(2, None),
    ]
