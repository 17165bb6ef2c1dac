"""What a paired comparison of n queries can see: two-sided t test, noncentral t.

`sigma` is the standard deviation of the paired differences, `delta` the true mean difference,
both in metric points.
"""

from functools import cache
from math import ceil, sqrt
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from scipy.special import gammainccinv, gammaincinv, ndtr, ndtri, stdtrit

Values = NDArray[np.float64]

POWER: Final = 0.8
ALPHA: Final = 0.05
_LARGE: Final = 1_000_000
"""Queries from which t is normal for every purpose."""
_NODES: Final = 384
_REACH: Final = 8.5
"""Standard normal deviate beyond which there is less probability than float64 resolves."""
_HALVINGS: Final = 60


class _Test(Struct, frozen=True, eq=False):
    """The two-sided t test at one n and alpha: its critical value and the spreads it may meet.

    Given the sample's spread (in units of the true one), t is normal: integrate over the
    spread, whose square is chi-squared over its degrees of freedom. SciPy's noncentral t answers
    NaN for some large shifts.
    """

    root: float
    critical: float
    spread: Values
    density: Values

    def reject(self, effect: float) -> float:
        """Return the chance of |t| beyond its critical value, for delta / sigma."""
        shift, bound = self.root * effect, self.critical * self.spread
        beyond = ndtr(shift - bound) + ndtr(-shift - bound)
        return min(float(np.sum(self.density * beyond)), 1.0)


def power_of(sigma: float, n: int, delta: float, *, alpha: float = ALPHA) -> float:
    """Return the chance that n pairs show a true difference of `delta` at level `alpha`.

    Raises:
        ValueError: sigma not above 0, n below 2, or alpha outside (0, 1).
    """
    _check(sigma, alpha)
    return _prepare(n, alpha).reject(abs(delta) / sigma)


def detectable(sigma: float, n: int, *, alpha: float = ALPHA, power: float = POWER) -> float:
    """Return the least true difference that n pairs show with this power.

    Raises:
        ValueError: sigma not above 0, n below 2, or power not between alpha and 1.
    """
    _check(sigma, alpha)
    _check_power(power, alpha)
    test = _prepare(n, alpha)
    low, high = 0.0, 1.0
    while test.reject(high) < power:
        low, high = high, high * 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if test.reject(middle) < power:
            low = middle
        else:
            high = middle
    return high * sigma


def required_n(sigma: float, delta: float, *, alpha: float = ALPHA, power: float = POWER) -> int:
    """Return the fewest pairs that show a true difference of `delta` with this power.

    Beyond a million by the normal approximation, which is exact there.

    Raises:
        ValueError: sigma not above 0, delta 0, or power not between alpha and 1.
    """
    _check(sigma, alpha)
    _check_power(power, alpha)
    if delta == 0:
        raise ValueError("delta is 0; give the difference to be seen, such as 0.02")
    effect, z = abs(delta) / sigma, float(ndtri(1 - alpha / 2))
    guess = ceil(((z + float(ndtri(power))) / effect) ** 2 + z * z / 2)
    if guess > _LARGE:
        return guess
    low, high = 1, max(guess, 2)
    while _prepare(high, alpha).reject(effect) < power:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        if _prepare(middle, alpha).reject(effect) < power:
            low = middle
        else:
            high = middle
    return high


def _prepare(n: int, alpha: float) -> _Test:
    if n < 2:  # noqa: PLR2004  (a spread needs two)
        raise ValueError(f"n is {n!r}; a paired test needs at least 2 queries")
    nodes, weights = _nodes()
    df, deviates = n - 1, _REACH * nodes
    return _Test(
        root=sqrt(n),
        critical=float(stdtrit(df, 1 - alpha / 2)),
        spread=_spread(df, deviates),
        density=_REACH * weights * np.exp(-(deviates**2) / 2) / sqrt(2 * np.pi),
    )


@cache
def _nodes() -> tuple[Values, Values]:
    """Return the places and weights of Gauss-Legendre integration over [-1, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return nodes, weights


def _spread(df: int, deviates: Values) -> Values:
    """Return the quantiles of sqrt(chi-squared / df) at these standard normal deviates."""
    lower = gammaincinv(df / 2, ndtr(np.minimum(deviates, 0.0)))
    upper = gammainccinv(df / 2, ndtr(-np.maximum(deviates, 0.0)))
    spread: Values = np.sqrt(np.where(deviates < 0, lower, upper) * 2 / df)
    return spread


def _check(sigma: float, alpha: float) -> None:
    if not sigma > 0:
        raise ValueError(f"sigma is {sigma!r}; give a standard deviation above 0")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha is {alpha!r}; give a share between 0 and 1, such as 0.05")


def _check_power(power: float, alpha: float) -> None:
    if not alpha < power < 1:
        raise ValueError(f"power is {power!r}; give a share between alpha and 1, such as 0.8")
