"""How often the default interval of a mean holds the true mean, by simulation."""

from collections.abc import Callable

import numpy as np
import pytest

from worker.metrics.intervals import mean_interval
from worker.metrics.sample import Values

Draw = Callable[[np.random.Generator, int], Values]
SAMPLES = 400
LEAST = 0.93


def mostly(share: float, value: float, rest: Draw) -> Draw:
    """Make a shape with this share of queries at one value."""

    def draw(rng: np.random.Generator, n: int) -> Values:
        return np.where(rng.random(n) < share, value, rest(rng, n))

    return draw


def uniform(rng: np.random.Generator, n: int) -> Values:
    """Draw values anywhere in [0, 1]."""
    return rng.random(n)


def reciprocal_rank(rng: np.random.Generator, n: int) -> Values:
    """Draw 1 / rank with ranks that fall off, 0 behind the tenth."""
    rank = rng.geometric(0.45, n)
    return np.where(rank <= 10, 1 / rank, 0.0)


def zero(rng: np.random.Generator, n: int) -> Values:
    """Draw nothing but zeros, using up as many numbers as `uniform`."""
    return 0.0 * rng.random(n)


SHAPES: dict[str, tuple[Draw, float]] = {
    "uniform": (uniform, 0.5),
    "reciprocal ranks": (reciprocal_rank, sum(0.45 * 0.55 ** (r - 1) / r for r in range(1, 11))),
    "thirds": (lambda rng, n: rng.binomial(3, 0.6, n) / 3, 0.6),
    "two humps": (lambda rng, n: rng.beta(0.3, 0.3, n), 0.5),
    "near 0": (lambda rng, n: rng.beta(0.5, 5, n), 0.5 / 5.5),
    "near 1": (lambda rng, n: rng.beta(9, 1, n), 0.9),
    "70 % at 1": (mostly(0.7, 1.0, uniform), 0.85),
    "90 % at 1": (mostly(0.9, 1.0, uniform), 0.95),
    "97 % at 1": (mostly(0.97, 1.0, uniform), 0.985),
    "90 % at 1, rest 0": (mostly(0.9, 1.0, zero), 0.9),
    "90 % at 0": (mostly(0.9, 0.0, uniform), 0.05),
    "half at 1, half at 0": (mostly(0.5, 1.0, zero), 0.5),
    "90 % at 0.5": (mostly(0.9, 0.5, uniform), 0.5),
    "95 % at 0.9, rest 0": (mostly(0.95, 0.9, zero), 0.855),
    "90 % above 0.9": (
        lambda rng, n: np.where(rng.random(n) < 0.9, 0.9 + 0.1 * rng.random(n), rng.random(n)),
        0.905,
    ),
}


def cover(shape: Draw, mean: float, *, n: int, samples: int, seed: int = 6) -> float:
    """Return the share of intervals that hold the mean, among samples that have an interval."""
    rng = np.random.default_rng(seed)
    held = given = 0
    for _ in range(samples):
        interval = mean_interval(shape(rng, n))
        if interval.ci is not None:
            given += 1
            held += interval.ci[0] <= mean <= interval.ci[1]
    return held / given


@pytest.mark.parametrize("n", [10, 20, 50, 100, 200])
@pytest.mark.parametrize("name", SHAPES)
def test_default_interval_covers(name: str, n: int) -> None:
    """At least 93 % (less two Monte Carlo standard errors) of 95 % intervals hold the mean."""
    shape, mean = SHAPES[name]
    allowance = 2 * np.sqrt(LEAST * (1 - LEAST) / SAMPLES)
    assert cover(shape, mean, n=n, samples=SAMPLES) >= LEAST - allowance


def test_default_interval_of_clusters_covers() -> None:
    """Queries that share their cluster's luck count as the clusters they are."""
    rng = np.random.default_rng(6)
    labels = np.repeat(np.arange(30), 5)
    held = {"by clusters": 0, "as if alone": 0}
    for _ in range(SAMPLES):
        values = np.clip(rng.random(30)[labels] + rng.uniform(-0.05, 0.05, 150), 0, 1)
        for name, clusters in (("by clusters", labels), ("as if alone", None)):
            interval = mean_interval(values, clusters=clusters)
            assert interval.ci is not None
            held[name] += interval.ci[0] <= 0.5 <= interval.ci[1]
    assert held["by clusters"] / SAMPLES >= LEAST - 0.025
    assert held["as if alone"] / SAMPLES < 0.8
