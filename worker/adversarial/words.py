"""Words of a query: where they stand, which carry content, and when two texts are the same."""

import re
import unicodedata
from typing import Final

from msgspec import Struct

MIN_CONTENT_LETTERS: Final = 4
_GRAMMAR: Final = """
a about above after again against all along also although am among an and any are aren around as
at be because been before behind being below between both but by can could couldn did didn do
does doesn doing don done during each either else ever every few for from further had hadn has
hasn have haven having he hence her here hers herself him himself his how however i if in into
is isn it its itself just let maybe me might more most much must my myself neither no nor not
now of off often on once only onto or other others ought our ours ourselves out over per perhaps
please rather same shall she should shouldn since so some such than that the their theirs them
themselves then there these they this those though through thus till to too toward towards under
unless until up upon us very via was wasn we were weren what whatever when whenever where
wherever whether which while who whom whose why will with within without would wouldn yes yet
you your yours yourself yourselves
"""
FUNCTION_WORDS: Final = frozenset(_GRAMMAR.split())
"""English words that carry grammar rather than a topic."""

_CHUNK: Final = re.compile(r"\S+")
_WORD: Final = re.compile(r"\w+")
_IDENTIFIER: Final = re.compile(r"\d|[_@\\]|://|\w\.\w|\(\)")
_UNCASED_ALPHABETS: Final = ("ARABIC LETTER ", "HEBREW LETTER ")


class Word(Struct, frozen=True):
    """A word and its offset in the query, in code points."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """Offset behind the last letter."""
        return self.start + len(self.text)


def fold(text: str) -> str:
    """Return the form in which two texts count as the same: NFKC, no case, single spaces."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(folded.split())


def content_words(text: str) -> list[Word]:
    """Return the words that carry the topic, in order.

    A content word has at least four letters of an alphabet and is no function word. Words
    inside identifiers (anything with digits, addresses, code) are left out, and so are
    scripts without letters in this sense, where a changed character makes another word.
    """
    return [
        Word(match.group(), match.start())
        for chunk in _CHUNK.finditer(text)
        if not _IDENTIFIER.search(chunk.group())
        for match in _WORD.finditer(text, chunk.start(), chunk.end())
        if _carries_content(match.group()) and not _has_marks(text, match.start(), match.end())
    ]


def _carries_content(word: str) -> bool:
    return (
        len(word) >= MIN_CONTENT_LETTERS
        and all(map(_is_letter, word))
        and fold(word) not in FUNCTION_WORDS
    )


def _is_letter(character: str) -> bool:
    if character.isascii():
        return character.isalpha()
    category = unicodedata.category(character)
    return category in {"Lu", "Ll"} or (
        category == "Lo" and unicodedata.name(character, "").startswith(_UNCASED_ALPHABETS)
    )


def _has_marks(text: str, start: int, end: int) -> bool:
    """Whether a combining or joining character touches the word: an edit would move it."""
    around = text[max(start - 1, 0) : start] + text[end : end + 1]
    return any(unicodedata.category(character) in {"Mn", "Mc", "Me", "Cf"} for character in around)
