"""All pairs of texts whose 3-gram sets are alike, exactly, without comparing all pairs.

Two sets with a Jaccard similarity of t or more share a gram among the first `n - ceil(t n) + 1` of
each, if both are in one order: rarest first, so that few texts share it. Of those that do,
lengths, the place of the shared gram and a sketch of 256 bits each bound the similarity from above;
only what is left is intersected.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from worker.diagnosis.leakage.grams import GramSets, Ints, find_distinct, gather_grams

_EPSILON: Final = 1e-9


class Bounds(Struct, frozen=True, kw_only=True):
    """How far to look: candidates and pairs at most; `chunk` candidates are looked at together."""

    candidates: int = 400_000_000
    pairs: int = 200_000
    chunk: int = 250_000


BOUNDS: Final = Bounds()


class Alike(Struct, frozen=True, kw_only=True, eq=False):
    """Pairs of places with their similarity, most alike first; `cut`: there are more."""

    left: Ints
    right: Ints
    similarity: NDArray[np.float64]
    cut: bool = False


class _Entries(Struct, frozen=True, eq=False):
    """The first grams of some texts: key of the gram, text, size of its set, place in it."""

    keys: Ints
    rows: Ints
    sizes: Ints
    places: Ints

    def pick(self, which: NDArray[np.bool_]) -> "_Entries":
        return _Entries(self.keys[which], self.rows[which], self.sizes[which], self.places[which])


def join_self(normals: Sequence[str], least: float, bounds: Bounds = BOUNDS) -> Alike:
    """Find the pairs of different normal forms that are alike by `least` or more."""
    if not normals:
        return _nothing()
    sets = gather_grams(normals)
    index = _list_first(sets, least)
    starts = np.arange(1, len(index.keys) + 1)
    stops = _find(index, index, np.floor(index.sizes / least + _EPSILON) + 1)
    return _verify(sets, _walk(sets, index, index, (starts, stops), least, bounds), least)


def join_cross(
    lefts: Sequence[str],
    rights: Sequence[str],
    least: float,
    bounds: Bounds = BOUNDS,
) -> Alike:
    """Find the pairs of a left and a right normal form that are alike by `least` or more."""
    if not lefts or not rights:
        return _nothing()
    sets = gather_grams([*lefts, *rights])
    first = _list_first(sets, least)
    probe, index = first.pick(first.rows < len(lefts)), first.pick(first.rows >= len(lefts))
    starts = _find(index, probe, np.ceil(probe.sizes * least - _EPSILON))
    stops = _find(index, probe, np.floor(probe.sizes / least + _EPSILON) + 1)
    alike = _verify(sets, _walk(sets, probe, index, (starts, stops), least, bounds), least)
    return Alike(
        left=alike.left,
        right=alike.right - len(lefts),
        similarity=alike.similarity,
        cut=alike.cut,
    )


def _nothing() -> Alike:
    empty = np.zeros(0, dtype=np.int64)
    return Alike(left=empty, right=empty, similarity=np.zeros(0))


def _list_first(sets: GramSets, least: float) -> _Entries:
    """Return the first grams of all texts, those of one gram together, small sets first."""
    first = sets.sizes - np.ceil(sets.sizes * least - _EPSILON).astype(np.int64) + 1
    rows = sets.rows
    places = np.arange(len(rows)) - sets.offsets[rows]
    chosen = places < first[rows]
    rows, places = rows[chosen], places[chosen]
    keys = sets.blocks[rows] * sets.vocabulary + sets.grams[chosen]
    order = np.lexsort((rows, sets.sizes[rows], keys))
    rows = rows[order]
    return _Entries(keys[order], rows, sets.sizes[rows], places[order])


def _find(index: _Entries, probe: _Entries, sizes: NDArray[np.float64]) -> Ints:
    """Return where in the index a gram's sets of a size begin, for each entry of the probe."""
    width = int(index.sizes.max(initial=0)) + 2
    wanted = np.minimum(sizes, width - 1).astype(np.int64)
    return np.searchsorted(index.keys * width + index.sizes, probe.keys * width + wanted)


