"""Wear of a hold-out against the numbers of the theory, and a hold-out that is too good."""

import numpy as np
import pytest

from reteval.contract.diagnostics import Severity
from worker.diagnosis.holdout import expect_gain, find_better, find_worn


@pytest.mark.parametrize("systems", [1, 2, 3, 5, 10, 20, 50, 200])
def test_gain_by_chance_is_that_of_simulated_systems(systems: int) -> None:
    """The best of equal systems, each with its own error, is as much ahead as is said."""
    rng = np.random.default_rng(systems)
    errors = rng.normal(0, 0.2 / np.sqrt(50), (40_000, systems))
    assert expect_gain(systems, 50) == pytest.approx(errors.max(axis=1).mean(), rel=0.06, abs=4e-4)


def test_gain_by_chance_is_that_of_the_documentation() -> None:
    """Ten systems over 50 queries seem 0.044 better, fifty seem 0.064 better."""
    assert expect_gain(10, 50) == pytest.approx(0.044, abs=5e-4)
    assert expect_gain(50, 50) == pytest.approx(0.064, abs=1e-3)


@pytest.mark.parametrize(
    ("look", "severity"),
    [(1, None), (2, None), (3, Severity.INFO), (9, Severity.INFO), (10, Severity.WARN)],
)
def test_wear_is_told_and_then_warned_of(look: int, severity: Severity | None) -> None:
    """From the third look it is told, from the tenth warned of; both thresholds are stated."""
    found = find_worn(look, 50)
    assert (found.severity if found else None) == severity
    if found:
        assert "told from 3, warned from 10" in found.message
        assert found.evidence[0]["threshold"] == 10


def test_a_holdout_that_does_better_is_found() -> None:
    """Beyond two standard errors ahead it is found, with both means."""
    tune, held = np.tile([0.4, 0.6], 20), np.tile([0.5, 0.9], 10)
    found = find_better("mrr", tune, held)
    assert found is not None
    row = found.evidence[0]
    error = np.sqrt(tune.var(ddof=1) / 40 + held.var(ddof=1) / 20)
    assert (row["tune"], row["holdout"]) == pytest.approx((0.5, 0.7))
    assert row["standard_error"] == pytest.approx(error)
    assert find_better("mrr", held, tune) is None
    alike = np.sqrt(2 * tune.var(ddof=1) / 40)
    assert find_better("mrr", tune, tune + 1.9 * alike) is None
    assert find_better("mrr", tune, tune + 2.1 * alike) is not None


def test_few_values_say_nothing() -> None:
    """Ten values on each side are needed; those that are undefined do not count."""
    nine = np.append(np.ones(9), np.nan)
    assert find_better("mrr", np.zeros(30), nine) is None
    assert find_better("mrr", np.append(np.zeros(9), np.nan), np.ones(30)) is None
    assert find_better("mrr", np.zeros(10), np.ones(10)) is not None
