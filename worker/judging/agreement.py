"""How far a judge's grades agree with people's on an audit sample."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray
from scipy.special import betaincinv

from reteval.contract.agreement import Agreement, Estimate
from worker.judging import confusion
from worker.judging.estimates import bounded, unbounded
from worker.judging.resampling import LEVEL, Resamples, Values
from worker.metrics.intervals import mean_interval

PERFECT: Final = 0.95
"""People who work independently agree on fewer pairs than this share."""
DOUBT: Final = 0.05
UNSEEN: Final = 0.25
"""Pairs that an error which was not seen counts for."""

Grades = NDArray[np.int64]


class Judged(Struct, frozen=True, kw_only=True, eq=False):
    """All pairs that the judge graded, the audited ones too; parallel, shape (judged pairs,)."""

    query: Grades
    grade: Grades


class Audit(Struct, frozen=True, kw_only=True, eq=False):
    """Pairs that both people and the judge graded; the arrays are parallel, shape (pairs,).

    `query` numbers the queries in any way. With `judged`, the sample is taken as random within
    each of the judge's grades, and a pair stands for as many as were judged for each audited
    one (inverse probability); without it, as random over all.
    """

    query: Grades
    people: Grades
    judge: Grades
    judged: Judged | None = None


def measure(
    audit: Audit, *, scale_max: int, relevant_from: int, seed: int = 0, level: float = LEVEL
) -> Agreement:
    """Measure agreement, with intervals by drawing queries again.

    Raises:
        ValueError: a grade outside 0 to `scale_max`.
    """
    _check(audit, scale_max=scale_max)
    grades = scale_max + 1
    samples = _draw(audit, scale_max=scale_max, seed=seed)
    counts = samples.total[0, : grades**2].reshape(grades, grades).astype(np.int64)
    undefined = _explain(samples.total, grades=grades)
    estimate = partial(_estimate, samples, grades=grades, undefined=undefined, level=level)
    binary = partial(confusion.kappa_binary, relevant_from=relevant_from)
    return Agreement(
        pairs=len(audit.query),
        queries=len(np.unique(audit.query)),
        relevant_from=relevant_from,
        stratified=audit.judged is not None,
        matrix=tuple(tuple(row) for row in counts.tolist()),
        exact=estimate(confusion.exact),
        within_one=estimate(confusion.within_one),
        kappa=estimate(confusion.kappa),
        kappa_weighted=estimate(confusion.kappa_weighted),
        kappa_binary=estimate(binary),
        alpha=estimate(confusion.alpha_of_two),
        signed_difference=estimate(confusion.signed_difference),
        precision=tuple(_trust(audit, grade, level=level) for grade in range(grades)),
        too_perfect=is_too_perfect(
            int(np.trace(counts)), int(counts.sum()), counts.sum(axis=0) + counts.sum(axis=1)
        ),
    )


def count_by_query(unit: Grades, first: Grades, second: Grades, *, scale_max: int) -> Values:
    """Count pairs by unit (queries numbered from 0) and both grades, shape (units, K * K)."""
    cells = (scale_max + 1) ** 2
    units = int(unit.max(initial=-1)) + 1
    counts = np.bincount(unit * cells + first * (scale_max + 1) + second, minlength=units * cells)
    return counts.reshape(units, cells).astype(np.float64)


def is_too_perfect(agreed: int, n: int, used: NDArray[Any]) -> bool:
    """Whether raters surely agree on more pairs than independent ones do.

    That is: the exact (Clopper-Pearson) one-sided 95 % bound of the share lies above
    `PERFECT`, which takes 59 pairs without a difference, and more than one grade was `used`
    (how often each was).
    """
    if agreed == 0 or np.count_nonzero(used) < 2:  # noqa: PLR2004 - one grade is no surprise
        return False
    return float(betaincinv(agreed, n - agreed + 1, DOUBT)) > PERFECT


def _check(audit: Audit, *, scale_max: int) -> None:
    given = [audit.people, audit.judge, *([audit.judged.grade] if audit.judged else [])]
    grades = np.concatenate(given)
    if len(grades) and not 0 <= grades.min() <= grades.max() <= scale_max:
        raise ValueError(f"grades must lie between 0 and {scale_max}")


def _draw(audit: Audit, *, scale_max: int, seed: int) -> Resamples:
    """Draw queries again; of a stratified sample with what its small strata may not show.

    How far the stratum of the largest share spreads is known from its own pairs alone, whose
    number bounds the degrees of freedom.
    """
    samples = Resamples.draw(_count(audit, scale_max=scale_max), seed=seed)
    counts, judged = _split(samples.total, grades=scale_max + 1)
    if judged is None:
        return samples
    size = float(counts[0, :, judged[0].argmax()].sum())
    rng = np.random.default_rng([seed, 1])
    surprises = np.zeros_like(samples.drawn)
    surprises[:, : (scale_max + 1) ** 2] = _draw_surprises(
        audit, scale_max=scale_max, size=len(samples.drawn), rng=rng
    )
    return structs.replace(samples, surprises=surprises, freedom=max(size - 1, 1.0))


def _draw_surprises(audit: Audit, *, scale_max: int, size: int, rng: np.random.Generator) -> Values:
    """Draw one more pair for each of the judge's grades, shape (size, K * K).

    Its error is one that was seen with any grade, or (with little chance) one that was not: a
    judge's errors differ by grade, but one of them in 200 is seen in no stratum of 15.
    """
    errors = np.bincount(audit.people - audit.judge + scale_max, minlength=2 * scale_max + 1)
    grades = np.arange(scale_max + 1)
    chances = (errors + UNSEEN)[grades[None, :] - grades[:, None] + scale_max]
    bounds = np.cumsum(chances / chances.sum(axis=1, keepdims=True), axis=1)[:, :-1]
    people = (rng.random((size, scale_max + 1, 1)) > bounds).sum(axis=2)
    cells = people * (scale_max + 1) + grades
    drawn = np.zeros((size, (scale_max + 1) ** 2))
    np.put_along_axis(drawn, cells, 1.0, axis=1)
    return drawn


def _count(audit: Audit, *, scale_max: int) -> Values:
    """Count by query the audited pairs by both grades and, behind them, all that were judged.

    Without the latter, shape (queries, K * K); with them (queries, K * K + K).
    """
    if audit.judged is None:
        _, unit = np.unique(audit.query, return_inverse=True)
        return count_by_query(unit, audit.people, audit.judge, scale_max=scale_max)
    grades, audited = scale_max + 1, len(audit.query)
    queries = np.concatenate([audit.query, audit.judged.query])
    _, unit = np.unique(queries, return_inverse=True)
    counts = count_by_query(unit[:audited], audit.people, audit.judge, scale_max=scale_max)
    parts = np.zeros((int(unit.max(initial=-1)) + 1, grades**2 + grades))
    parts[: len(counts), : grades**2] = counts
    np.add.at(parts, (unit[audited:], grades**2 + audit.judged.grade), 1)
    return parts


def _explain(total: Values, *, grades: int) -> str:
    """Say why a figure without a value has none."""
    counts, judged = _split(total, grades=grades)
    if not counts.any():
        return "no_pairs"
    unaudited = judged is not None and ((counts.sum(axis=-2) == 0) & (judged > 0)).any()
    return "unaudited_grade" if unaudited else "one_class"


def _estimate(
    samples: Resamples,
    figure: Callable[[Values], Values],
    *,
    grades: int,
    undefined: str,
    level: float,
) -> Estimate:
    def weighed(sums: Values) -> Values:
        counts, judged = _split(sums, grades=grades)
        if judged is None:
            return figure(counts)
        matrices = confusion.weigh_columns(counts, population=judged)
        lacking = np.isnan(matrices).any(axis=(-2, -1))
        return np.where(lacking, np.nan, figure(np.nan_to_num(matrices)))

    return samples.estimate(weighed, undefined=undefined, level=level)


def _split(sums: Values, *, grades: int) -> tuple[Values, Values | None]:
    """Return sums as matrices, shape (m, K, K), and what was judged, shape (m, K)."""
    counts = sums[:, : grades**2].reshape(-1, grades, grades)
    judged = sums[:, grades**2 :]
    return counts, judged if judged.shape[1] else None


def _trust(audit: Audit, grade: int, *, level: float) -> Estimate:
    """Return the share of the judge's `grade` that people gave, too; queries are the units."""
    given = audit.judge == grade
    same = (audit.people[given] == grade).astype(np.float64)
    if not len(same):
        return unbounded(None, "no_pairs", level=level)
    bound = mean_interval(same, level=level, proportion=True, clusters=audit.query[given])
    return bounded(same.mean(), bound)
