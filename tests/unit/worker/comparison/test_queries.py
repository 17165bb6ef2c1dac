"""The queries and slices that moved in the primary metric."""

import pytest
from msgspec import structs

from tests.unit.worker.comparison.views import judge, view


def test_slices_and_movers_are_of_the_primary() -> None:
    """The largest moves each way come first, slices are the largest first."""
    before = [0.5] * 40
    after = [0.5 + (place - 20) / 100 for place in range(40)]
    slices = [["tag:faq"] if place < 25 else ["tag:api", "split:dev"] for place in range(40)]
    report = judge(structs.replace(view("a", before), slices=slices), view("b", after))
    assert {name: row.n for name, row in report.slices.items()} == {
        "tag:faq": 25,
        "split:dev": 15,
        "tag:api": 15,
    }
    assert report.slices["tag:api"].difference.mean == pytest.approx(0.12)
    moved = [mover.query_id for mover in report.movers]
    assert moved == [f"q{place}" for place in (*range(10), *range(39, 29, -1))]
    assert report.movers[0].query == "text of q0"
    assert report.movers[0].difference == pytest.approx(-0.2)


def test_ties_are_neither_wins_nor_movers() -> None:
    """The tie tolerance is the request's, and stated."""
    a, b = view("a", [0.5, 0.5, 0.5]), view("b", [0.54, 0.44, 0.9])
    report = judge(a, b, tie=0.05)
    result = report.metrics["ndcg@10"]
    assert (result.wins, result.ties, result.losses) == (1, 1, 1)
    assert [mover.query_id for mover in report.movers] == ["q1", "q2"]
    assert report.definitions["tie"] == 0.05
