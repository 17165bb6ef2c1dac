"""Queries taken in one sweep: to the same effect as one by one, whatever stands among them."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from itertools import count, islice
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reteval.contract.testsets import Query, Scale, TestSetHead
from service.core.ingest.assembly import Assembly
from service.core.ingest.bulk import find_plain
from service.core.ingest.draft import ingest
from service.core.ingest.located import Batches, Located
from service.core.ingest.ndjson import read_ndjson
from service.errors import InvalidError, MalformedTextError, ServiceError
from tests.unit.service.core.ingest.bodies import HEAD, in_chunks, lines, query

LABELS = {"split": "s", "source": "日", "cluster_id": "a" * 512, "tags": ["a", "b", "a"]}
PLAIN: list[dict[str, Any]] = [
    {"relevant_ids": ["d"]},
    {"relevant_ids": ["é", "f"], "id": "own {}", "source": "one of {}"},
    {"relevant_ids": [1, "f"], **LABELS},
    {"relevant_ids": ["d", "e"], "grades": [3, -1], "id": "own {}", "split": "t"},
    {"relevant_ids": [10, 7], "grades": [2, 0], "tags": ["tag of {}"]},
    {"relevant": [{"id": "d"}, {"id": "e", "grade": 2}], "tags": ["c"]},
    {"relevant": [{"id": 10, "grade": 3}], "source": "logs"},
    {"query": "text {} é日?", "relevant_ids": ["d"]},
    {"query": "  Text,\t{} \x1f!", "relevant_ids": ["d"]},
    {"expect": "nothing"},
    {"expect": "nothing", "relevant_ids": [], "tags": ["c"]},
]
TWINS: list[dict[str, Any]] = [
    {"query": text, "relevant_ids": ["d"], **own}
    for text in ("text 0", "Text 0!", "TEXT\u00a0 0", "?!", "", "text 0 é日?", "text 3")
    for own in ({}, {"id": "own {}"}, {"id": "own 1"}, {"id": "{}", "parent": "own 1", "kind": "k"})
]
ODDITIES: list[dict[str, Any]] = [
    {"text": "\x00"},
    {"text": "日" * 2_731},
    {"text": "日" * 2_700},
    {"id": "\n"},
    {"id": "a\u200b{}"},
    {"id": "a" * 513},
    {"id": "日" * 171},
    {"split": "a" * 201},
    {"tags": [""]},
    {"tags": ["\x85"]},
    {"tags": [str(n) for n in range(33)]},
    {"relevant_ids": []},
    {"relevant": []},
    {"relevant_ids": [""]},
    {"relevant_ids": ["\x7f"]},
    {"relevant_ids": [1, "1"]},
    {"relevant_ids": ["d", "d", "e"]},
    {"relevant_ids": ["d", "d"], "grades": [1, 2]},
    {"relevant": [{"id": 1, "grade": 1}, {"id": "1", "grade": 1}]},
    {"relevant_ids": ["d"], "grades": []},
    {"grades": [], "relevant": []},
    {"relevant_ids": ["d"], "grades": [4]},
    {"relevant_ids": ["d"], "grades": [0]},
    {"relevant_ids": ["d"], "relevant": []},
    {"relevant_ids": ["d"], "relevant": [{"id": "d"}]},
    {"relevant": [{"id": "d"}], "grades": [1]},
    {"relevant": [{"id": "d", "rater": "a"}]},
    {"relevant_ids": [str(n) for n in range(10_001)]},
    {"expect": "nothing", "relevant_ids": ["d"]},
    {"parent": "own 1"},
    {"kind": "a", "relevant_ids": ["d"]},
    {"parent": "own 1", "kind": "a", "relevant_ids": ["d"]},
    {"fields": {"a": "b"}, "relevant_ids": ["d"]},
    {"fields": {"": "b"}, "relevant_ids": ["d"]},
]
ODD = [query(**fields) for fields in ODDITIES]
HEADS = [
    *[HEAD] * 6,
    TestSetHead(relevant_from=2),
    TestSetHead(relevant_from=2, allow_unscorable=True, language="pt"),
    TestSetHead(scale=Scale(2)),
    TestSetHead(allow_unscorable=True, scale=Scale(100)),
    TestSetHead(name="\n"),
]


@st.composite
def uploads(draw: st.DrawFn, odd: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Plain queries, and among them none, some or many that are another's twin, or odd."""
    sent = draw(st.lists(st.sampled_from(PLAIN), min_size=1, max_size=20))
    most = draw(st.sampled_from([0, 1, 1, 2, 30]))
    among = st.tuples(st.integers(0, 20), st.sampled_from([*TWINS, *odd]))
    for place, one in draw(st.lists(among, max_size=most)):
        sent.insert(place, one)
    return [number_texts({"query": "text {}"} | one, n) for n, one in enumerate(sent)]


