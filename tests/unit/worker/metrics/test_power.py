"""Power of a paired t test against statsmodels, a published table, and simulation."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import stdtrit
from statsmodels.stats.power import TTestPower

from worker.metrics.power import detectable, power_of, required_n

REQUIRED = {
    0.10: (10, 20, 34, 52, 73),
    0.05: (34, 73, 128, 199, 285),
    0.03: (90, 199, 351, 547, 787),
    0.02: (199, 444, 787, 1_229, 1_768),
    0.01: (787, 1_768, 3_142, 4_908, 7_066),
}
"""Queries for a difference, at sigma 0.10, 0.15, 0.20, 0.25, 0.30; alpha 0.05, power 0.8."""


@pytest.mark.parametrize("n", [2, 3, 5, 20, 50, 200, 5_000])
@pytest.mark.parametrize("effect", [0.01, 0.1, 0.3, 1.0])
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2])
def test_power_agrees_with_statsmodels(n: int, effect: float, alpha: float) -> None:
    """Both tails of the noncentral t; the far one, where it is next to 0, is NaN there."""
    near = TTestPower().power(effect, n, alpha / 2, alternative="larger")
    far = TTestPower().power(effect, n, alpha / 2, alternative="smaller")
    found = power_of(0.2, n, 0.2 * effect, alpha=alpha)
    assert found == pytest.approx(near + np.nan_to_num(far), abs=1e-7)


@pytest.mark.parametrize(("delta", "row"), REQUIRED.items())
def test_required_n_agrees_with_the_table(delta: float, row: tuple[int, ...]) -> None:
    """Within the one query by which the table's normal approximation may be off."""
    found = [required_n(sigma, delta) for sigma in (0.10, 0.15, 0.20, 0.25, 0.30)]
    assert found == pytest.approx(row, abs=1)


@given(st.floats(0.05, 1), st.floats(0.01, 0.5), st.sampled_from([0.01, 0.05]))
@settings(max_examples=40)
def test_required_n_is_the_least(sigma: float, delta: float, alpha: float) -> None:
    """One query fewer falls short of the power."""
    n = required_n(sigma, delta, alpha=alpha)
    assert power_of(sigma, n, delta, alpha=alpha) >= 0.8
    assert n == 2 or power_of(sigma, n - 1, delta, alpha=alpha) < 0.8


@given(st.floats(0.001, 1), st.integers(2, 3_000), st.sampled_from([0.5, 0.8, 0.95]))
@settings(max_examples=40)
def test_detectable_has_the_power(sigma: float, n: int, power: float) -> None:
    """The power for the detectable difference is the one asked for."""
    delta = detectable(sigma, n, power=power)
    assert power_of(sigma, n, delta) == pytest.approx(power, abs=1e-9)


def test_fifty_queries_see_eight_points() -> None:
    """The sentence everybody should know: ±0.081 with 50 queries at sigma 0.2, 128 for 0.05."""
    assert (round(detectable(0.2, 50), 3), required_n(0.2, 0.05)) == (0.081, 128)


def test_power_is_what_simulation_finds() -> None:
    """Of 20,000 comparisons of 30 queries, the share that a t test calls significant."""
    rows = np.random.default_rng(9).normal(0.1, 0.2, (20_000, 30))
    t = rows.mean(axis=1) / (rows.std(axis=1, ddof=1) / np.sqrt(30))
    found = np.mean(np.abs(t) > stdtrit(29, 0.975))
    assert power_of(0.2, 30, 0.1) == pytest.approx(found, abs=3 * np.sqrt(0.25 / 20_000))


def test_extremes_have_an_answer() -> None:
    """No NaN at huge effects, no search without end at tiny ones."""
    assert power_of(0.001, 50_000, 1.0) == pytest.approx(1.0)
    assert power_of(1.0, 10, 0.0) == pytest.approx(0.05)
    assert required_n(1e-9, 1.0) == 2
    assert required_n(1.0, -1e-4) == pytest.approx((2.8015852 / 1e-4) ** 2, rel=1e-6)
    assert required_n(0.2, 0.5, alpha=0.4, power=0.41) == 2
    assert detectable(0.2, 2) > 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: power_of(0.0, 10, 0.1), "sigma is 0.0"),
        (lambda: power_of(float("nan"), 10, 0.1), "sigma is nan"),
        (lambda: power_of(0.1, 1, 0.1), "n is 1"),
        (lambda: power_of(0.1, 10, 0.1, alpha=5), "alpha is 5"),
        (lambda: detectable(0.1, 10, power=0.05), "power is 0.05"),
        (lambda: required_n(0.1, 0), "delta is 0"),
        (lambda: required_n(0.1, 0.1, power=1), "power is 1"),
    ],
)
def test_the_impossible_is_refused(call: Callable[[], object], message: str) -> None:
    """Each message names the argument and its value."""
    with pytest.raises(ValueError, match=message):
        call()
