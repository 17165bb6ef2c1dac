"""From a judge's chances to those that people's grades bear out, learnt from a few labels.

LARA (Takehi, Voorhees, Sakai and Soboroff, SIGIR 2025) asks people about the pair of least
calibrated margin and fits a multinomial logistic map to their answers after each batch. Here the
map takes log-chances and is drawn towards leaving them as they are, so that a handful of labels
moves it a little and hundreds as far as they say.
"""

from typing import Final, Self

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

STRENGTH: Final = 4.0
"""How strongly the map is held to the identity: as a Gaussian prior of precision 4."""
FLOOR: Final = 0.01
"""Chances below it count as it: how far below 1 % is no more than a judge's manner of speaking."""
STEPS: Final = 50
ENOUGH: Final = 1e-8
HALVINGS: Final = 12

Values = NDArray[np.float64]


class Calibration(Struct, frozen=True, kw_only=True, eq=False):
    """Chances become softmax(log-chances with a 1 appended, times `weights`), shape (K + 1, K)."""

    weights: Values

    @classmethod
    def keep(cls, grades: int) -> Self:
        """Return the map that changes nothing."""
        return cls(weights=np.eye(grades + 1, grades))

    @classmethod
    def fit(cls, chances: Values, people: NDArray[np.int64]) -> Self:
        """Fit to people's grades, shape (pairs,), of pairs with chances, shape (pairs, K).

        The objective is convex; of Newton's step and its halves the best is taken.
        """
        grades = chances.shape[1]
        features = _describe(chances)
        wanted = np.eye(grades)[people]
        start = np.eye(grades + 1, grades)
        weights, loss = start, _lose(features, wanted, start, start)
        for _ in range(STEPS):
            step = _find_step(features, wanted, weights, start)
            tries = [weights - step / 2**halving for halving in range(HALVINGS)]
            losses = [_lose(features, wanted, tried, start) for tried in tries]
            best = int(np.argmin(losses))
            if losses[best] > loss - ENOUGH:
                break
            weights, loss = tries[best], losses[best]
        return cls(weights=weights)

    def apply(self, chances: Values) -> Values:
        """Return calibrated chances."""
        return _soften(_describe(chances) @ self.weights)


def _describe(chances: Values) -> Values:
    logs = np.log(np.maximum(chances, FLOOR))
    return np.column_stack([logs, np.ones(len(chances))])


def _soften(scores: Values) -> Values:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Values = powers / powers.sum(axis=1, keepdims=True)
    return shares


def _lose(features: Values, wanted: Values, weights: Values, start: Values) -> float:
    likely = (_soften(features @ weights) * wanted).sum(axis=1)
    pull = STRENGTH / 2 * ((weights - start) ** 2).sum()
    return float(pull - np.log(np.maximum(likely, np.finfo(float).tiny)).sum())


def _find_step(features: Values, wanted: Values, weights: Values, start: Values) -> Values:
    """Return Newton's step: the inverse of the second derivative times the first."""
    shares = _soften(features @ weights)
    slope = features.T @ (shares - wanted) + STRENGTH * (weights - start)
    spread = np.einsum("nk,kl->nkl", shares, np.eye(shares.shape[1]))
    spread -= shares[:, :, None] * shares[:, None, :]
    bend = np.einsum("nf,nkl,ng->fkgl", features, spread, features)
    size = weights.size
    curve = bend.reshape(size, size) + STRENGTH * np.eye(size)
    step: Values = np.linalg.solve(curve, slope.ravel()).reshape(weights.shape)
    return step
