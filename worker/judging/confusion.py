"""Figures of agreement from confusion matrices: many matrices at once, shape (…, K, K).

Rows are the first rater's grades, columns the second's; entries are weights of pairs. A figure
that the matrix does not define is NaN.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
_NOISE: Final = 1e-12


def exact(matrices: Values) -> Values:
    """Return the share of pairs with equal grades."""
    return _share(matrices, np.eye(matrices.shape[-1]))


def within_one(matrices: Values) -> Values:
    """Return the share of pairs whose grades differ by one at most."""
    return _share(matrices, (np.abs(_steps(matrices)) <= 1).astype(np.float64))


def signed_difference(matrices: Values) -> Values:
    """Return the mean of second grade less first."""
    return _share(matrices, _steps(matrices))


def kappa(matrices: Values) -> Values:
    """Return Cohen's kappa (Educational and Psychological Measurement 20, 1960)."""
    return _kappa(matrices, np.eye(matrices.shape[-1]))


def kappa_weighted(matrices: Values) -> Values:
    """Return kappa with quadratic weights (Cohen, Psychological Bulletin 70, 1968)."""
    top = max(matrices.shape[-1] - 1, 1)
    return _kappa(matrices, 1.0 - (_steps(matrices) / top) ** 2)


def kappa_binary(matrices: Values, *, relevant_from: int) -> Values:
    """Return kappa of relevant against not relevant."""
    grades = np.arange(matrices.shape[-1])
    fold = np.stack([grades < relevant_from, grades >= relevant_from]).astype(np.float64)
    return kappa(fold @ matrices @ fold.T)


def alpha(coincidences: Values) -> Values:
    """Return Krippendorff's alpha for ordinal grades from coincidences of values.

    Entry (c, k) is how often values c and k were given to the same pair, each pair of query and
    document counting as many values as it has. The distance of two grades is that of their
    middle ranks. Source: Krippendorff, Content Analysis, 2004, section 11.3.
    """
    counts = coincidences.sum(axis=-1)
    total = counts.sum(axis=-1)
    ranks = np.cumsum(counts, axis=-1) - counts / 2
    distance = (ranks[..., :, None] - ranks[..., None, :]) ** 2
    observed = (coincidences * distance).sum(axis=(-2, -1))
    expected = (counts[..., :, None] * counts[..., None, :] * distance).sum(axis=(-2, -1))
    varied = _is_varied(counts)
    return np.where(varied, 1 - (total - 1) * observed / np.where(varied, expected, 1), np.nan)


def alpha_of_two(matrices: Values) -> Values:
    """Return alpha of two raters who both graded every pair."""
    return alpha(matrices + np.swapaxes(matrices, -2, -1))


def weigh_columns(matrices: Values, *, population: Values) -> Values:
    """Weigh each column up to its share of `population`, shape (…, K); the total stays.

    A matrix without a pair in a column that the population has becomes NaN.
    """
    columns = matrices.sum(axis=-2)
    share = population / population.sum(axis=-1, keepdims=True)
    empty = columns <= _NOISE
    factor = np.where(empty, 0.0, share / np.where(empty, 1.0, columns))
    lacking = (empty & (share > 0)).any(axis=-1)
    weighed = matrices * factor[..., None, :] * columns.sum(axis=-1)[..., None, None]
    return np.where(lacking[..., None, None], np.nan, weighed)


def _share(matrices: Values, worth: Values) -> Values:
    total = matrices.sum(axis=(-2, -1))
    there = total > _NOISE
    summed = (matrices * worth).sum(axis=(-2, -1))
    return np.where(there, summed / np.where(there, total, 1.0), np.nan)


def _kappa(matrices: Values, worth: Values) -> Values:
    """Return agreement beyond chance; undefined where a rater used one grade alone."""
    total = matrices.sum(axis=(-2, -1), keepdims=True)
    shares = matrices / np.where(total > _NOISE, total, 1.0)
    first, second = shares.sum(axis=-1), shares.sum(axis=-2)
    varied = _is_varied(first) & _is_varied(second)
    agreed = (shares * worth).sum(axis=(-2, -1))
    chance = (first[..., :, None] * second[..., None, :] * worth).sum(axis=(-2, -1))
    return np.where(varied, (agreed - chance) / np.where(varied, 1 - chance, 1.0), np.nan)


def _is_varied(counts: Values) -> NDArray[np.bool_]:
    varied: NDArray[np.bool_] = (counts > _NOISE).sum(axis=-1) > 1
    return varied


def _steps(matrices: Values) -> Values:
    grades = np.arange(matrices.shape[-1], dtype=np.float64)
    return grades[None, :] - grades[:, None]
