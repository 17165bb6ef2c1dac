"""Confidence intervals over queries; knows neither metrics nor rankings."""

from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

LEVEL: Final = 0.95
ENOUGH_INTERIOR: Final = 10
"""Values that must differ from 0, and from 1, before the t interval of a mean covers."""
_NOISE: Final = 1e-12


class Interval(Struct, frozen=True, kw_only=True):
    """An interval at confidence `level`, or None with the `reason`.

    `method` is "t", "wilson", or "none" where nothing was computed. Reasons: "too_few" (less
    than two values) and "no_variation" (all values equal, so their spread says nothing).
    """

    ci: tuple[float, float] | None
    level: float
    method: str
    reason: str | None = None


def mean_interval(values: NDArray[np.float64], *, level: float = LEVEL) -> Interval:
    """Bound the mean of values in [0, 1], shape (n,), without NaN.

    Student's t, cut to [0, 1]; Wilson's score interval on the mean where fewer than ten
    values differ from 0, or from 1, since t covers far too rarely there.
    """
    n = len(values)
    if n < 2:  # noqa: PLR2004  (a spread needs two)
        return _none("too_few", level=level)
    interior = min(np.count_nonzero(values), np.count_nonzero(values != 1.0))
    if interior < ENOUGH_INTERIOR:
        return _wilson(float(values.mean()), n, level=level)
    if np.ptp(values) <= _NOISE:
        return _none("no_variation", level=level)
    low, high = _student(values, level=level)
    return Interval(ci=(max(low, 0.0), min(high, 1.0)), level=level, method="t")


def proportion_interval(successes: int, n: int, *, level: float = LEVEL) -> Interval:
    """Bound a proportion by Wilson's score interval (Wilson, JASA 1927).

    Raises:
        ValueError: successes outside 0 to n.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes!r} successes of {n!r}; give between 0 and all of them")
    if n == 0:
        return _none("too_few", level=level)
    return _wilson(successes / n, n, level=level)


def paired_interval(differences: NDArray[np.float64], *, level: float = LEVEL) -> Interval:
    """Bound the mean of paired differences, shape (n,), by Student's t; not cut anywhere."""
    if len(differences) < 2:  # noqa: PLR2004  (a spread needs two)
        return _none("too_few", level=level)
    if np.ptp(differences) <= _NOISE:
        return _none("no_variation", level=level)
    return Interval(ci=_student(differences, level=level), level=level, method="t")


def _none(reason: str, *, level: float) -> Interval:
    return Interval(ci=None, level=level, method="none", reason=reason)


def _student(values: NDArray[np.float64], *, level: float) -> tuple[float, float]:
    n = len(values)
    mean = float(values.mean())
    quantile = float(stdtrit(n - 1, _upper(level)))
    half = quantile * float(values.std(ddof=1)) / float(np.sqrt(n))
    return mean - half, mean + half


def _wilson(share: float, n: int, *, level: float) -> Interval:
    z = float(ndtri(_upper(level)))
    weight = z * z / n
    centre = (share + weight / 2) / (1 + weight)
    spread = share * (1 - share) / n + weight / (4 * n)
    half = z / (1 + weight) * float(np.sqrt(max(spread, 0.0)))
    # At a share of 0 or 1 the bound is exact; rounding would leave it a hair inside.
    low = 0.0 if share <= 0 else max(centre - half, 0.0)
    high = 1.0 if share >= 1 else min(centre + half, 1.0)
    return Interval(ci=(low, high), level=level, method="wilson")


def _upper(level: float) -> float:
    if not 0 < level < 1:
        raise ValueError(f"level is {level!r}; give a share between 0 and 1, such as 0.95")
    return (1 + level) / 2
