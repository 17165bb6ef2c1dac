"""Intervals of any statistic of sums over queries, by drawing queries again."""

from collections.abc import Callable
from typing import Final, Self

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

from reteval.contract.agreement import Estimate
from worker.judging.estimates import unbounded

Values = NDArray[np.float64]
Statistic = Callable[[Values], Values]
"""From sums, shape (m, d), to the figure of each, shape (m,); NaN where it is undefined."""

LEVEL: Final = 0.95
RESAMPLES: Final = 2_000
ENOUGH_DEFINED: Final = 0.9
"""Share of resamples in which a figure must be defined; below, its interval would be a choice."""
_BLOCK: Final = 1 << 22
_NOISE: Final = 1e-12


class Resamples(Struct, frozen=True, kw_only=True, eq=False):
    """Sums over all queries, over queries drawn again, and over all but one.

    `total` has shape (1, d), `drawn` (resamples, d), `without` (queries, d). `surprises`, of the
    shape of `drawn`, are what each resample might hold besides: what is too rare to be in a small
    sample must not be taken for impossible. `freedom` bounds the degrees of freedom.
    """

    total: Values
    drawn: Values
    without: Values
    surprises: Values | None = None
    freedom: float = np.inf

    @classmethod
    def draw(cls, parts: Values, *, seed: int) -> Self:
        """Draw queries with replacement; `parts` holds what each adds, shape (queries, d)."""
        queries = len(parts)
        rng = np.random.default_rng(seed)
        step = max(1, _BLOCK // max(queries, 1))
        blocks = []
        for start in range(0, RESAMPLES if queries > 1 else 0, step):
            size = min(step, RESAMPLES - start)
            times = rng.multinomial(queries, np.full(queries, 1 / queries), size=size)
            blocks.append(times @ parts)
        total = parts.sum(axis=0, keepdims=True)
        drawn = np.concatenate(blocks) if blocks else np.empty((0, parts.shape[1]))
        return cls(total=total, drawn=drawn, without=total - parts)

    def estimate(self, statistic: Statistic, *, undefined: str, level: float = LEVEL) -> Estimate:
        """Return the figure with its interval; `undefined` is the reason where it has no value.

        Bias-corrected and accelerated (Efron, JASA 82, 1987), with the normal quantiles widened
        to Student's (Hesterberg, The American Statistician 69, 2015). Its degrees of freedom
        are the queries less one, or `freedom` where that is less.
        """
        value = float(statistic(self.total)[0])
        if not np.isfinite(value):
            return unbounded(None, undefined, level=level)
        drawn = statistic(self.drawn)
        known = drawn[np.isfinite(drawn)]
        reason = "too_few" if len(self.without) < 2 else None  # noqa: PLR2004 - a spread needs two
        if reason is None and len(known) < ENOUGH_DEFINED * len(drawn):
            reason = undefined
        if reason is None and np.ptp(known) <= _NOISE:
            reason = "no_variation"
        if reason:
            return unbounded(value, reason, level=level)
        freedom = min(len(self.without) - 1, self.freedom)
        reach = np.sqrt(1 + 1 / freedom) * stdtrit(freedom, [(1 - level) / 2, (1 + level) / 2])
        shares = _find_shares(known, value, statistic(self.without), reach=reach)
        low, high = np.quantile(self._spread(statistic, known), shares)
        ci = (min(float(low), value), max(float(high), value))
        return Estimate(value=value, ci=ci, level=level, method="bca")

    def _spread(self, statistic: Statistic, drawn: Values) -> Values:
        """Return the figures drawn, or those with surprises, which widen and do not move them."""
        if self.surprises is None:
            return drawn
        surprised = statistic(self.drawn + self.surprises)
        known = surprised[np.isfinite(surprised)]
        # One more unit dilutes the others; that is undone.
        stretch = 1 + 1 / (self.freedom + 1)
        moved: Values = np.median(drawn) + stretch * (known - np.median(known))
        return moved


def _find_shares(drawn: Values, value: float, without: Values, *, reach: Values) -> Values:
    """Return which quantiles of the drawn figures bound the interval."""
    below = np.count_nonzero(drawn < value - _NOISE) + np.count_nonzero(drawn <= value + _NOISE)
    share = np.clip(below / (2 * len(drawn)), 1 / len(drawn), 1 - 1 / len(drawn))
    bias = float(ndtri(share))
    pull = _accelerate(without)
    shares: Values = ndtr(bias + (bias + reach) / (1 - pull * (bias + reach)))
    return shares


def _accelerate(without: Values) -> float:
    """Return how the spread changes with the figure, by the jackknife."""
    known = without[np.isfinite(without)]
    influence = known.mean() - known
    spread = float((influence**2).sum() ** 1.5)
    return float((influence**3).sum() / (6 * spread)) if spread > _NOISE else 0.0
