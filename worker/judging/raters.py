"""How far any number of raters agree, each of whom graded what they graded."""

from collections.abc import Sequence
from itertools import combinations
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from reteval.contract.agreement import Estimate, RaterAgreement, RaterPair
from worker.judging import confusion
from worker.judging.agreement import count_by_query, is_too_perfect
from worker.judging.resampling import LEVEL, Resamples, Statistic, Values

UNRATED: Final = -1
TWO: Final = 2


class Ratings(Struct, frozen=True, kw_only=True, eq=False):
    """Grades of `raters`, shape (pairs, raters), -1 where one did not grade the pair.

    `query` numbers the query of each pair, shape (pairs,).
    """

    raters: Sequence[str]
    query: NDArray[np.int64]
    grades: NDArray[np.int64]


def compare(
    ratings: Ratings, *, scale_max: int, seed: int = 0, level: float = LEVEL
) -> RaterAgreement:
    """Compare all raters at once, and each two that share a pair.

    Raises:
        ValueError: a grade above the scale, or one below 0 that is not `UNRATED`.
    """
    if (
        len(ratings.grades)
        and not UNRATED <= ratings.grades.min() <= ratings.grades.max() <= scale_max
    ):
        raise ValueError(f"grades must lie between 0 and {scale_max}, or be {UNRATED}")
    counts = _count_values(ratings.grades, scale_max=scale_max)
    shared = counts.sum(axis=1) >= TWO
    unanimous = int((counts[shared].max(axis=1) == counts[shared].sum(axis=1)).sum())
    parts = _coincide(counts[shared], ratings.query[shared])
    samples = Resamples.draw(parts, seed=seed)
    return RaterAgreement(
        raters=tuple(ratings.raters),
        shared=int(shared.sum()),
        unanimous=unanimous,
        alpha=samples.estimate(
            _shape(confusion.alpha, scale_max + 1),
            undefined="one_class" if shared.any() else "no_pairs",
            level=level,
        ),
        compared=tuple(
            _compare_two(ratings, first, second, scale_max=scale_max, seed=seed, level=level)
            for first, second in combinations(range(len(ratings.raters)), 2)
            if ((ratings.grades[:, first] >= 0) & (ratings.grades[:, second] >= 0)).any()
        ),
        too_perfect=is_too_perfect(unanimous, int(shared.sum()), counts[shared].sum(axis=0)),
    )


def _count_values(grades: NDArray[np.int64], *, scale_max: int) -> Values:
    """Count how often each pair got each grade, shape (pairs, K)."""
    return np.stack(
        [(grades == grade).sum(axis=1) for grade in range(scale_max + 1)], axis=1
    ).astype(np.float64)


def _coincide(counts: Values, query: NDArray[np.int64]) -> Values:
    """Sum by query how often two values met in a pair, shape (queries, K * K)."""
    others = counts.sum(axis=1)[:, None, None] - 1
    grades = counts.shape[1]
    met = (counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(grades)) / others
    _, unit = np.unique(query, return_inverse=True)
    sums = np.zeros((int(unit.max(initial=-1)) + 1, grades * grades))
    np.add.at(sums, unit, met.reshape(-1, grades * grades))
    return sums


def _compare_two(
    ratings: Ratings, first: int, second: int, *, scale_max: int, seed: int, level: float
) -> RaterPair:
    both = (ratings.grades[:, first] >= 0) & (ratings.grades[:, second] >= 0)
    pair = ratings.grades[both][:, [first, second]]
    _, unit = np.unique(ratings.query[both], return_inverse=True)
    parts = count_by_query(unit, pair[:, 0], pair[:, 1], scale_max=scale_max)
    samples = Resamples.draw(parts, seed=seed)

    def estimate(figure: Statistic) -> Estimate:
        shaped = _shape(figure, scale_max + 1)
        return samples.estimate(shaped, undefined="one_class", level=level)

    agreed = int((pair[:, 0] == pair[:, 1]).sum())
    return RaterPair(
        raters=(ratings.raters[first], ratings.raters[second]),
        pairs=len(pair),
        exact=estimate(confusion.exact),
        kappa=estimate(confusion.kappa),
        kappa_weighted=estimate(confusion.kappa_weighted),
        signed_difference=estimate(confusion.signed_difference),
        too_perfect=is_too_perfect(agreed, len(pair), np.bincount(pair.ravel())),
    )


def _shape(figure: Statistic, grades: int) -> Statistic:
    """Let a figure of matrices take them laid out in rows."""
    return lambda sums: figure(sums.reshape(-1, grades, grades))
