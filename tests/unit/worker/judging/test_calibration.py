"""The map from a judge's chances to people's is learnt, and held back while labels are few."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax

from worker.judging.calibration import FLOOR, STRENGTH, Calibration


def draw(seed: int, pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw chances of a judge that is lenient by a grade, and what people say."""
    rng = np.random.default_rng(seed)
    people = rng.integers(0, 3, size=pairs)
    chances = rng.dirichlet([0.5] * 4, size=pairs)
    chances = 0.4 * chances + 0.6 * np.eye(4)[people + 1]
    return chances, people


def lose(chances: np.ndarray, people: np.ndarray) -> float:
    """Return the mean log loss."""
    return float(-np.log(chances[np.arange(len(people)), people]).mean())


def test_no_label_changes_nothing() -> None:
    """Without labels, and kept as it is, the map is the identity."""
    chances = np.random.default_rng(0).dirichlet([1] * 4, size=50)
    none = Calibration.fit(np.zeros((0, 4)), np.zeros(0, dtype=int))
    for calibration in (none, Calibration.keep(4)):
        assert calibration.apply(chances) == pytest.approx(chances, abs=1e-2)


def test_a_steady_bias_is_learnt() -> None:
    """After 200 labels, new pairs are told far better than by the judge's own chances."""
    calibration = Calibration.fit(*draw(1, 200))
    chances, people = draw(2, 2_000)
    calibrated = calibration.apply(chances)
    assert calibrated.sum(axis=1) == pytest.approx(np.ones(2_000))
    assert lose(calibrated, people) < 0.5 * lose(chances, people)
    assert (calibrated.argmax(axis=1) == people).mean() > 0.9


def test_few_labels_move_it_less_than_many() -> None:
    """Three labels that contradict a sure judge make it doubtful; two hundred overrule it."""
    sure = np.array([[0.02, 0.02, 0.02, 0.94]])
    few, many = (Calibration.fit(*draw(3, pairs)).apply(sure)[0, 3] for pairs in (3, 200))
    assert few > 0.3
    assert many < 0.05


def test_the_optimum_is_found() -> None:
    """A general optimiser finds the same weights."""
    chances, people = draw(4, 60)
    features = np.column_stack([np.log(np.maximum(chances, FLOOR)), np.ones(60)])
    start = np.eye(5, 4)

    def objective(flat: np.ndarray) -> float:
        weights = flat.reshape(5, 4)
        logs = log_softmax(features @ weights, axis=1)
        return float(
            STRENGTH / 2 * ((weights - start) ** 2).sum() - logs[np.arange(60), people].sum()
        )

    other = minimize(objective, start.ravel(), method="BFGS", options={"gtol": 1e-6})
    found = Calibration.fit(chances, people).weights
    assert found == pytest.approx(other.x.reshape(5, 4), abs=1e-3)


def test_labels_of_one_grade_do_no_harm() -> None:
    """All people's grades alike, and certain chances, still give finite ones."""
    chances = np.eye(4)[[3] * 30]
    calibrated = Calibration.fit(chances, np.zeros(30, dtype=int)).apply(np.eye(4))
    assert np.isfinite(calibrated).all()
    assert calibrated[3].argmax() == 0