def _walk(
    sets: GramSets,
    probe: _Entries,
    index: _Entries,
    ranges: tuple[Ints, Ints],
    least: float,
    bounds: Bounds,
) -> tuple[Ints, Ints, bool]:
    """Go through the candidates and keep those that may be alike, each once.

    `ranges` are where the partners of each probe entry begin and end in the index.
    """
    starts, stops = ranges
    counts = np.maximum(stops - starts, 0)
    ends = np.cumsum(counts)
    kept: list[Ints] = []
    n, found, seen = len(sets.sizes), 0, 0
    for begin, end in _cut(ends, bounds.chunk):
        if seen >= bounds.candidates or found > bounds.pairs:
            break
        at = np.repeat(np.arange(begin, end), counts[begin:end])
        past = ends[begin:end] - counts[begin:end]
        seen = int(ends[end - 1])
        other = np.arange(int(past[0]), seen) - np.repeat(
            past - starts[begin:end], counts[begin:end]
        )
        kept.append(find_distinct(_filter(sets, probe, index, at, other, least)))
        found += len(kept[-1])
    pairs = find_distinct(np.concatenate(kept)) if kept else np.zeros(0, dtype=np.int64)
    cut = seen < (int(ends[-1]) if len(ends) else 0) or len(pairs) > bounds.pairs
    left, right = np.divmod(pairs[: bounds.pairs], n)
    return left, right, cut


def _cut(ends: Ints, chunk: int) -> Iterator[tuple[int, int]]:
    """Yield stretches of entries that have about a chunk of candidates each."""
    begin = 0
    while begin < len(ends):
        before = int(ends[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, before + chunk, side="right")))
        yield begin, end
        begin = end


def _filter(
    sets: GramSets, probe: _Entries, index: _Entries, at: Ints, other: Ints, least: float
) -> Ints:
    """Return the pairs, as numbers, that place, lengths and sketch leave possible."""
    sizes = probe.sizes[at] + index.sizes[other]
    needed = np.ceil(sizes * (least / (1 + least)) - _EPSILON).astype(np.int64)
    rest = np.minimum(probe.sizes[at] - probe.places[at], index.sizes[other] - index.places[other])
    possible = rest >= needed
    left, right = probe.rows[at[possible]], index.rows[other[possible]]
    apart = (sizes - 2 * needed)[possible]
    differ = np.zeros(len(left), dtype=np.int64)
    for word in range(sets.sketches.shape[1]):
        column = sets.sketches[:, word]
        differ += np.bitwise_count(column[left] ^ column[right])
    likely = differ <= apart
    left, right = left[likely], right[likely]
    pairs: Ints = np.minimum(left, right) * len(sets.sizes) + np.maximum(left, right)
    return pairs


def _verify(sets: GramSets, walked: tuple[Ints, Ints, bool], least: float) -> Alike:
    """Intersect what is left, and keep what is as alike as asked, most alike first."""
    left, right, cut = walked
    shared = np.zeros(len(left), dtype=np.int64)
    known = sets.rows * sets.vocabulary + sets.grams
    step = max(1, BOUNDS.chunk // max(1, int(sets.sizes.max())))
    for begin in range(0, len(left), step):
        shared[begin : begin + step] = _intersect(
            sets, known, left[begin : begin + step], right[begin : begin + step]
        )
    similarity = shared / (sets.sizes[left] + sets.sizes[right] - shared)
    alike = np.flatnonzero(similarity >= least - _EPSILON)
    order = alike[np.lexsort((right[alike], left[alike], -similarity[alike]))]
    return Alike(left=left[order], right=right[order], similarity=similarity[order], cut=cut)


def _intersect(sets: GramSets, known: Ints, left: Ints, right: Ints) -> Ints:
    """Count the grams that each pair shares; `known` are all (text, gram), sorted."""
    counts = sets.sizes[left]
    pair = np.repeat(np.arange(len(left)), counts)
    past = np.cumsum(counts) - counts
    at = np.arange(len(pair)) - np.repeat(past - sets.offsets[left], counts)
    wanted = right[pair] * sets.vocabulary + sets.grams[at]
    place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return np.bincount(pair, weights=known[place] == wanted, minlength=len(left)).astype(np.int64)
