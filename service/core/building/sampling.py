"""Draws queries from those that were asked, under a seed, and says what each stands for.

Each query has a number of its own between 0 and 1, made of the seed and its text: the sample does
not depend on the order of the log, and a log that grew a little gives a sample that changed little.
"""

import hashlib
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from reteval.contract.query_samples import SampleMethod, Stratum
from service.core.building.frequencies import Asked

_PARTS: Final = len(Stratum)
_BYTES: Final = 6
"""Of a digest: a number that a float holds exactly, and never 0 or 1."""


class Drawn(Struct, frozen=True):
    """The place of a drawn query, and the probability with which it was to be drawn."""

    place: int
    probability: float


def stratify(asked: Sequence[Asked]) -> list[Stratum]:
    """Tell in which third of all searches each query lies, the most frequent ones first."""
    total = sum(one.count for one in asked)
    strata, before = [], 0
    for one in asked:
        strata.append(tuple(Stratum)[before * _PARTS // total])
        before += one.count
    return strata


def draw(asked: Sequence[Asked], method: SampleMethod, *, size: int, seed: int) -> list[Drawn]:
    """Draw `size` queries of those asked, the most frequent ones first; all, if there are fewer."""
    if method is SampleMethod.TOP or size >= len(asked):
        return [Drawn(place, 1.0) for place in range(min(size, len(asked)))]
    lots = [_cast(one.text, seed) for one in asked]
    if method is SampleMethod.PROPORTIONAL:
        found = _draw_by_count([one.count for one in asked], lots, size)
    elif method is SampleMethod.RANDOM:
        found = _draw_evenly(range(len(asked)), lots, size)
    else:
        found = _draw_by_stratum(stratify(asked), lots, size)
    return sorted(found, key=lambda one: one.place)


def _cast(text: str, seed: int) -> float:
    key = str(seed).encode()
    digest = hashlib.blake2b(text.encode(), digest_size=_BYTES, key=key).digest()
    return (int.from_bytes(digest) + 0.5) / 256**_BYTES


def _draw_evenly(places: Sequence[int], lots: Sequence[float], size: int) -> list[Drawn]:
    chosen = sorted(places, key=lambda place: lots[place])[:size]
    return [Drawn(place, len(chosen) / len(places)) for place in chosen]


def _draw_by_stratum(strata: Sequence[Stratum], lots: Sequence[float], size: int) -> list[Drawn]:
    """Draw as many from each stratum; what a small one cannot give, the others do."""
    members = [[place for place, one in enumerate(strata) if one is stratum] for stratum in Stratum]
    found: list[Drawn] = []
    waiting = sorted(filter(None, members), key=len)
    for number, places in enumerate(waiting):
        left = size - len(found)
        found += _draw_evenly(places, lots, -(-left // (len(waiting) - number)))
    return found


def _draw_by_count(counts: Sequence[int], lots: Sequence[float], size: int) -> list[Drawn]:
    """Draw with probability proportional to the count: Pareto sampling (Rosén 1997).

    The size is exact and the probabilities are, but for less than one in a thousand or so. What
    would be drawn with more than certainty is drawn, and the rest shares what is left.
    """
    sure, left, total = 0, size, sum(counts)
    while counts[sure] * left >= total:  # the most frequent come first; one is never all
        total -= counts[sure]
        sure, left = sure + 1, left - 1
    odds = {}
    for place in range(sure, len(counts)):
        chance = counts[place] * left / total
        lot = lots[place]
        odds[place] = lot / (1 - lot) * (1 - chance) / chance
    chosen = sorted(odds, key=lambda place: odds[place])[:left]
    return [
        *(Drawn(place, 1.0) for place in range(sure)),
        *(Drawn(place, counts[place] * left / total) for place in chosen),
    ]
