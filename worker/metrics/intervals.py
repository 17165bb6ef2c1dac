"""Confidence intervals over queries; knows neither metrics nor rankings."""

from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from reteval.contract.runs import IntervalMethod
from worker.metrics.bootstrap import bound_bca
from worker.metrics.sample import Sample, Values

LEVEL: Final = 0.95
ENOUGH_INTERIOR: Final = 10
"""Units that must differ from 0, and from 1, before their spread says enough."""
STEADY: Final = 1.05
"""How much wider one more unit at 0 and one at 1 may make a t interval that is trusted."""
ADJUSTED_T: Final = "adjusted_t"
_NOISE: Final = 1e-12


class Interval(Struct, frozen=True, kw_only=True):
    """An interval at confidence `level`, or None with the `reason`.

    `method` is "t", "adjusted_t", "wilson", "bca", "wald", or "none" where nothing was computed.
    Reasons: "too_few" (less than two units) and "no_variation" (all of equal mean, so their
    spread says nothing). `clusters` counts the units where queries were clustered.
    """

    ci: tuple[float, float] | None
    level: float
    method: str
    reason: str | None = None
    clusters: int | None = None


def mean_interval(
    values: Values,
    *,
    level: float = LEVEL,
    method: IntervalMethod = IntervalMethod.AUTO,
    proportion: bool = False,
    clusters: NDArray[np.int64] | None = None,
    seed: int = 0,
) -> Interval:
    """Bound the mean of values in [0, 1], shape (n,), without NaN.

    By default: Wilson's score interval on the mean for values that are all 0 or 1
    (`proportion`: they can be nothing else) and where fewer than ten units differ from 0 or
    from 1; otherwise Student's t, cut to [0, 1]; with one more unit at 0 and one at 1
    ("adjusted_t", after Agresti and Coull) where those two widen it by over a twentieth, since
    t alone covers too rarely there. Queries with the same label of `clusters`, shape (n,), are
    one unit: t is then cluster-robust, Wilson's n the units; Wald's knows no clusters. `seed`
    draws the resamples of BCa.
    """
    sample = Sample.gather(values, clusters)
    chosen = _choose(sample, proportion=proportion) if method is IntervalMethod.AUTO else method
    name, reason = chosen.value, _refuse(sample, chosen)
    if reason:
        name, ci = "none", None
    elif chosen is IntervalMethod.T and method is IntervalMethod.AUTO and not _is_steady(sample):
        name, ci = ADJUSTED_T, _bound(sample.extend(), chosen, df=sample.units - 1, level=level)
    elif chosen is IntervalMethod.BCA:
        ci = bound_bca(sample, tail=1 - _upper(level), seed=seed)
    else:
        ci = _bound(sample, chosen, df=sample.units - 1, level=level)
    return Interval(ci=ci, level=level, method=name, reason=reason, clusters=sample.clusters)


def proportion_interval(successes: int, n: int, *, level: float = LEVEL) -> Interval:
    """Bound a proportion by Wilson's score interval (Wilson, JASA 1927).

    Raises:
        ValueError: successes outside 0 to n.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes!r} successes of {n!r}; give between 0 and all of them")
    if n == 0:
        return Interval(ci=None, level=level, method="none", reason="too_few")
    return Interval(ci=_wilson(successes / n, n, level=level), level=level, method="wilson")


def paired_interval(differences: Values, *, level: float = LEVEL) -> Interval:
    """Bound the mean of paired differences, shape (n,), by Student's t; not cut anywhere."""
    sample = Sample.gather(differences)
    reason = _refuse(sample, IntervalMethod.T)
    if reason:
        return Interval(ci=None, level=level, method="none", reason=reason)
    return Interval(ci=_student(sample, df=sample.units - 1, level=level), level=level, method="t")


def _choose(sample: Sample, *, proportion: bool) -> IntervalMethod:
    means = sample.unit_means
    shares = proportion or bool(np.isin(means, (0.0, 1.0)).all())
    if sample.clusters is None and shares:
        return IntervalMethod.WILSON
    interior = min(np.count_nonzero(means), np.count_nonzero(means != 1.0))
    few = interior < ENOUGH_INTERIOR and sample.units > 1
    return IntervalMethod.WILSON if few else IntervalMethod.T


def _is_steady(sample: Sample) -> bool:
    """Whether one more unit at 0 and one at 1 would leave the interval about as wide."""
    return sample.extend().standard_error <= STEADY * sample.standard_error


def _refuse(sample: Sample, method: IntervalMethod) -> str | None:
    shares = method in (IntervalMethod.WILSON, IntervalMethod.WALD)
    if sample.units < (1 if shares else 2):
        return "too_few"
    if not shares and np.ptp(sample.unit_means) <= _NOISE:
        return "no_variation"
    return None


def _bound(sample: Sample, method: IntervalMethod, *, df: int, level: float) -> tuple[float, float]:
    if method is IntervalMethod.WILSON:
        return _wilson(sample.mean, sample.units, level=level)
    if method is IntervalMethod.WALD:
        return _wald(sample.mean, sample.n, level=level)
    low, high = _student(sample, df=df, level=level)
    return max(low, 0.0), min(high, 1.0)


def _student(sample: Sample, *, df: int, level: float) -> tuple[float, float]:
    half = float(stdtrit(df, _upper(level))) * sample.standard_error
    return sample.mean - half, sample.mean + half


def _wald(share: float, n: int, *, level: float) -> tuple[float, float]:
    half = float(ndtri(_upper(level))) * float(np.sqrt(share * (1 - share) / n))
    return share - half, share + half


def _wilson(share: float, n: int, *, level: float) -> tuple[float, float]:
    z = float(ndtri(_upper(level)))
    weight = z * z / n
    centre = (share + weight / 2) / (1 + weight)
    spread = share * (1 - share) / n + weight / (4 * n)
    half = z / (1 + weight) * float(np.sqrt(max(spread, 0.0)))
    # At a share of 0 or 1 the bound is exact; rounding would leave it a hair inside.
    low = 0.0 if share <= 0 else max(centre - half, 0.0)
    high = 1.0 if share >= 1 else min(centre + half, 1.0)
    return low, high


def _upper(level: float) -> float:
    if not 0 < level < 1:
        raise ValueError(f"level is {level!r}; give a share between 0 and 1, such as 0.95")
    return (1 + level) / 2
