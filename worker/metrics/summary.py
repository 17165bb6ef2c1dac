"""Means of per-query values with everything that says what they are worth."""

import numpy as np
from msgspec import UNSET
from numpy.typing import NDArray

from reteval.contract.metrics import Metric
from reteval.contract.results import MetricSummary
from reteval.contract.runs import IntervalMethod
from worker.metrics.intervals import LEVEL, mean_interval


def summarise(
    values: NDArray[np.float64],
    *,
    metric: Metric,
    scorable: NDArray[np.bool_],
    condensed: NDArray[np.float64] | None = None,
    answered: NDArray[np.bool_] | None = None,
    level: float = LEVEL,
    interval: IntervalMethod = IntervalMethod.AUTO,
    clusters: NDArray[np.int64] | None = None,
) -> MetricSummary:
    """Average a metric over the scorable queries that have a value; all arrays have shape (n,).

    `values` is NaN where there is none; `condensed` holds the same metric of the rankings
    without unjudged documents. The bounds count each scorable query without a value as 0 and
    as 1. A query that was `answered` and still has no value (`judged@k` of an empty answer)
    did not fail, and is left out of the bounds; without `answered`, none is taken for such.
    Queries with the same label of `clusters` are one unit of the interval.

    Where `mean` is null, `reason` is "no_scorable_query", "no_answer" (all failed) or
    "empty_answers" (nothing returned, so nothing to be judged); else it says why `ci` (and,
    of a single value, `sd`) is null: "too_few" or "no_variation".
    """
    has_value = scorable & ~np.isnan(values)
    failed = scorable & ~has_value
    if answered is not None:
        failed &= ~answered
    scored, missing = values[has_value], int(np.count_nonzero(failed))
    n = len(scored)
    bound = mean_interval(
        scored,
        level=level,
        method=interval,
        proportion=metric.family.proportion,
        clusters=None if clusters is None else clusters[has_value],
    )
    reason = bound.reason or ("too_few" if n == 1 else None)
    if n == 0:
        reason = _why_none(scorable, missing=missing)
    return MetricSummary(
        mean=float(scored.mean()) if n else None,
        n=n,
        sd=float(scored.std(ddof=1)) if n > 1 else None,
        ci=bound.ci,
        level=level,
        method=bound.method,
        bounds=_extremes(scored, missing=missing),
        judged_only=UNSET if condensed is None else _average(condensed, scorable),
        reason=UNSET if reason is None else reason,
        clusters=UNSET if bound.clusters is None else bound.clusters,
    )


def _why_none(scorable: NDArray[np.bool_], *, missing: int) -> str:
    if not scorable.any():
        return "no_scorable_query"
    return "no_answer" if missing else "empty_answers"


def _extremes(scored: NDArray[np.float64], *, missing: int) -> tuple[float, float] | None:
    n = len(scored) + missing
    if n == 0:
        return None
    total = float(scored.sum())
    return total / n, (total + missing) / n


def _average(values: NDArray[np.float64], scorable: NDArray[np.bool_]) -> float | None:
    present = values[scorable & ~np.isnan(values)]
    return float(present.mean()) if len(present) else None
