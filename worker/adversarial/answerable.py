"""Whether a text that came back talks about what a query without an answer asks for."""

from collections.abc import Collection, Iterable, Sequence
from functools import cache
from typing import Any, Final

import snowballstemmer

from worker.adversarial.languages.catalogue import find_language
from worker.adversarial.languages.en import ENGLISH
from worker.adversarial.words import content_words, fold

_LONGEST: Final = 50_000
"""Characters of a text that are read."""
_HEAD: Final = 2
"""Letters that a word and its stem have in common; only such words are stemmed at all."""


def measure_overlap(query: str, texts: Sequence[str], *, language: str) -> float | None:
    """Return the largest share of the query's content stems that one text has, 0 to 1.

    None for a query without a content word. `language` is a tag; one without a stemmer takes
    the English one.
    """
    known = find_language(language)
    wanted = {fold(word.text) for word in content_words(query, known.function_words)}
    if not wanted:
        return None
    name = known.stemmer or ENGLISH.stemmer
    stems = _stem(wanted, name)
    heads = {word[:_HEAD] for word in wanted | stems}
    shares = (len(stems & _stem(_find_like(text, heads), name)) / len(stems) for text in texts)
    return max(shares, default=0.0)


def _find_like(text: str, heads: Collection[str]) -> set[str]:
    """Return the folded content words that begin as one of the query's does."""
    found = (fold(word.text) for word in content_words(text[:_LONGEST], frozenset()))
    return {word for word in found if word[:_HEAD] in heads}


def _stem(words: Iterable[str], name: str) -> set[str]:
    stemmer = _open_stemmer(name)
    return {stemmer.stemWord(word) for word in words}


@cache
def _open_stemmer(name: str) -> Any:
    return snowballstemmer.stemmer(name)