def number_texts(value: Any, number: int) -> Any:
    """The same with a number for each `{}`, so that what is no twin is told apart."""
    if isinstance(value, str):
        return value.replace("{}", str(number))
    if isinstance(value, dict):
        return {name: number_texts(one, number) for name, one in value.items()}
    return [number_texts(one, number) for one in value] if isinstance(value, list) else value


async def one_by_one(located: AsyncIterator[Located], head: TestSetHead) -> Any:
    """What becomes of queries that are taken each by itself."""
    assembly, stored = Assembly(head), []
    try:
        async for item in located:
            stored.append(assembly.take(item))
            if assembly.problems and assembly.stopped:
                break
    except InvalidError as exc:
        if not assembly.problems:
            raise
        assembly.problems.add(exc.errors)
    assembly.settle()
    return assembly.digest, assembly.stats, assembly.warnings, stored


async def together(located: AsyncIterator[Located], head: TestSetHead) -> Any:
    """What becomes of queries on the way that uploads go."""
    stored: list[Query] = []

    async def write(queries: list[Query]) -> None:
        stored.extend(queries)

    draft = await ingest(located, head, write)
    return draft.hash, draft.stats, draft.warnings, stored


def outcome(taking: Any) -> Any:
    """What was made of queries, or every word of why they were refused."""
    try:
        return asyncio.run(taking)
    except ServiceError as exc:
        return exc.code, exc.detail, exc.errors


def batched(items: list[Located], sizes: list[int]) -> Batches:
    """Queries as a reader finds them together, so many at a time."""

    async def batches() -> Any:
        rest, left = iter(items), iter(sizes)
        while batch := list(islice(rest, next(left, len(items)))):
            yield batch

    return Batches(batches())


def locate(bodies: list[dict[str, Any]]) -> list[Located]:
    """Queries in the lines of a body."""
    return [
        Located(query=msgspec.convert(body, Query), row=row) for row, body in enumerate(bodies, 1)
    ]


@pytest.mark.no_cover
@settings(max_examples=400, deadline=None)
@given(
    bodies=uploads(ODD),
    head=st.sampled_from(HEADS),
    sizes=st.lists(st.integers(1, 9), max_size=20),
)
def test_batches_are_taken_as_their_queries_one_by_one(
    bodies: list[dict[str, Any]], head: TestSetHead, sizes: list[int]
) -> None:
    """Hash, counts, warnings, stored queries and every problem are the same, however cut."""
    items = locate(bodies)
    alone = outcome(one_by_one(batched(items, [1] * len(items)), head))
    assert outcome(together(batched(items, sizes), head)) == alone
    assert items == locate(bodies)  # what was sent is as it was


