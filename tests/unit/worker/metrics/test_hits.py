"""Every way of finding hits finds the same: long and short lists, chunks, stored numbers."""

import random
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.worker.metrics.cases import BATCH, DEPTH, Case, cases, judge
from worker.metrics.hits import CHUNK_PLACES, LONG, Hits, find_hits
from worker.metrics.judgments import Judgments
from worker.metrics.packed import STEP_PLACES, Numbering, Rankings, find_hits_packed

BATCHES = st.lists(cases(longest=DEPTH + 3), min_size=1, max_size=BATCH)


def plain_hits(
    judgments: Judgments, rankings: Sequence[Sequence[str] | None], *, depth: int
) -> list[tuple[int, int, int]]:
    """List query, rank and grade of each judged document's first place."""
    found = []
    for query, ranking in enumerate(rankings):
        seen: set[str] = set()
        for rank, document in enumerate((ranking or ())[:depth], start=1):
            if document in judgments.grades[query] and document not in seen:
                found.append((query, rank, judgments.grades[query][document]))
            seen.add(document)
    return found


def rows(hits: Hits) -> list[tuple[int, int, int]]:
    """List the hits as tuples."""
    columns = (hits.query.tolist(), hits.rank.tolist(), hits.grade.tolist())
    return list(zip(*columns, strict=True))


def random_case(rng: random.Random, *, judged: int, length: int, corpus: int) -> Case:
    """Make a query with this many judgments and an answer of this length, repeats included."""
    documents = [f"d{rng.randrange(corpus)}" for _ in range(length)]
    grades = {f"d{rng.randrange(corpus)}": rng.randint(-1, 3) for _ in range(judged)}
    return Case(grades, documents, [])


def pack(
    rankings: Sequence[Sequence[str] | None], queries: Sequence[int], *, rows_each: int
) -> tuple[list[str], list[Rankings]]:
    """Number the documents of the rankings as a store does, and cut them into chunks."""
    numbers: dict[str, int] = {}
    packed = []
    for start in range(0, len(rankings), rows_each):
        part = rankings[start : start + rows_each]
        docs = [numbers.setdefault(d, len(numbers)) for ranking in part for d in ranking or ()]
        packed.append(
            Rankings(
                docs=np.array(docs, dtype=np.uint32),
                lengths=np.array([len(ranking or ()) for ranking in part], dtype=np.int64),
                query=np.array(queries[start : start + rows_each], dtype=np.int64),
                answered=np.array([ranking is not None for ranking in part], dtype=np.bool_),
            )
        )
    return list(numbers), packed


def assert_same(hits: Hits, others: Hits) -> None:
    """Assert that all arrays are equal."""
    for name in Hits.__struct_fields__:
        np.testing.assert_array_equal(getattr(hits, name), getattr(others, name), err_msg=name)


@settings(max_examples=40)
@given(BATCHES, st.integers(1, DEPTH + 2))
def test_short_rankings_are_looked_up(batch: list[Case], depth: int) -> None:
    """First places of judged documents within the depth, and nothing else."""
    judgments = judge(batch)
    rankings = [case.ranking for case in batch]
    hits = find_hits(judgments, rankings, depth=depth)
    assert rows(hits) == plain_hits(judgments, rankings, depth=depth)
    assert hits.returned.tolist() == [min(len(ranking), depth) for ranking in rankings]


@pytest.mark.parametrize("judged", [0, 1, 3, 4, 40])
def test_long_rankings_are_searched(judged: int) -> None:
    """With few judgments and with many, repeats or not, the hits are the same."""
    rng = random.Random(judged)  # noqa: S311  (test data, not a secret)
    batch = [
        random_case(rng, judged=judged, length=LONG * 2, corpus=corpus)
        for corpus in (40, 90, 400, 100_000)
        for _ in range(5)
    ]
    judgments = judge(batch)
    rankings = [case.ranking for case in batch]
    hits = find_hits(judgments, rankings, depth=1_000)
    assert rows(hits) == plain_hits(judgments, rankings, depth=1_000)


