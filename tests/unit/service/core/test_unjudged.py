"""The list of what to label next, pooled over runs."""

import csv
import io
import math
from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from reteval.contract.unjudged import MAX_PAIRS, UnjudgedHits, UnjudgedPair
from service.core.cells import disarm
from service.core.unjudged import COLUMNS, keep_best, pool_hits, write_csv

documents = st.lists(st.sampled_from("abcdefghijkl"), unique=True, max_size=10)
runs = st.lists(
    st.lists(documents, min_size=3, max_size=3).map(
        lambda lists: [UnjudgedHits(bytes(range(1, len(ids) + 1)), ids) for ids in lists]
    ),
    max_size=4,
)


@given(runs, st.integers(0, 1_000))
def test_pool_sums_discounts_over_runs(parts: list[list[UnjudgedHits]], start: int) -> None:
    """Value, number of runs and best rank of each pair, as counted one by one."""
    ranks: dict[tuple[int, str], list[int]] = defaultdict(list)
    for hits in parts:
        for place, one in enumerate(hits):
            for rank, doc in zip(one.ranks, one.ids, strict=True):
                ranks[start + place, doc].append(rank)
    found = {
        (place, doc): (-negative, best, n)
        for negative, best, place, doc, n in pool_hits(parts, start=start)
    }
    assert ranks.keys() == found.keys()
    for pair, seen in ranks.items():
        value, best, n = found[pair]
        assert math.isclose(sum(1 / math.log2(rank + 1) for rank in seen), value)
        assert (min(seen), len(seen)) == (best, n)


def test_pool_is_ordered_by_value_then_rank_then_place() -> None:
    """Two appearances outweigh one; the same value falls to the better rank, then to order."""
    first = [UnjudgedHits(bytes([1]), ["once"]), UnjudgedHits(bytes([2, 3]), ["twice", "low"])]
    second = [UnjudgedHits(b"", []), UnjudgedHits(bytes([2, 3]), ["twice", "also"])]
    later = [UnjudgedHits(bytes([1]), ["late"])]
    best = keep_best([], pool_hits([later], start=2))
    listed = keep_best(best, pool_hits([first, second], start=0))
    assert ["twice", "once", "late", "also", "low"] == [doc for _, _, _, doc, _ in listed]
    assert [1, 0, 2, 1, 1] == [place for _, _, place, _, _ in listed]


def test_pool_is_bounded() -> None:
    """The least valuable are left out, and counted by the caller."""
    many = [(-1.0 / n, 1, 0, str(n), 1) for n in range(1, MAX_PAIRS + 10)]
    listed = keep_best(many, [(-2.0, 1, 0, "best", 1)])
    assert MAX_PAIRS == len(listed)
    assert ["best", "1"] == [listed[0][3], listed[1][3]]


@given(st.text(), st.text())
def test_csv_runs_no_formula(text: str, doc: str) -> None:
    """Any text stays in its cell, disarmed; the rating is left open."""
    pair = UnjudgedPair(query_id="=q", query=text, document_id=doc, value=1.5, runs=2, best_rank=1)
    (row,) = csv.reader(io.StringIO(write_csv([pair]), newline=""))
    assert ["'=q", disarm(text), disarm(doc), "", "1.5", "2", "1"] == row
    assert len(COLUMNS) == len(row)
