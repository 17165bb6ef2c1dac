"""Which pairs of a query people should grade first: those that are unsure and matter.

A query's pairs are given by their chances, shape (pairs, K), and by where each system ranks
them, `ranks` of shape (systems, pairs), from 1 up and 0 where one does not return it.
"""

from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from worker.judging.uncertainty import margin, rank_grades

DRAWS: Final = 200
BAND: Final = 0.9

Values = NDArray[np.float64]
Ranks = NDArray[np.int64]


class Doubt(Struct, frozen=True, kw_only=True):
    """What is unsure about a query.

    `unsure` are places of pairs within a system's first k whose margin is too small; `band` is
    the wider of the systems' label bands. The query is `uncertain` if any pair is unsure or the
    band too wide.
    """

    unsure: tuple[int, ...]
    band: tuple[float, float]
    uncertain: bool


def prioritise(chances: Values, ranks: Ranks, *, k: int) -> Values:
    """Return (1 - margin) times how far nDCG@k moves if the grade flips to the next likely one.

    The move is the mean over systems, all other grades being the most likely ones; a pair that
    no system returns can still move the ideal. Source of the idea: Carterette, Allan and
    Sitaraman, SIGIR 2006.
    """
    best, second = rank_grades(chances)
    flipped = np.repeat(best[None, :], len(best), axis=0)
    np.fill_diagonal(flipped, second)
    moves = np.abs(ndcg(flipped, ranks, k=k) - ndcg(best[None, :], ranks, k=k))
    worth: Values = (1 - margin(chances)) * moves.mean(axis=1)
    return worth


def ndcg(grades: NDArray[np.int64], ranks: Ranks, *, k: int) -> Values:
    """Return nDCG@k of each system under each set of grades, shape (sets, systems).

    `grades` has shape (sets, pairs). Gain is the grade, the ideal is over all pairs; 0 where
    nothing is worth anything.
    """
    discounts = 1 / np.log2(np.arange(2, k + 2))
    within = (ranks > 0) & (ranks <= k)
    weights = np.where(within, discounts[np.clip(ranks, 1, k) - 1], 0.0)
    ideal_grades = -np.sort(-grades, axis=1)[:, :k]
    ideal = ideal_grades @ discounts[: ideal_grades.shape[1]]
    worth = np.where(ideal > 0, ideal, 1.0)
    values: Values = grades @ weights.T / worth[:, None]
    return values


def draw_metric(chances: Values, ranks: Ranks, *, k: int, seed: int, draws: int = DRAWS) -> Values:
    """Draw grades from their chances and return nDCG@k of each, shape (draws, systems)."""
    rng = np.random.default_rng(seed)
    reached = rng.random((draws, len(chances), 1)) > np.cumsum(chances, axis=1)[None, :, :-1]
    return ndcg(reached.sum(axis=2), ranks, k=k)


def span(draws: Values) -> tuple[float, float]:
    """Return the 90 % label band of what was drawn, shape (draws, systems); of several the widest.

    It is about unsure grades alone, and says nothing of how few queries there are.
    """
    tail = (1 - BAND) / 2
    lows, highs = np.quantile(draws, [tail, 1 - tail], axis=0)
    widest = int(np.argmax(highs - lows))
    return float(lows[widest]), float(highs[widest])


def doubt(
    chances: Values, ranks: Ranks, draws: Values, *, k: int, least_margin: float, widest: float
) -> Doubt:
    """Say whether people should look at the query, and at which of its pairs.

    `draws` are of its nDCG@k, by `draw_metric`.
    """
    seen = ((ranks > 0) & (ranks <= k)).any(axis=0)
    unsure = tuple(np.flatnonzero(seen & (margin(chances) < least_margin)).tolist())
    low, high = span(draws)
    return Doubt(unsure=unsure, band=(low, high), uncertain=bool(unsure) or high - low > widest)
