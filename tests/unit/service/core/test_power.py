import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from reteval.contract.power import PowerRequest
from service.core.power import (
    CURVE,
    Spread,
    achieved_power,
    detectable_difference,
    needed_queries,
    plan,
    spread_of,
)

SIGMAS = (0.10, 0.15, 0.20, 0.25, 0.30)
NEEDED = {
    0.10: (10, 20, 34, 52, 73),
    0.05: (34, 73, 128, 199, 285),
    0.03: (90, 199, 351, 547, 787),
    0.02: (199, 444, 787, 1_229, 1_768),
    0.01: (787, 1_768, 3_142, 4_908, 7_066),
}
DETECTABLE = {20: 0.66, 30: 0.53, 50: 0.40, 75: 0.33, 100: 0.28, 200: 0.20, 1_000: 0.09}


def t_power(n: int, effect: float, alpha: float = 0.05) -> float:
    """Return the exact power of a two-sided paired t-test."""
    bound = stats.t.ppf(1 - alpha / 2, n - 1)
    shift = effect * math.sqrt(n)
    return float(stats.nct.sf(bound, n - 1, shift) + stats.nct.cdf(-bound, n - 1, shift))


@pytest.mark.parametrize("delta", NEEDED)
def test_needed_queries_within_one_of_the_noncentral_t(delta: float) -> None:
    """Every cell of the published table, and the exact test needs at most one more or fewer."""
    for sigma, expected in zip(SIGMAS, NEEDED[delta], strict=True):
        n = needed_queries(sigma, delta, alpha=0.05, power=0.8)
        assert n == pytest.approx(expected, abs=1)
        assert t_power(int(n) + 1, delta / sigma) >= 0.8
        assert t_power(int(n) - 2, delta / sigma) < 0.8


@pytest.mark.parametrize(("n", "units"), DETECTABLE.items())
def test_detectable_difference_in_units_of_sigma(n: int, units: float) -> None:
    """The published least differences, to their two digits."""
    assert detectable_difference(1.0, n, alpha=0.05, power=0.8) == pytest.approx(units, abs=0.006)


@given(sigma=st.floats(0.01, 1), delta=st.floats(0.005, 0.5), power=st.floats(0.5, 0.99))
def test_the_three_figures_solve_one_equation(sigma: float, delta: float, power: float) -> None:
    """What n sees needs at most n, and n queries have at least the power asked for."""
    n = int(needed_queries(sigma, delta, alpha=0.05, power=power))
    seen = detectable_difference(sigma, n, alpha=0.05, power=power)
    reached = achieved_power(sigma, n, delta, alpha=0.05)
    assert seen is not None
    assert seen <= delta * (1 + 1e-6)
    assert reached is not None
    assert reached >= power - 1e-6


def test_sentence_a_person_can_act_on() -> None:
    """The example of the documentation, with every default in the answer."""
    answer = plan(PowerRequest(sigma=0.2), Spread(sigma=0.2))
    assert answer.sentence == "With 50 queries you can see ±0.081; for ±0.05 you need 128."
    assert (answer.needed, answer.n, answer.alpha, answer.power) == (128, 50, 0.05, 0.8)
    assert answer.achieved == pytest.approx(t_power(50, 0.25), abs=0.02)
    assert [point.n for point in answer.curve] == list(CURVE)
    own = plan(PowerRequest(sigma=0.2, n=60), Spread(sigma=0.2))
    assert [point.n for point in own.curve] == sorted([*CURVE, 60])


def test_too_few_queries_for_any_difference() -> None:
    """With so strict an alpha two queries see nothing, and the answer says so."""
    answer = plan(PowerRequest(sigma=0.2, n=2, alpha=1e-4), Spread(sigma=0.2))
    assert (answer.detectable, answer.achieved, answer.reason) == (None, None, "out_of_range")
    assert answer.sentence.startswith("With 2 queries you can see nothing")


def test_difference_too_small_for_any_test_set() -> None:
    """No number of queries is promised beyond a million."""
    answer = plan(PowerRequest(sigma=1.0, delta=1e-6), Spread(sigma=1.0))
    assert (answer.needed, answer.reason) == (None, "out_of_range")
    assert answer.sentence.endswith("you need more than 1,000,000.")


def test_runs_that_agree_everywhere() -> None:
    """No spread, no figures, and a reason."""
    answer = plan(PowerRequest(runs=("a", "b")), Spread(sigma=0.0, metric="mrr", pairs=9))
    assert (answer.needed, answer.detectable, answer.achieved) == (None, None, None)
    assert (answer.n, answer.curve, answer.reason) == (9, (), "no_variation")


def test_spread_of_shared_values() -> None:
    """Queries without a value in one of the runs are left out."""
    spread = spread_of([0.0, 1.0, math.nan, 0.5], [0.5, 1.0, 1.0, math.nan])
    assert spread is not None
    assert spread.sigma == pytest.approx(0.3535533905932738)
    assert spread.pairs == 2
    assert spread_of([0.0, math.nan], [0.5, 1.0]) is None
    assert spread_of([0.1, 0.2, 0.3], [0.2, 0.3, 0.4]) == Spread(sigma=0.0, pairs=3)
