"""How sure a judge is of each pair: chances of the grades, and what follows from them.

Arrays of chances have shape (pairs, K), each row adding up to 1.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

SMOOTHING: Final = 0.5
"""Added to the votes of each grade, so that three equal ones are not taken for certainty."""

Values = NDArray[np.float64]


def share_votes(votes: NDArray[np.int64]) -> Values:
    """Return chances from how many votes each grade got, shape (pairs, K); none: all alike."""
    smoothed = votes + SMOOTHING
    shares: Values = smoothed / smoothed.sum(axis=1, keepdims=True)
    return shares


def margin(chances: Values) -> Values:
    """Return the most likely grade's chance less the next one's, from 0 to 1."""
    two = np.sort(chances, axis=1)[:, -2:]
    lead: Values = two[:, 1] - two[:, 0]
    return lead


def entropy(chances: Values) -> Values:
    """Return the entropy in shares of the most there can be: 0 certain, 1 all grades alike."""
    known = np.where(chances > 0, chances, 1.0)
    bits: Values = -(known * np.log(known)).sum(axis=1) / np.log(chances.shape[1])
    return bits


def expect(chances: Values) -> Values:
    """Return the expected grade."""
    grades: Values = chances @ np.arange(chances.shape[1])
    return grades


def rank_grades(chances: Values) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the most likely grade of each pair and the next; of equal ones the lower first."""
    order = np.argsort(-chances, axis=1, kind="stable")
    return order[:, 0], order[:, 1]
