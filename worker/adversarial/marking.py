"""Marks what changed between a query and its variant: word by word, letter by letter inside one."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import Final

from reteval.contract.previews import Mark, Piece

_PART: Final = re.compile(r"\s|\w+|[^\w\s]")
MAX_COMPARED: Final = 400_000
"""Pairs of parts beyond which a changed stretch is marked as a whole."""


def mark_edits(original: str, variant: str) -> tuple[Piece, ...]:
    """Return the pieces of both texts in order; equal marks never follow each other."""
    pieces = _compare(_PART.findall(original), _PART.findall(variant))
    return tuple(
        Piece("".join(piece.text for piece in group), mark)
        for mark, group in groupby(pieces, key=_mark)
    )


def _mark(piece: Piece) -> Mark:
    return piece.mark


def _compare(before: Sequence[str], after: Sequence[str]) -> Iterator[Piece]:
    if len(before) * len(after) > MAX_COMPARED:
        yield from _replace("".join(before), "".join(after))
        return
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for tag, i, j, k, m in matcher.get_opcodes():
        old, new = "".join(before[i:j]), "".join(after[k:m])
        if tag == "equal":
            yield Piece(old, Mark.SAME)
        elif len(old) > 1 and (i + 1, k + 1) == (j, m):
            yield from _compare(old, new)
        else:
            yield from _replace(old, new)


def _replace(old: str, new: str) -> Iterator[Piece]:
    if old:
        yield Piece(old, Mark.REMOVED)
    if new:
        yield Piece(new, Mark.ADDED)
