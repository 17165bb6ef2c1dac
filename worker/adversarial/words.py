"""Words of a query: where they stand, which carry content, and when two texts are the same."""

import re
import unicodedata
from typing import Final

from msgspec import Struct

from worker.adversarial.languages.en import ENGLISH

MIN_CONTENT_LETTERS: Final = 4
FUNCTION_WORDS: Final = ENGLISH.function_words
"""English words that carry grammar rather than a topic."""

_CHUNK: Final = re.compile(r"\S+")
_WORD: Final = re.compile(r"\w+")
_IDENTIFIER: Final = re.compile(r"\d|[_@\\]|://|\w\.\w|\(\)")
_SCRIPTS: Final = {
    "latin": re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]"),
    "cyrillic": re.compile(r"[\u0400-\u052f]"),
}
_UNSPACED: Final = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
)
"""Scripts written without spaces: Thai, Lao, Burmese, Khmer, Japanese, Chinese."""
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
    if text.isascii():
        return " ".join(text.lower().split())
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(folded.split())


def content_words(text: str, function_words: frozenset[str] = FUNCTION_WORDS) -> list[Word]:
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
        if _carries_content(match.group(), function_words)
        and not _has_marks(text, match.start(), match.end())
    ]


def tokens(text: str) -> list[Word]:
    """Return what stands between white space, without the punctuation around it, in order."""
    return [
        Word(match.group(), match.start())
        for chunk in _CHUNK.finditer(text)
        for match in (_core(chunk),)
        if match is not None
    ]


def speaks(text: str, script: str) -> bool:
    """Whether most letters of the text are of this script, and none of one without spaces."""
    letters = _SCRIPTS.get(script)
    if letters is None or _UNSPACED.search(text):
        return False
    total = sum(map(str.isalpha, text))
    return total > 0 and 2 * len(letters.findall(text)) >= total


def match_case(text: str, model: str) -> str:
    """Return the text in small letters, or with the capitals of its model: none, first or all."""
    if len(model) > 1 and model.isupper():
        return text.upper()
    return text[:1].upper() + text[1:] if model[:1].isupper() else text


def _core(chunk: re.Match[str]) -> re.Match[str] | None:
    """Cut punctuation and symbols from both ends of a chunk; None if nothing else is in it."""
    start, end = chunk.span()
    text = chunk.string
    if text[start].isalnum() and text[end - 1].isalnum():
        return chunk
    while start < end and unicodedata.category(text[start])[0] in "PS":
        start += 1
    while end > start and unicodedata.category(text[end - 1])[0] in "PS":
        end -= 1
    return _CHUNK.match(text, start, end)


def _carries_content(word: str, function_words: frozenset[str]) -> bool:
    return (
        len(word) >= MIN_CONTENT_LETTERS
        and (word.isalpha() if word.isascii() else all(map(_is_letter, word)))
        and fold(word) not in function_words
    )


def _is_letter(character: str) -> bool:
    category = unicodedata.category(character)
    return category in {"Lu", "Ll"} or (
        category == "Lo" and unicodedata.name(character, "").startswith(_UNCASED_ALPHABETS)
    )


def _has_marks(text: str, start: int, end: int) -> bool:
    """Whether a combining or joining character touches the word: an edit would move it."""
    if text.isascii():
        return False
    around = text[max(start - 1, 0) : start] + text[end : end + 1]
    return any(unicodedata.category(character) in {"Mn", "Mc", "Me", "Cf"} for character in around)