def test_hits_of_many_chunks() -> None:
    """Rankings beyond a chunk's places, short ones and long ones mixed, join in order."""
    rng = random.Random(5)  # noqa: S311  (test data, not a secret)
    lengths = [0, 1, 900, 3, 1_000, *[10] * 500] * 60
    batch = [random_case(rng, judged=5, length=length, corpus=60) for length in lengths]
    rankings: list[list[str] | None] = [case.ranking for case in batch]
    rankings[7] = None
    assert sum(lengths) > 3 * CHUNK_PLACES
    judgments = judge(batch)
    hits = find_hits(judgments, rankings, depth=950)
    assert rows(hits) == plain_hits(judgments, rankings, depth=950)
    assert np.flatnonzero(~hits.answered).tolist() == [7]
    ids, packed = pack(rankings, range(len(batch)), rows_each=20_000)
    assert max(len(chunk.docs) for chunk in packed) > STEP_PLACES
    numbering = Numbering.build(judgments, ids)
    assert_same(find_hits_packed(judgments, numbering, packed, depth=950), hits)


def test_one_ranking_larger_than_a_step() -> None:
    """A step may end within a ranking; its hits and repeats on both sides are still right."""
    length = STEP_PLACES + 5_000
    ranking = [f"d{place % (length - 3_000)}" for place in range(length)]
    case = Case({"d0": 1, "d1": 2, f"d{STEP_PLACES}": 3}, ranking, [])
    judgments = judge([case])
    ids, packed = pack([ranking], [0], rows_each=1)
    hits = find_hits_packed(judgments, Numbering.build(judgments, ids), packed, depth=length)
    assert rows(hits) == [(0, 1, 1), (0, 2, 2), (0, STEP_PLACES + 1, 3)]


@settings(max_examples=60)
@given(BATCHES, st.integers(1, DEPTH + 2), st.integers(1, 7), st.randoms())
def test_stored_rankings_have_the_same_hits(
    batch: list[Case], depth: int, rows_each: int, rng: random.Random
) -> None:
    """Numbers in chunks, in any order of queries, with rows that belong to none."""
    judgments = judge(batch)
    rankings: list[list[str] | None] = [case.ranking for case in batch]
    rankings[0] = None
    expected = find_hits(judgments, rankings, depth=depth)
    order = [*range(len(batch)), -1, -1]
    rng.shuffle(order)
    strangers = [batch[-1].ranking if query < 0 else rankings[query] for query in order]
    ids, packed = pack(strangers, order, rows_each=rows_each)
    numbering = Numbering.build(judgments, ids)
    streamed: Iterator[Rankings] = iter(packed)
    assert_same(find_hits_packed(judgments, numbering, streamed, depth=depth), expected)


def test_stored_rankings_of_no_documents() -> None:
    """Nothing returned, nothing found; queries without a row were not answered."""
    judgments = judge([Case({"a": 1}, [], []), Case({"b": 1}, [], [])])
    ids, packed = pack([[]], [1], rows_each=1)
    hits = find_hits_packed(judgments, Numbering.build(judgments, ids), packed, depth=3)
    assert rows(hits) == []
    assert hits.answered.tolist() == [False, True]
    none = find_hits_packed(judgments, Numbering.build(judgments, ["x"]), [], depth=3)
    assert none.answered.tolist() == [False, False]


def test_stored_rankings_refuse_a_misfit() -> None:
    """A depth below 1, two rows of a query, lengths of other documents."""
    judgments = judge([Case({"a": 1}, [], [])])
    ids, packed = pack([["a"], ["a"]], [0, 0], rows_each=1)
    numbering = Numbering.build(judgments, ids)
    with pytest.raises(ValueError, match="depth is 0"):
        find_hits_packed(judgments, numbering, packed, depth=0)
    with pytest.raises(ValueError, match="'q0' has two rankings"):
        find_hits_packed(judgments, numbering, packed, depth=1)
    broken = Rankings(
        docs=packed[0].docs,
        lengths=np.array([2]),
        query=np.array([0]),
        answered=np.array([True]),
    )
    with pytest.raises(ValueError, match="1 documents in rankings whose lengths add up to"):
        find_hits_packed(judgments, numbering, [broken], depth=1)
