"""What is known about words beside the query itself: the test set's words, and English."""

from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Final, Self

from msgspec import Struct
from spellchecker import SpellChecker

from worker.adversarial.words import content_words, fold

_ENGLISH: Final = frozenset({"", "en"})


class Vocabulary(Struct, frozen=True):
    """Words of a test set, and of the language where a list of them is at hand.

    `frequency` maps a folded content word to the number of the set's queries that have it.
    """

    frequency: dict[str, int]
    listed: frozenset[str] = frozenset()

    @classmethod
    def build(cls, texts: Iterable[str], *, language: str) -> Self:
        """Count the texts' words; `language` is a tag, where empty stands for English."""
        frequency: Counter[str] = Counter()
        for text in texts:
            frequency.update({fold(word.text) for word in content_words(text)})
        listed = english_words() if has_word_list(language) else frozenset[str]()
        return cls(frequency=dict(frequency), listed=listed)

    def is_word(self, text: str) -> bool:
        """Whether the text is a known word, so that it would not look misspelled."""
        folded = fold(text)
        return folded in self.listed or folded in self.frequency


def has_word_list(language: str) -> bool:
    """Whether the words of this language are listed; without it only the set's own are known."""
    return language.replace("_", "-").partition("-")[0].casefold() in _ENGLISH


@cache
def english_words() -> frozenset[str]:
    """Return some 160,000 English words; loaded at the first call (about 0.15 s)."""
    return frozenset(SpellChecker(language="en").word_frequency.dictionary)
