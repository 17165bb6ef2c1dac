"""What people are asked first is unsure and moves the metric; bands tell of unsure grades."""

import numpy as np
import pytest

from reteval.contract.metrics import Metric
from worker.judging import priorities
from worker.metrics.hits import find_hits
from worker.metrics.judgments import Judgments
from worker.metrics.kernel import score

SURE = [0.97, 0.01, 0.01, 0.01]
TORN = [0.45, 0.02, 0.02, 0.51]


def test_ndcg_is_that_of_the_metrics() -> None:
    """Over random grades and rankings of several systems, as the metric itself computes it."""
    rng = np.random.default_rng(3)
    for k in (1, 5, 10):
        grades = rng.integers(0, 4, size=(6, 12))
        grades[:, 0] = 3
        ranks = np.array([rng.permutation(20)[:12] for _ in range(3)])
        values = priorities.ndcg(grades, ranks, k=k)
        for row, given in enumerate(grades):
            for column, system in enumerate(ranks):
                judgments = Judgments.index(
                    ["q"],
                    [{str(doc): int(grade) for doc, grade in enumerate(given)}],
                    relevant_from=1,
                )
                places = {int(rank): str(doc) for doc, rank in enumerate(system) if rank}
                ranking = [places.get(rank, f"other {rank}") for rank in range(1, 21)]
                metric = Metric("ndcg", k)
                hits = find_hits(judgments, [ranking], depth=20)
                assert values[row, column] == pytest.approx(
                    score(judgments, hits, [metric])[metric][0]
                )


def test_nothing_relevant_is_worth_nothing() -> None:
    """Where every grade is 0 the value is 0, not a division by it."""
    assert priorities.ndcg(np.zeros((1, 3), dtype=int), np.array([[1, 2, 3]]), k=10) == 0


def test_an_unsure_pair_on_top_comes_first() -> None:
    """Sure pairs and unsure ones far down matter less; beyond k only the ideal is left."""
    chances = np.array([SURE, TORN, TORN, TORN, [0.01, 0.01, 0.01, 0.97]])
    worth = priorities.prioritise(chances, np.array([[2, 1, 8, 30, 3]]), k=10)
    assert worth.argmax() == 1
    assert worth[1] > worth[2] > worth[0] > 0
    assert worth[3] > 0


def test_any_system_counts() -> None:
    """A pair that a second system returns matters as one that the first does."""
    chances = np.array([TORN, TORN, [0, 0, 0, 1]])
    worth = priorities.prioritise(chances, np.array([[1, 0, 2], [0, 1, 2]]), k=10)
    assert worth[0] == pytest.approx(worth[1])


def test_the_band_is_as_wide_as_grades_are_unsure() -> None:
    """Certain grades have a band of no width; torn ones a wide one; a seed repeats it."""
    ranks = np.array([[1, 2, 3]])
    unsure = np.array([TORN, [0, 0, 0, 1], [1, 0, 0, 0]])
    certain = priorities.span(priorities.draw_metric(np.eye(4)[[3, 0, 1]], ranks, k=10, seed=1))
    torn = priorities.span(priorities.draw_metric(unsure, ranks, k=10, seed=1))
    assert certain[0] == certain[1]
    assert torn[1] - torn[0] > 0.2
    assert torn == priorities.span(priorities.draw_metric(unsure, ranks, k=10, seed=1))


def test_drawn_grades_follow_their_chances() -> None:
    """One document at rank 1: the share of draws worth anything is its chance of a grade."""
    values = priorities.draw_metric(
        np.array([[0.7, 0.1, 0.1, 0.1]]), np.array([[1]]), k=10, seed=2, draws=4_000
    )
    assert values.mean() == pytest.approx(0.3, abs=0.03)


def test_a_query_is_uncertain_by_pair_or_by_band() -> None:
    """Either an unsure pair within k, or a band that is too wide, sends it to people."""
    ranks = np.array([[1, 2, 40]])
    sure = np.array([SURE, [0, 0, 0, 1], TORN])
    draws = priorities.draw_metric(sure, ranks, k=10, seed=0)
    calm = priorities.doubt(sure, ranks, draws, k=10, least_margin=0.2, widest=0.5)
    assert (calm.unsure, calm.uncertain) == ((), False)
    narrow = priorities.doubt(sure, ranks, draws, k=10, least_margin=0.2, widest=0.0)
    assert narrow.uncertain
    other = sure[[2, 1, 0]]
    unsure = priorities.doubt(other, ranks, draws, k=10, least_margin=0.2, widest=1.0)
    assert (unsure.unsure, unsure.uncertain) == ((0,), True)
