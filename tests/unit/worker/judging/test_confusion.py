"""Figures of confusion matrices agree with statsmodels and with counting by hand."""

import numpy as np
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from worker.judging import confusion

MATRICES = np.random.default_rng(4).integers(1, 30, size=(20, 4, 4)).astype(float)


def test_kappas_agree_with_statsmodels() -> None:
    """Plain and quadratic, over many matrices at once."""
    plain = [cohens_kappa(matrix, return_results=False) for matrix in MATRICES]
    squares = (np.arange(4)[:, None] - np.arange(4)[None, :]) ** 2
    weighted = [cohens_kappa(matrix, weights=squares, return_results=False) for matrix in MATRICES]
    assert confusion.kappa(MATRICES) == pytest.approx(plain, abs=1e-12)
    assert confusion.kappa_weighted(MATRICES) == pytest.approx(weighted, abs=1e-12)


def test_kappa_of_a_worked_example() -> None:
    """Two readers, 50 proposals: 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no give 0.4."""
    assert confusion.kappa(np.array([[20.0, 5], [10, 15]])) == pytest.approx(0.4)


def test_binary_kappa_folds_at_the_threshold() -> None:
    """Grades below it are one class, those from it on the other."""
    folded = np.array([[MATRICES[0][:2, :2].sum(), MATRICES[0][:2, 2:].sum()], [0, 0]])
    folded[1] = MATRICES[0][2:, :2].sum(), MATRICES[0][2:, 2:].sum()
    both = confusion.kappa_binary(MATRICES[0], relevant_from=2), confusion.kappa(folded)
    assert both[0] == pytest.approx(float(both[1]))


def test_shares_and_difference_are_means_over_pairs() -> None:
    """Exact, within one and signed difference are what counting pairs gives."""
    people, judge = np.array([0, 0, 1, 3, 2]), np.array([0, 2, 2, 3, 1])
    matrix = np.zeros((4, 4))
    np.add.at(matrix, (people, judge), 1)
    assert float(confusion.exact(matrix)) == 2 / 5
    assert float(confusion.within_one(matrix)) == 4 / 5
    assert float(confusion.signed_difference(matrix)) == pytest.approx((judge - people).mean())


@pytest.mark.parametrize("figure", [confusion.kappa, confusion.kappa_weighted])
def test_kappa_of_one_grade_alone_is_undefined(figure: object) -> None:
    """Where a rater never varies, agreement beyond chance is not 0 and not 1."""
    assert callable(figure)
    one_cell, one_row = np.zeros((2, 4, 4))
    one_cell[2, 2] = 9
    one_row[1] = 3
    assert np.isnan(figure(np.stack([one_cell, one_row, one_row.T]))).all()
    assert np.isnan(confusion.alpha_of_two(one_cell))


def test_an_empty_matrix_has_no_figures() -> None:
    """Nothing counted says nothing."""
    empty = np.zeros((4, 4))
    figures = [confusion.exact, confusion.within_one, confusion.signed_difference]
    figures += [confusion.kappa, confusion.kappa_weighted, confusion.alpha_of_two]
    assert all(np.isnan(figure(empty)) for figure in figures)


def test_columns_are_weighed_up_to_the_population() -> None:
    """Shares within a column stay, columns get the population's shares, the total stays."""
    weighed = confusion.weigh_columns(MATRICES[0], population=np.array([60.0, 20, 15, 5]))
    assert weighed.sum() == pytest.approx(MATRICES[0].sum())
    assert weighed.sum(axis=0) / weighed.sum() == pytest.approx([0.6, 0.2, 0.15, 0.05])
    within = weighed / weighed.sum(axis=0)
    assert within == pytest.approx(MATRICES[0] / MATRICES[0].sum(axis=0))


def test_an_empty_column_that_the_population_has_is_undefined() -> None:
    """One that it does not have needs no pair."""
    matrix = MATRICES[0].copy()
    matrix[:, 3] = 0
    there, not_there = np.array([1.0, 1, 1, 1]), np.array([1.0, 1, 1, 0])
    assert np.isnan(confusion.weigh_columns(matrix, population=there)).all()
    assert np.isfinite(confusion.weigh_columns(matrix, population=not_there)).all()
