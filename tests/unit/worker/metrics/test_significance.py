"""Sign flips, Holm and effect sizes against scipy and statsmodels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from worker.metrics.intervals import paired_interval
from worker.metrics.significance import effect_size, holm, sign_flip_test

EIGHTHS = st.lists(st.integers(-8, 8).map(lambda eighths: eighths / 8), min_size=2, max_size=9)


@given(EIGHTHS)
@settings(max_examples=60)
def test_few_differences_are_tested_exactly(differences: list[float]) -> None:
    """Over all flips, as scipy's paired permutation test does."""
    values = np.array(differences)
    oracle = stats.permutation_test(
        (values,),
        lambda x, axis: np.abs(x.sum(axis=axis)),
        permutation_type="samples",
        vectorized=True,
        n_resamples=2 ** len(values),
        alternative="greater",
    )
    result = sign_flip_test(values, seed=0)
    assert result.exact
    assert result.flips == 2 ** np.count_nonzero(values)
    assert result.p == pytest.approx(oracle.pvalue, abs=1e-12)


@pytest.mark.parametrize("nonzero", [16, 17])
def test_sixteen_differences_are_the_last_exact_ones(nonzero: int) -> None:
    """Zeros do not count, since flipping them changes nothing."""
    values = np.concatenate([np.linspace(0.1, 0.9, nonzero), np.zeros(500)])
    result = sign_flip_test(values, seed=0)
    assert (result.exact, result.flips) == ((True, 65_536) if nonzero == 16 else (False, 10_000))


@pytest.mark.parametrize("kind", ["continuous", "discrete", "mixed"])
@pytest.mark.parametrize("mean", [0.0, 0.02, 0.05])
def test_drawn_flips_agree_with_other_draws(kind: str, mean: float) -> None:
    """The byte table and the binomial shortcut draw from the distribution of single flips."""
    rng = np.random.default_rng(4)
    n = 400
    values = {
        "continuous": rng.normal(mean, 0.3, n),
        "discrete": rng.choice([-1.0, 0.0, 0.5, 1.0], n, p=[0.25, 0.5, 0, 0.25]) + mean,
        "mixed": np.where(rng.random(n) < 0.5, rng.choice([-0.5, 0.5], n), rng.normal(mean, 1, n)),
    }[kind]
    signs = np.where(rng.random((20_000, n)) < 0.5, -1.0, 1.0)
    plain = np.mean(np.abs(signs @ values) >= abs(values.sum()) - 1e-9)
    p = sign_flip_test(values, seed=1, flips=20_000).p
    assert p == pytest.approx(plain, abs=4 * np.sqrt(2 * 0.25 / 20_000))


def test_drawn_flips_are_near_the_t_test() -> None:
    """With a thousand normal differences both tests say the same."""
    rng = np.random.default_rng(8)
    before, after = rng.normal(0.5, 0.2, 1_000), rng.normal(0.515, 0.2, 1_000)
    p = sign_flip_test(after - before, seed=0).p
    assert p == pytest.approx(stats.ttest_rel(after, before).pvalue, abs=0.01)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=40), st.integers(0, 99))
@settings(max_examples=60)
def test_p_depends_on_no_order_and_no_direction(differences: list[float], order: int) -> None:
    """Shuffled, swapped and padded with zeros, the same p, above 0 and at most 1."""
    values = np.array(differences)
    shuffled = np.random.default_rng(order).permutation(values)
    p = sign_flip_test(values, seed=3).p
    assert sign_flip_test(shuffled, seed=3).p == p
    assert sign_flip_test(-values, seed=3).p == p
    assert sign_flip_test(np.append(values, [0.0, 0.0]), seed=3).p == p
    assert 0 < p <= 1


def test_p_is_never_zero() -> None:
    """Even where no drawn flip comes near, the observed one is one of them."""
    assert sign_flip_test(np.ones(1_000), seed=0).p == 1 / 10_001


def test_p_is_repeatable_by_seed() -> None:
    """One seed, one p; another seed, another draw."""
    values = np.random.default_rng(5).normal(0.03, 0.2, 100)
    assert sign_flip_test(values, seed=1) == sign_flip_test(values, seed=1)
    assert sign_flip_test(values, seed=1) != sign_flip_test(values, seed=2)


def test_no_difference_has_p_one() -> None:
    """All zero, rounding included: one pattern, which is the observed one."""
    for values in (np.zeros(30), np.full(30, 1e-16), np.zeros(0)):
        result = sign_flip_test(values, seed=0)
        assert (result.p, result.exact, result.flips) == (1.0, True, 1)


def test_p_is_uniform_where_nothing_differs() -> None:
    """Of 2,000 comparisons without a difference, 5 % have p up to 0.05."""
    rows = np.random.default_rng(6).normal(0, 0.2, (2_000, 30))
    low = np.mean([sign_flip_test(row, seed=0, flips=999).p <= 0.05 for row in rows])
    assert low == pytest.approx(0.05, abs=3 * np.sqrt(0.05 * 0.95 / 2_000))


def test_holm_agrees_with_statsmodels() -> None:
    """Step-down, ties and order included."""
    rng = np.random.default_rng(0)
    for n in range(1, 30):
        p_values = np.round(rng.random(n) ** 3, 2)
        expected = multipletests(p_values, method="holm")[1]
        assert holm(list(p_values)) == pytest.approx(list(expected), abs=1e-15)
    assert holm([]) == []


def test_effect_size_is_mean_over_spread() -> None:
    """Cohen's d_z is t over the root of n; without variation there is none."""
    rng = np.random.default_rng(2)
    before, after = rng.random(40), rng.random(40)
    t = stats.ttest_rel(after, before).statistic
    assert effect_size(after - before) == pytest.approx(t / np.sqrt(40))
    assert effect_size(np.full(40, 0.1)) is None
    assert effect_size(np.array([0.1])) is None


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_paired_intervals_agree_with_ttest_rel(level: float) -> None:
    """The interval of a difference is the one that scipy's paired t test inverts."""
    rng = np.random.default_rng(7)
    before, after = rng.random(25), rng.random(25)
    oracle = stats.ttest_rel(after, before).confidence_interval(level)
    interval = paired_interval(after - before, level=level)
    assert interval.ci == pytest.approx((oracle.low, oracle.high), abs=1e-12)
