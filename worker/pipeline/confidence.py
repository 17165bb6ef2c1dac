"""How sure an endpoint's scores make it look, answer by answer, and whether they mean anything."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from reteval.contract.out_of_corpus import ScoreSense
from reteval.contract.outcomes import Outcome

Values = NDArray[np.float64]

HIGHER: Final = "higher_is_better"
LOWER: Final = "lower_is_better"
AGREED: Final = 0.9
"""Share of the steps down a ranking that must go one way before that is the scores' sense."""
MIN_LISTS: Final = 5
_NOISE: Final = 1e-12
_RRF_CONSTANT: Final = 60
_RRF_DEPTH: Final = 200
_STORED: Final = 1e-8
"""Scores are kept as float32: this is how far one near 0.03 may be off."""


class Confidence(Struct, frozen=True, kw_only=True, eq=False):
    """Confidence in n answers, each of shape (n,), higher is surer.

    The best score, the mean over the page, and the lead of the best over the second (NaN for a
    page of one). Minus infinity for an empty page. `words` are the words of the queries.
    """

    top1: Values
    mean_k: Values
    gap: Values
    words: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.top1)

    def take(self, chosen: NDArray[np.bool_] | slice) -> "Confidence":
        """Return some of the answers."""
        return Confidence(
            top1=self.top1[chosen],
            mean_k=self.mean_k[chosen],
            gap=self.gap[chosen],
            words=self.words[chosen],
        )


def find_sense(outcomes: Iterable[Outcome], *, depth: int) -> ScoreSense:
    """Find which way scores run on clean queries, or why they carry no confidence.

    Reasons: `no_hits`, `scores_absent`, `scores_constant`, `rank_fused` (they follow from the
    rank alone, as sums of reciprocal ranks do), `too_few_lists`, `direction_unclear`.
    """
    filled = [outcome for outcome in outcomes if outcome.status.answered and outcome.ids]
    if not filled:
        return ScoreSense(direction=None, reason="no_hits")
    if any(outcome.scores is None for outcome in filled):
        return ScoreSense(direction=None, reason="scores_absent")
    lists = [outcome.scores[:depth] for outcome in filled if outcome.scores is not None]
    every = np.fromiter(chain.from_iterable(lists), dtype=np.float64)
    if np.ptp(every) <= _NOISE * max(float(np.abs(every).max()), 1.0):
        return ScoreSense(direction=None, reason="scores_constant")
    if len(lists) < MIN_LISTS:
        return ScoreSense(direction=None, reason="too_few_lists")
    if _follows_rank(lists) or _adds_reciprocals(every):
        return ScoreSense(direction=None, reason="rank_fused")
    return _find_direction(lists)


def read_confidence(
    outcomes: Sequence[Outcome], texts: Sequence[str], sense: ScoreSense, *, depth: int
) -> Confidence | None:
    """Read the answered outcomes; `texts` are their queries, parallel.

    None where the scores have no sense, or an answer with hits came without scores.
    """
    answered = [
        (outcome, text)
        for outcome, text in zip(outcomes, texts, strict=True)
        if outcome.status.answered
    ]
    unscored = any(outcome.ids and outcome.scores is None for outcome, _ in answered)
    if sense.direction is None or unscored:
        return None
    sign = 1.0 if sense.direction == HIGHER else -1.0
    rows = np.array(
        [_read(outcome, sign, depth) for outcome, _ in answered], dtype=np.float64
    ).reshape(-1, 3)
    return Confidence(
        top1=rows[:, 0],
        mean_k=rows[:, 1],
        gap=rows[:, 2],
        words=np.array([count_words(text) for _, text in answered], dtype=np.int64),
    )


def count_words(text: str) -> int:
    """Count what white space divides: the length by which queries are matched."""
    return len(text.split())


def explain_sense(sense: ScoreSense, confidence: Confidence | None) -> ScoreSense:
    """Return the sense with the reason why there is no confidence in spite of it."""
    if confidence is None and sense.direction is not None:
        return structs.replace(sense, direction=None, reason="scores_absent")
    return sense


def _read(outcome: Outcome, sign: float, depth: int) -> tuple[float, float, float]:
    if not outcome.ids:
        return -np.inf, -np.inf, -np.inf
    scores = np.sort(sign * np.array((outcome.scores or [])[:depth], dtype=np.float64))[::-1]
    lead = float(scores[0] - scores[1]) if len(scores) > 1 else np.nan
    return float(scores[0]), float(scores.mean()), lead


def _follows_rank(lists: Sequence[Sequence[float]]) -> bool:
    """Whether every list has the same score at the same rank."""
    longest = max(lists, key=len)
    return all(
        np.allclose(scores, longest[: len(scores)], rtol=1e-7, atol=_NOISE) for scores in lists
    )


def _adds_reciprocals(scores: Values) -> bool:
    """Whether every score is 1 / (60 + rank), or the sum of two such.

    The usual fusion of two rankings (Cormack, Clarke and Buettcher, SIGIR 2009). Other
    constants and weighted sums go unseen.
    """
    one = 1.0 / (_RRF_CONSTANT + np.arange(1, _RRF_DEPTH + 1))
    sums = np.sort(np.concatenate([one, (one[:, np.newaxis] + one).ravel()]))
    places = np.searchsorted(sums, scores).clip(1, len(sums) - 1)
    off = np.minimum(np.abs(sums[places] - scores), np.abs(sums[places - 1] - scores))
    return bool((off <= _STORED).all())


def _find_direction(lists: Sequence[Sequence[float]]) -> ScoreSense:
    steps = np.concatenate([np.diff(scores) for scores in lists])
    down, up = int(np.count_nonzero(steps < 0)), int(np.count_nonzero(steps > 0))
    if down + up and max(down, up) >= AGREED * (down + up):
        return ScoreSense(direction=HIGHER if down > up else LOWER)
    return ScoreSense(direction=None, reason="direction_unclear")
