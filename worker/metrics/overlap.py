"""How much two rankings of document ids agree, without any judgment.

Repeats are collapsed onto a document's first place before comparing, so that a list always
agrees fully with itself. Two empty lists agree fully, an empty one and another not at all.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

PERSISTENCE: Final = 0.9


def rbo(a: Sequence[str], b: Sequence[str], *, p: float = PERSISTENCE) -> float:
    """Return rank-biased overlap in [0, 1], extrapolated to lists without end.

    `p` is the persistence: at 0.9 the first ten places carry about 86 % of the weight. Lists
    may differ in length. Source: Webber, Moffat and Zobel, TOIS 28(4) 2010, equation 32.

    Raises:
        ValueError: `p` outside (0, 1).
    """
    if not 0 < p < 1:
        raise ValueError(f"p is {p!r}; give a persistence between 0 and 1, such as 0.9")
    places_a, places_b = _first_places(a), _first_places(b)
    short, long = sorted((len(places_a), len(places_b)))
    if short == 0:
        return 1.0 if long == 0 else 0.0
    shared = places_a.keys() & places_b.keys()
    met_at = [max(places_a[document], places_b[document]) for document in shared]
    overlap = np.cumsum(np.bincount(np.array(met_at, dtype=np.int64), minlength=long + 1))[1:]
    depth = np.arange(1, long + 1)
    at_short, at_long = int(overlap[short - 1]), int(overlap[-1])
    # Below the shorter list's end, its agreement there is assumed to go on.
    assumed = np.maximum(depth - short, 0) * (at_short / short)
    seen = float(np.sum((overlap + assumed) / depth * p**depth)) * (1 - p) / p
    tail = ((at_long - at_short) / long + at_short / short) * p**long
    return min(seen + tail, 1.0)


def jaccard(a: Sequence[str], b: Sequence[str], *, k: int) -> float:
    """Return the share of documents in both top k among those in either."""
    top_a, top_b = set(a[:k]), set(b[:k])
    either = top_a | top_b
    return len(top_a & top_b) / len(either) if either else 1.0


def top1_same(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether both lists start with the same document, or are both empty."""
    return list(a[:1]) == list(b[:1])


def _first_places(ids: Sequence[str]) -> dict[str, int]:
    return {document: place for place, document in enumerate(dict.fromkeys(ids), start=1)}
