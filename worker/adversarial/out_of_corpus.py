"""Queries that nothing in the collection should answer.

Far from its topics, near them but about a thing that does not exist, no words at all, or in a
script that the test set does not use.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import snowballstemmer

from reteval.contract.kinds import OUT_OF_CORPUS_TIERS, SUITE
from reteval.contract.testsets import Query
from worker.adversarial.draws import Draws, derive_seed
from worker.adversarial.far_pack import FAR
from worker.adversarial.out_of_corpus_near import plan_near
from worker.adversarial.out_of_corpus_scripts import plan_foreign
from worker.adversarial.out_of_corpus_tier import TierPlan, request_of
from worker.adversarial.vocabulary import Vocabulary, english_words
from worker.adversarial.words import content_words, fold

MAX_SHARED_STEMS: Final = 1
"""A far query that shares more content stems than this with the set's queries is dropped."""

_CONSONANTS: Final = "bcdfghjklmnpqrstvwxz"
_VOWELS: Final = "aeiouy"
_VOWEL_CHANCE: Final = 0.12
_MIN_STRINGS, _MAX_STRINGS = 2, 4
_MIN_LETTERS, _MAX_LETTERS = 4, 9


def plan_tier(
    tier: str, *, seed: int, vocabulary: Vocabulary, queries: Sequence[Query] = ()
) -> TierPlan:
    """Choose a tier's queries by the seed.

    `queries` are the answerable ones of the set, whose length and shape the tier follows, and
    `vocabulary` holds the words of all its queries.

    Raises:
        ValueError: a tier that no suite has.
    """
    if tier == "far":
        return _plan_far(seed, vocabulary, queries)
    if tier == "near":
        return plan_near(seed, vocabulary, queries)
    if tier == "gibberish":
        return _plan_gibberish(seed, vocabulary)
    if tier == "other_language":
        return plan_foreign(query.query for query in queries)
    raise ValueError(f"{tier!r} is no tier; known are {', '.join(OUT_OF_CORPUS_TIERS)}")


def _plan_far(seed: int, vocabulary: Vocabulary, queries: Sequence[Query]) -> TierPlan:
    known = _stem(vocabulary.frequency)
    pack = [text for texts in FAR.values() for text in texts]
    kept = [
        (place, text)
        for place, text in enumerate(pack)
        if len(known & _stem(fold(word.text) for word in content_words(text))) <= MAX_SHARED_STEMS
    ]

    def order(entry: tuple[int, str]) -> int:
        return derive_seed(SUITE, seed, "out_of_corpus.far", *entry)

    lengths = sorted(len(query.query.split()) for query in queries)
    chosen = sorted(_match_lengths(sorted(kept, key=order), lengths))
    return TierPlan(
        tier="far",
        requests=tuple(request_of("far", place, text) for place, text in chosen),
        dropped=len(pack) - len(kept),
    )


def _match_lengths(
    entries: Sequence[tuple[int, str]], lengths: Sequence[int]
) -> list[tuple[int, str]]:
    """Take the entries whose numbers of words come nearest to those wanted, sorted `lengths`.

    By picking, never by padding; without lengths the first entries are taken.
    """
    count = min(OUT_OF_CORPUS_TIERS["far"], len(entries))
    if not lengths:
        return list(entries[:count])
    left = list(entries)
    chosen = []
    for slot in range(count):
        wanted = lengths[(2 * slot + 1) * len(lengths) // (2 * count)]
        nearest = min(left, key=lambda entry: abs(len(entry[1].split()) - wanted))
        left.remove(nearest)
        chosen.append(nearest)
    return chosen


def _plan_gibberish(seed: int, vocabulary: Vocabulary) -> TierPlan:
    texts = (
        " ".join(_babble(Draws(derive_seed(SUITE, seed, "out_of_corpus.gibberish", place)), known))
        for known in (vocabulary.frequency.keys() | english_words(),)
        for place in range(OUT_OF_CORPUS_TIERS["gibberish"])
    )
    return TierPlan(
        tier="gibberish",
        requests=tuple(request_of("gibberish", place, text) for place, text in enumerate(texts)),
    )


def _stem(words: Iterable[str]) -> frozenset[str]:
    stem = snowballstemmer.stemmer("english").stemWord
    return frozenset(map(stem, words))


def _babble(draws: Draws, known: frozenset[str] | set[str]) -> Iterator[str]:
    """Yield two to four strings that are no words, mostly consonants."""
    wanted = _MIN_STRINGS + draws.index(_MAX_STRINGS - _MIN_STRINGS + 1)
    while wanted:
        length = _MIN_LETTERS + draws.index(_MAX_LETTERS - _MIN_LETTERS + 1)
        letters = (
            draws.pick(_VOWELS if draws.chance(_VOWEL_CHANCE) else _CONSONANTS)
            for _ in range(length)
        )
        string = "".join(letters)
        if string not in known:
            wanted -= 1
            yield string
