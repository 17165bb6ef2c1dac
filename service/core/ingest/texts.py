"""Finds queries whose texts are the same or nearly so, remembering digests and not texts."""

import hashlib
import unicodedata
from typing import Final

_DIGEST_BYTES: Final = 16
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


class Texts:
    """The texts seen so far, each with the index of the query that had it first."""

    def __init__(self) -> None:
        self._exact: dict[bytes, int] = {}
        self._folded: dict[bytes, int] = {}
        self._folding = _Folding()

    def find_same(self, text: str, index: int) -> int | None:
        """The first query with exactly this text; remembers it if there is none."""
        return _first(self._exact, text, index)

    def find_near(self, text: str, index: int) -> int | None:
        """The first query with this text but for case, width, white space and punctuation.

        Compares texts after NFKC, case folding, and collapsing white space and punctuation;
        symbols, as the + of C++, count. Texts of punctuation alone are near to nothing.
        """
        plain = unicodedata.normalize("NFKC", text).casefold().translate(self._folding)
        plain = " ".join(plain.split())
        return _first(self._folded, plain, index) if plain else None


def _first(seen: dict[bytes, int], text: str, index: int) -> int | None:
    digest = hashlib.blake2b(text.encode(), digest_size=_DIGEST_BYTES).digest()
    first = seen.setdefault(digest, index)
    return None if first == index else first
