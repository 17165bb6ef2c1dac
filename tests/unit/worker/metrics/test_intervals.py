"""Intervals against scipy's own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from reteval.contract.runs import IntervalMethod
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
    """Nine values away from 1 (or from 0) give Wilson on the mean, thirty give t."""
    nine = np.array([0.1 * place for place in range(9)] + [1.0] * 41)
    thirty = np.array([0.03 * place for place in range(30)] + [1.0] * 20)
    assert [mean_interval(values).method for values in (nine, thirty)] == ["wilson", "t"]
    assert [mean_interval(1 - values).method for values in (nine, thirty)] == ["wilson", "t"]


def test_mean_interval_of_zeros_and_ones() -> None:
    """Values that are all 0 or 1 are a share, whatever the metric is called."""
    values = np.array([0.0] * 20 + [1.0] * 30)
    assert mean_interval(values) == proportion_interval(30, 50)
    assert mean_interval(values, proportion=True) == proportion_interval(30, 50)
    assert mean_interval(np.ones(1), proportion=True) == proportion_interval(1, 1)


def test_mean_interval_when_one_more_query_would_change_it() -> None:
    """Values crowded together hide what a rare failure would do: t with a query at either end."""
    crowded = np.array([0.9, 0.92, 0.94, 0.95, 0.91] * 10)
    spread = np.linspace(0.05, 0.95, 50)
    extended = np.append(crowded, (0.0, 1.0))
    half = stats.t.ppf(0.975, 49) * stats.sem(extended)
    interval = mean_interval(crowded)
    assert (interval.method, mean_interval(spread).method) == ("adjusted_t", "t")
    assert interval.ci == pytest.approx((extended.mean() - half, extended.mean() + half))
    assert mean_interval(crowded, method=IntervalMethod.T).method == "t"


def test_mean_interval_is_cut_to_the_scale() -> None:
    """The t interval never leaves [0, 1]."""
    low_half = np.array([0.01] * 10 + [0.0] * 10 + [0.9])
    interval = mean_interval(low_half, method=IntervalMethod.T)
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


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        (IntervalMethod.WILSON, (0.020615, 0.162171)),
        (IntervalMethod.WALD, (-0.005826, 0.125826)),
        (IntervalMethod.T, (0.0, 0.128178)),
    ],
)
def test_interval_by_name(method: IntervalMethod, expected: tuple[float, float]) -> None:
    """Three of fifty: Wald's interval leaves the scale, which is why it is not the default."""
    values = np.array([1.0] * 3 + [0.0] * 47)
    interval = mean_interval(values, method=method)
    assert interval.ci == pytest.approx(expected, abs=1e-6)
    assert interval.method == method.value


def test_wald_is_the_textbooks_formula() -> None:
    """The mean and 1.96 standard errors of a share on either side, at any level."""
    share, n = 0.81, 100
    values = np.array([1.0] * 81 + [0.0] * 19)
    half = 1.959964 * np.sqrt(share * (1 - share) / n)
    interval = mean_interval(values, method=IntervalMethod.WALD)
    assert interval.ci == pytest.approx((share - half, share + half), abs=1e-6)
    assert mean_interval(np.empty(0), method=IntervalMethod.WALD).reason == "too_few"


@pytest.mark.parametrize("method", [IntervalMethod.T, IntervalMethod.BCA])
def test_interval_by_name_without_variation(method: IntervalMethod) -> None:
    """What rests on the spread has nothing to say about equal values, or about one."""
    assert mean_interval(np.ones(20), method=method).reason == "no_variation"
    assert mean_interval(np.ones(1), method=method).reason == "too_few"


def test_clusters_of_one_query_change_nothing() -> None:
    """Labels that are all different are no clusters."""
    values = np.linspace(0.2, 0.9, 40)
    assert mean_interval(values, clusters=np.arange(40)[::-1]) == mean_interval(values)


def test_clustered_interval_is_cluster_robust() -> None:
    """The ratio estimator over clusters, worked out as a weighted regression would."""
    rng = np.random.default_rng(2)
    labels = np.repeat(np.arange(30), rng.integers(1, 6, 30))
    values = np.clip(rng.random(30)[labels] + rng.uniform(-0.2, 0.2, len(labels)), 0, 1)
    sums = np.array([(values[labels == label] - values.mean()).sum() for label in range(30)])
    error = np.sqrt(30 / 29 * (sums**2).sum()) / len(values)
    half = stats.t.ppf(0.975, 29) * error
    interval = mean_interval(values, clusters=labels)
    assert (interval.method, interval.clusters) == ("t", 30)
    assert interval.ci == pytest.approx((values.mean() - half, values.mean() + half))


def test_copies_of_a_query_add_no_certainty() -> None:
    """Each query five times over, as one cluster, has the interval of the queries once."""
    once = np.linspace(0.2, 0.9, 30)
    labels = np.repeat(np.arange(30), 5)
    many = mean_interval(np.repeat(once, 5), clusters=labels)
    assert many.ci == pytest.approx(mean_interval(once).ci)
    few = mean_interval(np.repeat(np.array([1.0] * 8 + [0.0] * 2), 5), clusters=labels[:50])
    assert few.ci == pytest.approx(proportion_interval(8, 10).ci)
    assert (few.method, few.clusters) == ("wilson", 10)


def test_clusters_without_a_spread() -> None:
    """One cluster is one observation; clusters of equal means have no spread between them."""
    values = np.array([0.2, 0.4, 0.6, 0.8])
    one = mean_interval(values, clusters=np.zeros(4, dtype=np.int64))
    equal = mean_interval(
        np.tile([0.25, 0.75], 12), clusters=np.repeat(np.arange(12), 2), method=IntervalMethod.T
    )
    assert (one.ci, one.reason, one.clusters) == (None, "too_few", 1)
    assert (equal.ci, equal.reason, equal.clusters) == (None, "no_variation", 12)
