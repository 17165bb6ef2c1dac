"""Votes and chances say how sure a judge is."""

import numpy as np
import pytest

from worker.judging import uncertainty

CHANCES = np.array([[0.7, 0.1, 0.1, 0.1], [0.25, 0.25, 0.25, 0.25], [0, 0, 0, 1], [0, 0.5, 0.5, 0]])


def test_votes_are_smoothed() -> None:
    """Three equal votes of three leave a chance to the others; no votes say nothing."""
    shares = uncertainty.share_votes(np.array([[0, 0, 3, 0], [0, 0, 0, 0], [1, 0, 4, 0]]))
    assert shares[0] == pytest.approx([0.1, 0.1, 0.7, 0.1])
    assert shares[1] == pytest.approx([0.25] * 4)
    assert shares[2] == pytest.approx(np.array([1.5, 0.5, 4.5, 0.5]) / 7)


def test_margin_entropy_and_expected_grade() -> None:
    """From nothing known to certainty."""
    assert uncertainty.margin(CHANCES) == pytest.approx([0.6, 0, 1, 0])
    assert uncertainty.entropy(CHANCES)[1:] == pytest.approx([1, 0, 0.5])
    assert uncertainty.expect(CHANCES) == pytest.approx([0.6, 1.5, 3, 1.5])


def test_the_lower_of_equally_likely_grades_comes_first() -> None:
    """A tie is not turned into relevance."""
    best, second = uncertainty.rank_grades(CHANCES)
    assert best.tolist() == [0, 0, 3, 1]
    assert second.tolist() == [1, 1, 0, 2]
