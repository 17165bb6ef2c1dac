"""A metric from a judge's grades, put right by people's on a random part of the queries."""

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from reteval.contract.agreement import DebiasedMetric, Estimate
from worker.judging.estimates import bounded, unbounded
from worker.judging.resampling import LEVEL
from worker.metrics.intervals import Interval, mean_interval, paired_interval

FEWEST: Final = 20
"""Labelled queries below which nothing is corrected: the correction would be mostly noise."""
_NOISE: Final = 1e-12

Values = NDArray[np.float64]


def debias(judged: Values, people: Values, *, level: float = LEVEL) -> DebiasedMetric:
    """Correct the mean of a metric over queries; both arrays have shape (queries,).

    `judged` is the metric by the judge's grades, NaN where it has none (such queries are left
    out); `people` by people's, NaN for queries that they did not label. Those they did must have
    been drawn at random, and all documents that the metric looks at must be labelled.

    Raises:
        ValueError: the two are not of the same length.
    """
    if judged.shape != people.shape:
        raise ValueError(f"{judged.shape} values by the judge and {people.shape} by people")
    known = ~np.isnan(judged)
    judged, people = judged[known], people[known]
    labelled = ~np.isnan(people)
    differences = judged[labelled] - people[labelled]
    return DebiasedMetric(
        queries=len(judged),
        labelled=len(differences),
        raw=_average(judged, mean_interval, level=level),
        corrected=_correct(judged, people, level=level),
        bias=_average(differences, paired_interval, level=level),
    )


def _correct(judged: Values, people: Values, *, level: float) -> Estimate:
    """Return the prediction-powered mean (Angelopoulos et al., Science 382, 2023).

    The labelled queries are a part of all, so that the judge's mean and the mean error share
    them: what each adds to the estimate is taken together, instead of as if they were others.
    """
    labelled = ~np.isnan(people)
    n, total = int(labelled.sum()), len(judged)
    if n < FEWEST:
        return unbounded(None, "too_few_labelled", level=level)
    difference = judged[labelled] - people[labelled]
    value = float(judged.mean() - difference.mean())
    # Each labelled query adds judged / N - difference / n, each of the others judged / N.
    pieces = [(judged[labelled] / total - difference / n, n)]
    if total - n > 1:
        pieces.append((judged[~labelled] / total, total - n))
    spreads = np.array([size * part.var(ddof=1) for part, size in pieces])
    if spreads.sum() <= _NOISE:
        return unbounded(_cut(value), "no_variation", level=level)
    sizes = np.array([size for _, size in pieces])
    freedom = spreads.sum() ** 2 / (spreads**2 / (sizes - 1)).sum()
    half = float(stdtrit(freedom, (1 + level) / 2) * np.sqrt(spreads.sum()))
    ci = (_cut(value - half), _cut(value + half))
    return Estimate(value=_cut(value), ci=ci, level=level, method="prediction_powered")


def _average(values: Values, bound: Callable[..., Interval], *, level: float) -> Estimate:
    if not len(values):
        return unbounded(None, "no_pairs", level=level)
    return bounded(values.mean(), bound(values, level=level))


def _cut(value: float) -> float:
    return min(max(value, 0.0), 1.0)
