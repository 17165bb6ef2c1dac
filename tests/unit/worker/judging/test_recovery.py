"""What is known of the fake judge is found again by measuring it; labels are saved."""

from pathlib import Path

import pytest

from benchmarks.judging import recover
from benchmarks.judging_labels import (
    by_chance,
    by_priority,
    count_labels,
    draw_pool,
    follow,
    make_grades,
    read_chorus,
    read_trec_dl,
)


def test_known_noise_comes_back() -> None:
    """Of twenty judges, each interval holds the truth in seventeen or more; uncorrected in none."""
    rows = {row.name: row for row in recover(20)}
    raw = rows.pop("raw ndcg@10")
    assert {name for name, row in rows.items() if row.covered < 0.85} == set()
    assert raw.covered == 0
    for row in rows.values():
        assert row.mean == pytest.approx(row.true, abs=0.05)


def test_the_proposed_order_saves_labels() -> None:
    """To know nDCG@10 to 0.02 it takes less than three quarters of random order's labels."""
    pool = draw_pool(make_grades(25, 40), seed=1)
    ours, random = (count_labels(pool, order, [0.02], seed=1) for order in (by_priority, by_chance))
    assert ours[0] < 0.75 * random[0]


def test_all_labels_leave_no_error() -> None:
    """The path begins with the judge alone and ends with people's grades, error 0."""
    pool = draw_pool(make_grades(5, 20), seed=2)
    path = list(follow(pool, by_chance, seed=0))
    assert path[0][0] == 0
    assert path[0][1] > 0.01
    assert path[-1] == (len(pool.right), 0)


def test_collections_are_read(shared_data: Path) -> None:
    """As many queries and judgments as the collections say, those without a positive left out."""
    trec, chorus = read_trec_dl(shared_data), read_chorus(shared_data)
    assert (len(trec), sum(map(len, trec)), max(map(max, trec))) == (43, 9_260, 3)
    assert (len(chorus), max(map(max, chorus))) == (116, 3)
