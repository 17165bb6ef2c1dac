"""The bias-corrected and accelerated bootstrap of a mean, seeded."""

from typing import Final

import numpy as np
from scipy.special import ndtr, ndtri

from worker.metrics.sample import Sample, Values

RESAMPLES: Final = 10_000
FEWEST_RESAMPLES: Final = 1_000
MOST_DRAWS: Final = 20_000_000
"""Units drawn in all; beyond them the number of resamples falls, to the fewest at least."""
FEW_DISTINCT: Final = 64
_BLOCK: Final = 1 << 20


def bound_bca(sample: Sample, *, tail: float, seed: int) -> tuple[float, float]:
    """Return the interval that leaves out a share `tail` on either side.

    The values must vary. Source: Efron, JASA 82 (1987).
    """
    return bound_by(resample(sample, seed=seed), sample, tail=tail)


def resample(sample: Sample, *, seed: int) -> Values:
    """Return means of samples drawn with replacement from the units.

    Where few units are distinct, how often each is drawn is multinomial, so that the cost does
    not depend on their number; the distribution is the same.
    """
    rng = np.random.default_rng(seed)
    pairs = np.stack([sample.sums, sample.sizes], axis=1)
    distinct, counts = np.unique(pairs, axis=0, return_counts=True)
    if len(distinct) <= FEW_DISTINCT:
        drawn = rng.multinomial(sample.units, counts / sample.units, size=RESAMPLES) @ distinct
        means: Values = drawn[:, 0] / drawn[:, 1]
        return means
    resamples = min(RESAMPLES, max(FEWEST_RESAMPLES, MOST_DRAWS // sample.units))
    step = max(1, _BLOCK // sample.units)
    blocks = []
    for start in range(0, resamples, step):
        size = (min(step, resamples - start), sample.units)
        chosen = rng.integers(0, sample.units, size=size, dtype=np.int32)
        blocks.append(sample.sums[chosen].sum(axis=1) / sample.sizes[chosen].sum(axis=1))
    return np.concatenate(blocks)


def bound_by(means: Values, sample: Sample, *, tail: float) -> tuple[float, float]:
    """Take the interval from resampled means, shape (resamples,)."""
    observed = sample.mean
    below = np.count_nonzero(means < observed) + np.count_nonzero(means <= observed)
    bias = float(ndtri(below / (2 * len(means))))
    pull = _accelerate(sample)
    reach = bias + ndtri([tail, 1 - tail])
    shares = ndtr(bias + reach / (1 - pull * reach))
    low, high = np.quantile(means, shares)
    return float(low), float(high)


def _accelerate(sample: Sample) -> float:
    """Return the acceleration: how the spread changes with the mean, by the jackknife."""
    without = (sample.sums.sum() - sample.sums) / (sample.sizes.sum() - sample.sizes)
    influence = without.mean() - without
    return float((influence**3).sum() / (6 * (influence**2).sum() ** 1.5))