@pytest.mark.no_cover
@settings(max_examples=200, deadline=None)
@given(
    bodies=uploads([*ODD, {"query": 1}, {"queri": "a"}, {"tags": None}]),
    cut=st.none() | st.integers(0, 30),
    size=st.sampled_from([1 << 16, 700, 64]),
)
def test_lines_are_taken_as_their_queries_one_by_one(
    bodies: list[dict[str, Any]], cut: int | None, size: int
) -> None:
    """So it is where lines are of another shape, or where the body breaks off."""
    body = lines(*bodies)
    if cut is not None:
        at = body.find(b"\n", cut * 40) + 1
        body = body[:at] + b'{"query": \n' + body[at:]
    alone = outcome(one_by_one(read_ndjson(in_chunks(body, size)), HEAD))
    assert outcome(together(read_ndjson(in_chunks(body, size)), HEAD)) == alone


@pytest.mark.parametrize("wrong", [25, 3, 0])
def test_queries_before_a_refusal_of_the_reader_are_judged_first(wrong: int) -> None:
    """They were sent first, whatever form they came in."""
    broken = MalformedTextError("broken off")

    async def items() -> AsyncIterator[Located]:
        for item in locate([query(str(n), relevant_ids=["\n"]) for n in range(wrong)]):
            yield item
        raise broken

    alone = outcome(one_by_one(items(), HEAD))
    assert (alone[0] == "invalid") == (wrong == 25)
    assert outcome(together(items(), HEAD)) == alone


def test_ordinary_queries_are_plain() -> None:
    """The common spellings all go the quick way."""
    bodies = [number_texts({"query": "text {}"} | one, n) for n, one in enumerate(PLAIN)]
    assert find_plain(locate(bodies), HEAD) is not None
    assert find_plain(locate([query("a" * 8_192, id="a" * 512)]), HEAD) is not None


@pytest.mark.parametrize("odd", ODD)
def test_a_query_that_may_be_odd_is_left_to_the_rules(odd: dict[str, Any]) -> None:
    """One is enough for those beside it too."""
    assert find_plain(locate([query("a"), odd, query("b")]), HEAD) is None


def test_fields_that_no_rule_of_the_sweep_knows_make_a_query_odd() -> None:
    """A field that the contract gets later goes through its rules, not past them."""
    known = {"query", "id", "relevant", "relevant_ids", "grades", "tags", "expect"}
    known |= {"split", "source", "cluster_id"}
    for name in set(Query.__struct_fields__) - known:
        sent = Query(query="q", relevant_ids=["d"])
        setattr(sent, name, "set")
        assert find_plain([Located(query=sent)], HEAD) is None


@pytest.mark.parametrize("later", [query("A!"), query("a"), query("b", id="i"), query("c")])
def test_queries_taken_one_by_one_are_known_to_later_batches(later: dict[str, Any]) -> None:
    """A sweep compares ids and texts with all before it, however those were taken."""
    items = locate([query("a", id="i", fields={"f": 1}), later, query("d"), query("e")])
    alone = outcome(one_by_one(batched(items, [1] * 4), HEAD))
    assert outcome(together(batched(items, [1, 3]), HEAD)) == alone


@pytest.mark.parametrize("tags", [1_000, 1_001, 1_100])
def test_tags_are_bounded_across_batches(tags: int) -> None:
    """The query that brings the tag too many is named."""
    names = count()
    bodies: Iterator[dict[str, Any]] = (
        query(f"text {n}", tags=[f"t{next(names)}" for _ in range(min(30, tags - 30 * n))])
        for n in range(-(-tags // 30))
    )
    items = locate(list(bodies))
    alone = outcome(one_by_one(batched(items, [1] * 50), HEAD))
    assert outcome(together(batched(items, [7] * 50), HEAD)) == alone


def test_slices_are_counted_up_to_their_bound() -> None:
    """Many at once count no further than one after the other."""
    items = locate([query(f"text {n}", source=f"s{n}", split=f"{n % 3}") for n in range(300)])
    _, stats, _, _ = outcome(together(batched(items, [70] * 9), HEAD))
    assert stats.slices == 100
    assert outcome(one_by_one(batched(items, [1] * 300), HEAD))[1] == stats
