"""What is known about words beside the query itself: the test set's, and the language's."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final, Self

from msgspec import Struct
from spellchecker import SpellChecker

from worker.adversarial.languages.catalogue import find_language
from worker.adversarial.languages.en import ENGLISH
from worker.adversarial.languages.language import Language
from worker.adversarial.words import Word, content_words, fold, tokens

_LISTED: Final = frozenset({"en", "de", "fr", "es", "ru"})


class Vocabulary(Struct, frozen=True):
    """Words of a test set, and of the language where a list of them is at hand.

    `frequency` maps a folded content word to the number of the set's queries that have it;
    `names` are its capitalised words. `common` are the `listed` words that people often write.
    `neutral` and `asides` are the language's, without those that share a word with the set.
    `misspellings` maps words to what people wrote in their place; None where no such list is
    at hand.
    """

    frequency: dict[str, int]
    listed: frozenset[str] = frozenset()
    common: frozenset[str] = frozenset()
    language: Language = ENGLISH
    names: tuple[str, ...] = ()
    neutral: tuple[str, ...] = ENGLISH.neutral
    asides: tuple[str, ...] = ENGLISH.asides
    misspellings: Mapping[str, tuple[str, ...]] | None = None

    @classmethod
    def build(
        cls,
        texts: Iterable[str],
        *,
        language: str,
        misspellings: Mapping[str, tuple[str, ...]] | None = None,
    ) -> Self:
        """Count the texts' words; `language` is a tag, where empty stands for English."""
        known = find_language(language)
        grammar = known.function_words
        frequency: Counter[str] = Counter()
        names: set[str] = set()
        for text in texts:
            frequency.update({fold(word.text) for word in content_words(text, grammar)})
            names.update(word.text for word in find_names(text, grammar))
        asides = (
            aside
            for aside in known.asides
            if not any(fold(word.text) in frequency for word in content_words(aside, grammar))
        )
        has_list = has_word_list(known.code)
        return cls(
            frequency=dict(frequency),
            listed=list_words(known.code) if has_list else frozenset(),
            common=list_common_words(known.code) if has_list else frozenset(),
            language=known,
            names=tuple(sorted(names)),
            neutral=tuple(word for word in known.neutral if fold(word) not in frequency),
            asides=tuple(asides),
            misspellings=misspellings,
        )

    def is_word(self, text: str) -> bool:
        """Whether the text is a known word, so that it would not look misspelled."""
        folded = fold(text)
        return folded in self.listed or folded in self.frequency

    def find_words(self, text: str) -> list[Word]:
        """Return the content words of a text in this language."""
        return content_words(text, self.language.function_words)


def find_names(text: str, function_words: frozenset[str]) -> list[Word]:
    """Return words with a capital that stands neither at the start nor in a heading's style."""
    later = [token.text for token in tokens(text)[1:] if token.text.isalpha()]
    if sum(word[:1].isupper() for word in later) * 2 > len(later):
        return []
    first = len(text) - len(text.lstrip())
    return [
        word
        for word in content_words(text, function_words)
        if word.text.istitle() and word.start > first
    ]


def has_word_list(language: str) -> bool:
    """Whether the words of this language are listed; without it only the set's own are known."""
    return find_language(language).code in _LISTED


def english_words() -> frozenset[str]:
    """Return some 160,000 English words; loaded at the first call (about 0.15 s)."""
    return list_words(ENGLISH.code)


@cache
def list_words(code: str) -> frozenset[str]:
    """Return the listed words of a language, folded; German, the longest list, takes a second."""
    return frozenset(word.casefold() for word in _count_words(code))


@cache
def list_common_words(code: str) -> frozenset[str]:
    """Return the words that were also seen in running text, where the list only knows others."""
    counts = _count_words(code)
    floor = min(counts.values())
    return frozenset(word.casefold() for word, count in counts.items() if count > floor)


@cache
def _count_words(code: str) -> Mapping[str, int]:
    counts: Mapping[str, int] = SpellChecker(language=code).word_frequency.dictionary
    return counts
