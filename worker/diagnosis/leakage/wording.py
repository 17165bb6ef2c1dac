"""What of a text is compared: its words, without case, width and punctuation."""

import unicodedata
from typing import Final

_GLUED: Final = frozenset("+#")
"""Signs that belong to the word before them, as in `c++` and `c#`."""


class _Spaces(dict[int, str | None]):
    """From a character to what stands for it: what parts words becomes a space."""

    def __missing__(self, point: int) -> str | None:
        category = unicodedata.category(chr(point))
        # Marks belong to letters in many scripts; format characters only shape them.
        kept = chr(point) if category[0] in "LMN" or chr(point) in _GLUED else " "
        self[point] = None if category == "Cf" else kept
        return self[point]


_SPACES: Final = _Spaces()


def normalise(text: str) -> str:
    """Return the words of a text, one space between them; never empty for a text that is not.

    A text of nothing but signs stands for itself.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    words = " ".join(_drop_lone_signs(folded.translate(_SPACES)).split())
    return words or " ".join(folded.split()) or text


def sort_words(normal: str) -> str:
    """Return the words of a normal form in an order that does not depend on theirs."""
    return " ".join(sorted(normal.split()))


def find_numbers(normal: str) -> tuple[str, ...]:
    """Return the words with digits, sorted: texts that differ in these ask for other things."""
    if not any(map(str.isdigit, normal)):
        return ()
    return tuple(sorted(word for word in normal.split() if any(map(str.isdigit, word))))


def _drop_lone_signs(text: str) -> str:
    """Blank the signs that no word stands before."""
    if "+" not in text and "#" not in text:
        return text
    kept: list[str] = []
    for sign in text:
        alone = sign in _GLUED and (not kept or kept[-1] == " ")
        kept.append(" " if alone else sign)
    return "".join(kept)
