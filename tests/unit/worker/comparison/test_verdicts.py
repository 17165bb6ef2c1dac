"""Verdicts on differences, and how often they are wrong."""

import numpy as np
import pytest
from numpy.typing import NDArray

from reteval.contract.comparisons import Verdict
from worker.comparison.estimates import estimate_difference, find_equivalence
from worker.comparison.verdicts import decide
from worker.metrics.significance import sign_flip_test

SEEDS = 1_000
FLIPS = 1_000
SIGMA = 0.2
MARGIN = 0.02


def judge(differences: NDArray[np.float64]) -> Verdict:
    """Decide on one metric alone."""
    p = sign_flip_test(differences, seed=0, flips=FLIPS).p
    return decide(differences, p=p, margin=MARGIN, alpha=0.05)


def draw(n: int, *, mean: float) -> list[NDArray[np.float64]]:
    """Draw the differences of a thousand comparisons."""
    rng = np.random.default_rng(n)
    return list(rng.normal(mean, SIGMA, (SEEDS, n)))


def allow(rate: float, *, sign: int) -> float:
    """Give a rate two Monte Carlo standard errors."""
    return rate + sign * 2 * float(np.sqrt(rate * (1 - rate) / SEEDS))


def share(verdicts: list[Verdict], *wanted: Verdict) -> float:
    """Return how often one of these was the verdict."""
    return sum(verdict in wanted for verdict in verdicts) / len(verdicts)


@pytest.mark.parametrize(
    ("differences", "p", "verdict"),
    [
        ([0.3, 0.2, 0.4], 0.01, Verdict.BETTER),
        ([-0.3, -0.2, -0.4], 0.05, Verdict.WORSE),
        ([0.3, 0.2, 0.4], 0.051, Verdict.INCONCLUSIVE),
        ([0.3, 0.2, 0.4], None, Verdict.INCONCLUSIVE),
        ([0.010, 0.011, 0.009, 0.010], 0.001, Verdict.NO_CHANGE),
        ([0.010, 0.011, 0.009, 0.030], 0.001, Verdict.BETTER),
        ([0.01] * 6, 0.03, Verdict.NO_CHANGE),
        ([0.01] * 5, 0.06, Verdict.INCONCLUSIVE),
        ([0.1] * 6, 0.03, Verdict.BETTER),
        ([], None, Verdict.INCONCLUSIVE),
    ],
)
def test_decide(differences: list[float], p: float | None, verdict: Verdict) -> None:
    """Equivalence first, then p, else can't tell; few equal differences prove nothing."""
    values = np.array(differences, dtype=np.float64)
    assert decide(values, p=p, margin=MARGIN, alpha=0.05) == verdict


def test_a_drop_at_fifty_queries_is_rarely_settled() -> None:
    """A true drop of 0.02 is never called better more often than by design, mostly open."""
    verdicts = [judge(row) for row in draw(50, mean=-0.02)]
    assert share(verdicts, Verdict.BETTER) <= allow(0.025, sign=1)
    assert share(verdicts, Verdict.INCONCLUSIVE) >= allow(0.85, sign=-1)


def test_a_drop_at_a_thousand_queries_is_found() -> None:
    """The same drop is called worse, and a gate on the interval's lower end does not pass it."""
    rows = draw(1_000, mean=-0.02)
    verdicts = [judge(row) for row in rows]
    assert share(verdicts, Verdict.BETTER) <= allow(0.025, sign=1)
    assert share(verdicts, Verdict.WORSE) >= allow(0.85, sign=-1)
    bounds = [estimate_difference(row).ci for row in rows]
    passes = sum(ci is not None and ci[0] >= -0.02 for ci in bounds) / SEEDS
    assert passes <= allow(0.025, sign=1)


@pytest.mark.parametrize("n", [10, 50, 200, 1_000])
def test_no_difference_is_rarely_called_one(n: int) -> None:
    """Better and worse together stay under alpha where nothing differs."""
    verdicts = [judge(row) for row in draw(n, mean=0.0)]
    assert share(verdicts, Verdict.BETTER, Verdict.WORSE) <= allow(0.05, sign=1)


def test_equivalence_is_at_ninety_percent() -> None:
    """The bounds are those that the report shows, or the value that six units share."""
    differences = np.array([0.1, 0.2, 0.15, 0.05])
    assert find_equivalence(differences) == estimate_difference(differences).equivalence
    assert find_equivalence(np.full(6, 0.1)) == (0.1, 0.1)
    assert find_equivalence(np.full(5, 0.1)) is None
