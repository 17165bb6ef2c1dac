"""The bootstrap against scipy's, on its resamples and on ours."""

import numpy as np
import pytest
from scipy import stats

from reteval.contract.runs import IntervalMethod
from worker.metrics.bootstrap import (
    FEW_DISTINCT,
    FEWEST_RESAMPLES,
    RESAMPLES,
    bound_bca,
    bound_by,
    resample,
)
from worker.metrics.intervals import mean_interval
from worker.metrics.sample import Sample, Values

RNG = np.random.default_rng(8)
SHAPES = {
    "continuous": RNG.beta(2, 1, 120),
    "skewed": RNG.beta(0.4, 4, 60),
    "few distinct": RNG.choice([0.0, 0.25, 1 / 3, 0.5, 1.0], 80),
    "mostly ones": np.concatenate([np.ones(45), RNG.random(5)]),
}


def gather(values: Values) -> Sample:
    """Take values of independent queries."""
    return Sample.gather(values)


@pytest.mark.parametrize("values", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("tail", [0.025, 0.05])
def test_bca_agrees_with_scipy_on_its_resamples(values: Values, tail: float) -> None:
    """From the same resampled means we take the same interval."""
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=2_000, confidence_level=1 - 2 * tail, method="BCa", rng=4
    )
    ours = bound_by(theirs.bootstrap_distribution, gather(values), tail=tail)
    interval = theirs.confidence_interval
    assert ours == pytest.approx((interval.low, interval.high), abs=1e-12)


@pytest.mark.parametrize("values", SHAPES.values(), ids=SHAPES)
def test_bca_agrees_with_scipy_within_the_draw(values: Values) -> None:
    """Our own resamples give scipy's interval within Monte Carlo error, by both ways to draw."""
    theirs = stats.bootstrap((values,), np.mean, n_resamples=20_000, method="BCa", rng=4)
    interval = mean_interval(values, method=IntervalMethod.BCA)
    low, high = theirs.confidence_interval
    assert interval.method == "bca"
    assert interval.ci == pytest.approx((low, high), abs=0.05 * (high - low))


def test_resample_draws_many_distinct_values_and_few_alike() -> None:
    """Counting how often a value is drawn gives the spread that drawing each query gives."""
    few = np.repeat(np.linspace(0, 1, FEW_DISTINCT), 4)
    many = np.linspace(0, 1, 4 * FEW_DISTINCT)
    for values in (few, many):
        means = resample(gather(values), seed=1)
        assert len(means) == RESAMPLES
        assert float(means.mean()) == pytest.approx(0.5, abs=0.001)
        assert float(means.std()) == pytest.approx(values.std() / np.sqrt(len(values)), rel=0.03)


def test_resample_is_seeded_and_bounded() -> None:
    """The same seed draws the same means; very many queries are drawn less often."""
    values = SHAPES["continuous"]
    np.testing.assert_array_equal(
        resample(gather(values), seed=3), resample(gather(values), seed=3)
    )
    assert not np.array_equal(resample(gather(values), seed=3), resample(gather(values), seed=4))
    large = resample(gather(np.linspace(0, 1, 30_000)), seed=0)
    assert len(large) == FEWEST_RESAMPLES


def test_bca_draws_clusters() -> None:
    """Copies of each query within its cluster leave the interval as it was."""
    once = SHAPES["continuous"]
    copies = Sample.gather(np.repeat(once, 3), np.repeat(np.arange(len(once)), 3))
    low, high = bound_bca(copies, tail=0.025, seed=0)
    assert (low, high) == pytest.approx(bound_bca(gather(once), tail=0.025, seed=0), abs=0.01)
    uneven = Sample.gather(once, np.repeat(np.arange(40), 3))
    assert bound_bca(uneven, tail=0.025, seed=0)[0] < float(once.mean())
