"""Intervals against scipy's own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from worker.metrics.intervals import mean_interval, paired_interval, proportion_interval

SHARES = st.lists(st.floats(0, 1), min_size=2, max_size=60)


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=60), st.sampled_from([0.8, 0.9, 0.95]))
def test_paired_interval_agrees_with_scipy(differences: list[float], level: float) -> None:
    """Student's t around the mean difference, unless nothing varies."""
    values = np.array(differences)
    interval = paired_interval(values, level=level)
    if np.ptp(values) <= 1e-12:
        assert (interval.ci, interval.method, interval.reason) == (None, "none", "no_variation")
        return
    expected = stats.t.interval(
        level, len(values) - 1, loc=values.mean(), scale=stats.sem(values, ddof=1)
    )
    assert interval.ci == pytest.approx(expected, abs=1e-9)
    assert (interval.level, interval.method, interval.reason) == (level, "t", None)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_proportion_interval_agrees_with_scipy(counts: tuple[int, int]) -> None:
    """Wilson's score interval for any count."""
    successes, n = counts
    expected = stats.binomtest(successes, n).proportion_ci(0.95, method="wilson")
    interval = proportion_interval(successes, n)
    assert interval.ci == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert interval.method == "wilson"


@given(SHARES)
def test_mean_interval_stays_in_bounds_around_the_mean(shares: list[float]) -> None:
    """Any interval of a mean of shares holds the mean and lies in [0, 1]."""
    values = np.array(shares)
    interval = mean_interval(values)
    if interval.ci is None:
        assert interval.reason == "no_variation"
        return
    low, high = interval.ci
    assert 0 <= low <= float(values.mean()) + 1e-12
    assert float(values.mean()) - 1e-12 <= high <= 1


def test_mean_interval_when_most_values_are_extreme() -> None:
    """Nine values away from 1 (or from 0) give Wilson on the mean, ten give t."""
    nine = np.array([0.0] * 9 + [1.0] * 41)
    ten = np.array([0.0] * 10 + [1.0] * 40)
    assert [mean_interval(values).method for values in (nine, ten)] == ["wilson", "t"]
    assert [mean_interval(1 - values).method for values in (nine, ten)] == ["wilson", "t"]
    assert mean_interval(nine).ci == proportion_interval(41, 50).ci


def test_mean_interval_is_cut_to_the_scale() -> None:
    """The t interval never leaves [0, 1]."""
    low_half = np.array([0.01] * 10 + [0.0] * 10 + [0.9])
    interval = mean_interval(low_half)
    assert interval.method == "t"
    assert interval.ci is not None
    assert interval.ci[0] == 0.0


def test_mean_interval_of_all_ones() -> None:
    """A perfect score of 50 queries is still uncertain downwards."""
    interval = mean_interval(np.ones(50))
    assert interval.ci == pytest.approx((0.92865, 1.0), abs=1e-5)


def test_mean_interval_without_variation() -> None:
    """Equal values between 0 and 1 say nothing about spread: no interval of width 0."""
    interval = mean_interval(np.full(20, 0.5))
    assert (interval.ci, interval.reason) == (None, "no_variation")


@pytest.mark.parametrize("n", [0, 1])
def test_intervals_of_too_few(n: int) -> None:
    """Less than two values have no spread."""
    values = np.full(n, 0.5)
    assert mean_interval(values).reason == "too_few"
    assert paired_interval(values).reason == "too_few"
    assert proportion_interval(0, 0).reason == "too_few"


def test_intervals_refuse_the_impossible() -> None:
    """More successes than trials, and levels outside (0, 1)."""
    with pytest.raises(ValueError, match="3 successes of 2"):
        proportion_interval(3, 2)
    with pytest.raises(ValueError, match="level is 95"):
        mean_interval(np.array([0.1, 0.2]), level=95)
