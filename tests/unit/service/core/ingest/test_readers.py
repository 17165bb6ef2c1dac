import asyncio
from collections.abc import AsyncIterator

import pytest

from reteval.contract import limits
from reteval.contract.testsets import Scale, TestSetHead
from service.core.ingest.json_body import read_json
from service.core.ingest.located import Located
from service.core.ingest.ndjson import read_ndjson
from service.errors import InvalidError, MalformedJsonError, TooLargeError
from tests.unit.service.core.ingest.bodies import (
    in_chunks,
    json_body,
    lines,
    query,
    take_json,
    take_ndjson,
)


async def gather(located: AsyncIterator[Located]) -> list[Located]:
    """All that a reader gives."""
    return [item async for item in located]


def test_read_json_gives_head_and_places() -> None:
    """The head is read at once, each query with its pointer."""
    head, located = read_json(
        json_body(query("a"), query("b"), name="n", scale={"max": 5}, relevant_from=2)
    )
    assert head == TestSetHead(name="n", scale=Scale(5), relevant_from=2)
    assert [(item.query.query, item.pointer, item.row) for item in located] == [
        ("a", "/queries/0", None),
        ("b", "/queries/1", None),
    ]


def test_read_json_tolerates_a_byte_order_mark() -> None:
    """Editors put one there."""
    draft, _ = take_json(b"\xef\xbb\xbf" + json_body(query()))
    assert draft.stats.queries == 1


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        (b"[]", ""),
        (b"{}", ""),
        (b'{"queries": 3}', "/queries"),
        (b'{"queries": [], "scale": {"max": 0}}', "/scale/max"),
        (b'{"queries": [], "name": ""}', "/name"),
        (b'{"queries": [], "relevant_form": 1}', "/relevant_form"),
        (b'{"queries": [], "relevant_from": "1"}', "/relevant_from"),
    ],
)
def test_read_json_refuses_a_misfit_of_the_head(body: bytes, pointer: str) -> None:
    """Types, bounds and unknown fields are 422 with a pointer, before any query is read."""
    with pytest.raises(InvalidError) as caught:
        read_json(body)
    assert [item.pointer for item in caught.value.errors] == [pointer]


@pytest.mark.parametrize(
    ("bad", "pointer"),
    [
        (query(relevant_ids=[True]), "/queries/1/relevant_ids/0"),
        (query(relevant_ids=[1.5]), "/queries/1/relevant_ids/0"),
        (query(relevant_ids=["a"], grades=[None]), "/queries/1/grades/0"),
        (query(relevant=[{"id": "a", "grade": None}]), "/queries/1/relevant/0/grade"),
        (query(relevant=[{"id": "a", "grade": "3"}]), "/queries/1/relevant/0/grade"),
        (query(relevant=[{"id": "a", "grade": 2000}]), "/queries/1/relevant/0/grade"),
        (query(relevant=[{"id": "a", "rank": 1}]), "/queries/1/relevant/0/rank"),
        (query(expect="something"), "/queries/1/expect"),
        ({"relevant_ids": ["a"]}, "/queries/1"),
        ("text", "/queries/1"),
    ],
)
def test_read_json_refuses_a_misfit_of_a_query(bad: object, pointer: str) -> None:
    """A query of another shape is 422 with a pointer into the whole body."""
    with pytest.raises(InvalidError) as caught:
        take_json(json_body(query("ok"), bad))
    assert [item.pointer for item in caught.value.errors] == [pointer]


def test_read_json_lists_all_misfits_beside_broken_rules() -> None:
    """One upload tells everything that is wrong, in order, not the first thing only."""
    bad = query(relevant_ids=[1.5])
    with pytest.raises(InvalidError, match="3 problems") as caught:
        take_json(json_body(query(id="a\n"), bad, query("c"), bad))
    assert [item.pointer for item in caught.value.errors] == [
        "/queries/0/id",
        "/queries/1/relevant_ids/0",
        "/queries/3/relevant_ids/0",
    ]


def test_read_json_stops_when_problems_are_many() -> None:
    """Twenty problems are listed, and the message says that reading stopped."""
    with pytest.raises(InvalidError, match="stopped after 20") as caught:
        take_json(json_body(*[query(relevant_ids=[1.5])] * 30))
    assert len(caught.value.errors) == 20


