"""How much two rankings of document ids agree, without any judgment.

Repeats are collapsed onto a document's first place before comparing, so that a list always
agrees fully with itself. Two empty lists agree fully, an empty one and another not at all.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

PERSISTENCE: Final = 0.9


def rbo(a: Sequence[str], b: Sequence[str], *, p: float = PERSISTENCE) -> float:
    """Return rank-biased overlap in [0, 1], extrapolated to lists without end.

    `p` is the persistence: at 0.9 the first ten places carry about 86 % of the weight. Lists
    may differ in length. Source: Webber, Moffat and Zobel, TOIS 28(4) 2010, equation 32.

    Raises:
        ValueError: `p` outside (0, 1).
    """
    return float(rbo_each([(a, b)], p=p)[0])


def rbo_each(
    pairs: Sequence[tuple[Sequence[str], Sequence[str]]], *, p: float = PERSISTENCE
) -> Values:
    """Return the rank-biased overlap of each pair, shape (pairs,), as `rbo` of it would be.

    Raises:
        ValueError: `p` outside (0, 1).
    """
    if not 0 < p < 1:
        raise ValueError(f"p is {p!r}; give a persistence between 0 and 1, such as 0.9")
    met = [_meet(a, b) for a, b in pairs]
    overlaps = np.ones(len(met))
    by_length: dict[int, list[int]] = {}
    for row, (short, long, _) in enumerate(met):
        if short:
            by_length.setdefault(long, []).append(row)
        elif long:
            overlaps[row] = 0.0
    for long, rows in by_length.items():
        overlaps[rows] = _extrapolate([met[row] for row in rows], long, p)
    return overlaps


def jaccard(a: Sequence[str], b: Sequence[str], *, k: int) -> float:
    """Return the share of documents in both top k among those in either."""
    top_a, top_b = set(a[:k]), set(b[:k])
    either = top_a | top_b
    return len(top_a & top_b) / len(either) if either else 1.0


def top1_same(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether both lists start with the same document, or are both empty."""
    return list(a[:1]) == list(b[:1])


def _meet(a: Sequence[str], b: Sequence[str]) -> tuple[int, int, list[int]]:
    """Return both lengths, the shorter first, and the depth at which each shared document is met.

    Repeats are not counted.
    """
    places_a, places_b = _first_places(a), _first_places(b)
    short, long = sorted((len(places_a), len(places_b)))
    shared = places_a.keys() & places_b.keys()
    return short, long, [max(places_a[document], places_b[document]) for document in shared]


def _extrapolate(met: Sequence[tuple[int, int, list[int]]], long: int, p: float) -> Values:
    """Return the overlaps of pairs whose longer lists are of one length, none of them empty."""
    short = np.array([row[0] for row in met])
    width = long + 1
    at = [row * width + depth for row, (_, _, depths) in enumerate(met) for depth in depths]
    counts = np.bincount(np.array(at, dtype=np.int64), minlength=len(met) * width)
    overlap = np.cumsum(counts.reshape(len(met), width), axis=1)[:, 1:]
    depth = np.arange(1, width)
    at_short, at_long = overlap[np.arange(len(met)), short - 1], overlap[:, -1]
    agreed = at_short / short
    # Below the shorter list's end, its agreement there is assumed to go on.
    assumed = np.maximum(depth - short[:, np.newaxis], 0) * agreed[:, np.newaxis]
    seen = np.sum((overlap + assumed) / depth * p**depth, axis=1) * (1 - p) / p
    tail = ((at_long - at_short) / long + agreed) * p**long
    whole: Values = np.minimum(seen + tail, 1.0)
    return whole


def _first_places(ids: Sequence[str]) -> dict[str, int]:
    return {document: place for place, document in enumerate(dict.fromkeys(ids), start=1)}
