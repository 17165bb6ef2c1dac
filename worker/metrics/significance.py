"""Whether paired differences could be chance; knows neither metrics nor rankings.

Randomisation by sign flips, the correction for testing several metrics, the size of an effect.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Values = NDArray[np.float64]

FLIPS: Final = 10_000
EXACT_UP_TO: Final = 16
"""Differences other than zero whose 2 ** 16 sign patterns are all looked at."""
NOISE: Final = 1e-12
"""Differences no larger than this are rounding, hence none."""
_BLOCK: Final = 8
_MANY: Final = 128
"""Equal sizes from which one binomial draw costs less than flipping each of them."""
_ROUNDING: Final = 1e-11


class Randomisation(Struct, frozen=True, kw_only=True):
    """A two-sided p-value: over all 2 ** m sign patterns (`exact`), or over `flips` drawn ones."""

    p: float
    exact: bool
    flips: int


def sign_flip_test(differences: Values, *, seed: int, flips: int = FLIPS) -> Randomisation:
    """Test whether the mean of paired differences, shape (n,), is 0.

    Under the null each difference is as likely to have the other sign. Flipping a zero changes
    nothing, so the test is exact for up to 16 differences other than zero, and else
    (1 + hits) / (1 + flips) (Phipson and Smyth 2010: never 0). The order of the differences and
    the direction of the subtraction do not matter.
    """
    moved = differences[np.abs(differences) > NOISE]
    sizes = np.sort(np.abs(moved))
    least = abs(float(moved.sum())) - _ROUNDING * float(sizes.sum())
    if len(sizes) <= EXACT_UP_TO:
        sums = _all_sums(sizes)
        share = np.count_nonzero(np.abs(sums) >= least) / len(sums)
        return Randomisation(p=float(share), exact=True, flips=2 ** len(sizes))
    sums = _draw_sums(sizes, np.random.default_rng(seed), flips)
    hits = int(np.count_nonzero(np.abs(sums) >= least))
    return Randomisation(p=(1 + hits) / (1 + flips), exact=False, flips=flips)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for having tested them together (Holm 1979, step-down)."""
    p = np.array(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(np.arange(len(p), 0, -1) * p[order])
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(steps, 1.0)
    return [float(value) for value in adjusted]


def effect_size(differences: Values) -> float | None:
    """Return Cohen's d_z, mean over standard deviation; None where nothing varies."""
    if len(differences) < 2 or np.ptp(differences) <= NOISE:  # noqa: PLR2004  (a spread needs two)
        return None
    return float(differences.mean()) / float(differences.std(ddof=1))


def _all_sums(sizes: Values) -> Values:
    """Return the sums of all sign patterns; the first sign is fixed, the rest is its mirror."""
    sums: Values = np.zeros(1) + sizes[:1].sum()
    for size in sizes[1:]:
        sums = np.concatenate((sums + size, sums - size))
    return sums


def _draw_sums(sizes: Values, rng: np.random.Generator, flips: int) -> Values:
    """Draw sums of randomly signed sizes, shape (flips,).

    Of c equal sizes the number that stays positive is binomial: the same distribution, at a
    cost that does not depend on c. The others are flipped eight at a time, by looking a random
    byte up in the table of their 256 signed sums.
    """
    distinct, counts = np.unique(sizes, return_counts=True)
    many = counts >= _MANY
    sums = np.zeros(flips)
    for size, count in zip(distinct[many], counts[many], strict=True):
        sums += size * (2 * rng.binomial(count, 0.5, flips) - count)
    few = np.repeat(distinct[~many], counts[~many])
    bits = np.arange(2**_BLOCK)[:, np.newaxis] >> np.arange(_BLOCK)
    signs = 1.0 - 2.0 * (bits & 1)
    for start in range(0, len(few), _BLOCK):
        block = few[start : start + _BLOCK]
        signed = signs[:, : len(block)] @ block
        sums += signed[rng.integers(0, 2**_BLOCK, flips, dtype=np.uint8)]
    return sums