def test_read_json_refuses_as_malformed_when_a_query_holds_bad_text() -> None:
    """Encoding inside a query is 400 though the queries are decoded late."""
    with pytest.raises(MalformedJsonError):
        take_json(b'{"queries": [{"query": "caf\xe9"}]}')


@pytest.mark.parametrize("size", [1, 7, 64, 1 << 16])
def test_read_ndjson_gives_the_same_whatever_the_chunks(size: int) -> None:
    """Chunks end anywhere, also inside a character."""
    body = lines(query("café"), query("b")) + '{"query": "日本"}'.encode()
    items = asyncio.run(gather(read_ndjson(in_chunks(body, size))))
    assert [(item.query.query, item.pointer, item.row) for item in items] == [
        ("café", "", 1),
        ("b", "", 2),
        ("日本", "", 3),
    ]


def test_read_ndjson_skips_blank_lines_but_counts_them() -> None:
    """Rows are lines of the file; a mark at its start and CRLF do no harm."""
    body = b'\xef\xbb\xbf{"query": "a"}\r\n\r\n  \n{"query": "b"}\r\n'
    items = asyncio.run(gather(read_ndjson(in_chunks(body, 2))))
    assert [(item.query.query, item.row) for item in items] == [("a", 1), ("b", 4)]


@pytest.mark.parametrize("size", [100, 1 << 20])
def test_read_ndjson_knows_each_row_of_many(size: int) -> None:
    """Lines decoded together keep their rows; one that does not fit is named by its own."""
    body = lines(*[query(f"q{number}") for number in range(1, 1_202)])
    items = asyncio.run(gather(read_ndjson(in_chunks(body, size))))
    assert [(item.row, item.query.query) for item in items] == [
        (number, f"q{number}") for number in range(1, 1_202)
    ]
    with pytest.raises(InvalidError) as caught:
        take_ndjson(body + lines(query(id=3)) + body)
    assert [(item.row, item.pointer) for item in caught.value.errors] == [(1_202, "/id")]


@pytest.mark.parametrize(
    "line",
    ['{"query": "a"} {"query": "b"}', '{"query":\n"a"}', '{"query": "a"},{"query": "b"}', "{}]["],
)
def test_read_ndjson_takes_one_object_a_line(line: str) -> None:
    """Two on a line, or one over two lines, is refused also where the lines around are good."""
    body = lines(query("x")) + line.encode() + b"\n" + lines(query("y"))
    with pytest.raises((MalformedJsonError, InvalidError)) as caught:
        take_ndjson(body)
    assert caught.value.errors[0].row == 2


def test_read_ndjson_names_every_line_that_does_not_fit() -> None:
    """Misfits are collected with row and pointer within the line."""
    body = lines(query("a"), query(grades=[1.5]), query("c"), query(id=3))
    with pytest.raises(InvalidError) as caught:
        take_ndjson(body)
    assert [(item.row, item.pointer) for item in caught.value.errors] == [
        (2, "/grades/0"),
        (4, "/id"),
    ]


def test_read_ndjson_stops_when_problems_are_many() -> None:
    """A file of another format is not read to its end."""
    with pytest.raises(InvalidError, match="stopped after 20"):
        take_ndjson(lines(*[[1]] * 30))


def test_read_ndjson_refuses_as_malformed_when_a_line_is_no_json() -> None:
    """The error names the line."""
    with pytest.raises(MalformedJsonError, match="line 2"):
        take_ndjson(lines(query()) + b'{"query": \n}')


@pytest.mark.parametrize("size", [1_000, 1 << 20])
def test_read_ndjson_refuses_a_line_over_its_bound(size: int) -> None:
    """A line is bounded whether its end has come yet or not."""
    long = b'{"query": "' + b"x" * limits.MAX_LINE_BYTES + b'"}\n'
    with pytest.raises(TooLargeError, match="line 2") as caught:
        take_ndjson(lines(query()) + long + lines(query("z")), size=size)
    assert caught.value.errors[0].row == 2


def test_read_ndjson_refuses_a_body_over_its_bound() -> None:
    """A stream that never ends is cut off."""
    with pytest.raises(TooLargeError, match="over 50 bytes"):
        asyncio.run(gather(read_ndjson(in_chunks(b"\n" * 100, 10), most=50)))
