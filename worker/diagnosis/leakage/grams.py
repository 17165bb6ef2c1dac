"""Texts as sets of character 3-grams, all in a few flat arrays."""

from collections.abc import Sequence
from typing import Final, TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from worker.diagnosis.leakage.wording import find_numbers

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]
Number = TypeVar("Number", np.int64, np.uint64)

_WORDS: Final = 4
"""Words of 64 bits in a sketch."""
_POINT_BITS: Final = 21
"""Of a code point of Unicode."""
_SPREAD: Final = 0x9E3779B97F4A7C15


class GramSets(Struct, frozen=True, kw_only=True, eq=False):
    """The set of each text, in `grams[offsets[row]:offsets[row + 1]]`, rarest gram first.

    A gram is numbered by how rare it is among all texts, `vocabulary` of them. `blocks` numbers
    the digit-bearing words of each text: only texts of one block can be alike. `sketches`, shape
    (n, 4), have a bit for each gram, which several may share.
    """

    grams: Ints
    offsets: Ints
    sizes: Ints
    blocks: Ints
    sketches: Words
    vocabulary: int

    @property
    def rows(self) -> Ints:
        """The text of each entry of `grams`."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)


def gather_grams(normals: Sequence[str]) -> GramSets:
    """Cut normal forms, none of them empty, into 3-grams; a space pads each end."""
    lengths = np.array([len(text) for text in normals], dtype=np.int64)
    codes = _code_grams(normals, lengths)
    known = find_distinct(codes)
    vocabulary = len(known)
    grams = np.searchsorted(known, codes)
    sets = find_distinct(np.repeat(np.arange(len(normals)), lengths) * vocabulary + grams)
    rows, grams = np.divmod(sets, vocabulary)
    rank = np.empty(vocabulary, dtype=np.int64)
    rank[np.argsort(np.bincount(grams, minlength=vocabulary), kind="stable")] = np.arange(
        vocabulary
    )
    ranked = np.sort(rows * vocabulary + rank[grams]) % vocabulary
    sizes = np.bincount(rows, minlength=len(normals))
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    return GramSets(
        grams=ranked,
        offsets=offsets,
        sizes=sizes,
        blocks=_number_blocks(normals),
        sketches=_sketch(ranked, offsets),
        vocabulary=vocabulary,
    )


def find_distinct(values: NDArray[Number]) -> NDArray[Number]:
    """Return the different values, sorted; NumPy's own `unique` hashes, which takes longer."""
    ordered = np.sort(values)
    first = np.ones(len(ordered), dtype=np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    distinct: NDArray[Number] = ordered[first]
    return distinct


def _code_grams(normals: Sequence[str], lengths: Ints) -> Words:
    """Return a number for each gram, text after text: as many grams as a text has characters."""
    joined = "".join(f" {text} " for text in normals)
    points = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    wide = points.astype(np.uint64)
    bits = np.uint64(_POINT_BITS)
    codes = (((wide[:-2] << bits) | wide[1:-1]) << bits) | wide[2:]
    # Padded texts are two longer than they have grams: skip those that reach into the next one.
    within = np.arange(int(lengths.sum()))
    return np.take(codes, within + 2 * np.repeat(np.arange(len(normals)), lengths))


def _number_blocks(normals: Sequence[str]) -> Ints:
    numbers: dict[tuple[str, ...], int] = {}
    blocks = [numbers.setdefault(find_numbers(text), len(numbers)) for text in normals]
    return np.array(blocks, dtype=np.int64)


def _sketch(grams: Ints, offsets: Ints) -> Words:
    spread = (grams.astype(np.uint64) * np.uint64(_SPREAD)) >> np.uint64(56)
    bit = np.uint64(1) << (spread & np.uint64(63))
    word = spread >> np.uint64(6)
    columns = [
        np.bitwise_or.reduceat(np.where(word == number, bit, np.uint64(0)), offsets[:-1])
        for number in range(_WORDS)
    ]
    return np.stack(columns, axis=1)
