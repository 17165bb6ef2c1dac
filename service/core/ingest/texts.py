"""Finds queries whose texts are the same or nearly so, remembering hashes and not texts.

They are Python's own, of 64 bits under a key that each process draws: what they find is a warning,
and two of a million different texts meet once in tens of millions of uploads.
"""

import unicodedata
from collections.abc import Sequence
from typing import Final

from service.core.ingest.firsts import Firsts

_CACHED_BELOW: Final = 0x3000  # above lie ideographs: too many to remember, and rarely folded


class _Folding(dict[int, int | None]):
    # A translation table that learns: punctuation and separators to a space, formats to nothing.
    def __missing__(self, code: int) -> int | None:
        category = unicodedata.category(chr(code))
        value: int | None = code
        if category == "Cf":
            value = None
        elif category[0] in "PZ" or category == "Cc":
            value = ord(" ")
        if code < _CACHED_BELOW:
            self[code] = value
        return value


_FOLDING: Final = _Folding()
_ASCII: Final = bytes(ord(chr(code).lower().translate(_FOLDING)) for code in range(128))
_BYTES: Final = _ASCII + bytes(range(128, 256))
"""The same table for what most texts are made of, ten times as fast."""


_APART: Final = "\x80"
"""No ASCII, and left as it is: it stands between texts of ASCII that are folded together."""


def fold(text: str) -> str:
    """Write a text without case, width, punctuation and needless white space.

    NFKC, case folding, and each stretch of white space and punctuation one blank; symbols, as the
    + of C++, count.
    """
    if text.isascii():
        plain = text.encode().translate(_BYTES).decode()
    else:
        plain = unicodedata.normalize("NFKC", text).casefold().translate(_FOLDING)
    return " ".join(plain.split())


class Texts:
    """The texts seen so far, each with the index of the query that had it first."""

    def __init__(self) -> None:
        self._exact: Firsts[int] = Firsts()
        self._folded: Firsts[int] = Firsts()

    def find_same(self, text: str, index: int) -> int | None:
        """The first query with exactly this text; remembers it if there is none."""
        return _find_other(self._exact, text, index)

    def find_near(self, text: str, index: int) -> int | None:
        """The first query with this text but for case, width, white space and punctuation.

        Compares texts as `fold` writes them. Texts of punctuation alone are near to nothing.
        """
        plain = fold(text)
        return _find_other(self._folded, plain, index) if plain else None

    def add_all(self, texts: Sequence[str], index: int) -> bool:
        """Remember texts of queries from `index` on if each is near to none.

        Otherwise each is to be found by itself.
        """
        plain = list(map(hash, _fold_all(texts)))
        return self._folded.add_all(plain, index) and self._exact.add_all(
            list(map(hash, texts)), index
        )


def _fold_all(texts: Sequence[str]) -> list[str]:
    if not "".join(texts).isascii():
        return list(map(fold, texts))
    together = _APART.join(texts).encode("latin-1").translate(_BYTES).decode("latin-1")
    while "  " in together:
        together = together.replace("  ", " ")
    together = together.replace(f" {_APART}", _APART).replace(f"{_APART} ", _APART)
    return together.strip(" ").split(_APART)


def _find_other(seen: Firsts[int], text: str, index: int) -> int | None:
    first = seen.add(hash(text), index)
    return None if first == index else first
