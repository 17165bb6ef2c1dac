"""Queries that nothing in the collection should answer: far from its topics, or no words."""

from collections.abc import Iterable, Iterator
from typing import Final

import snowballstemmer
from msgspec import Struct

from reteval.contract.kinds import OUT_OF_CORPUS_TIERS, SUITE
from reteval.contract.outcomes import PlannedRequest
from worker.adversarial.choice import TIER_PREFIX
from worker.adversarial.draws import Draws, derive_seed
from worker.adversarial.far_pack import FAR
from worker.adversarial.vocabulary import Vocabulary, english_words
from worker.adversarial.words import content_words, fold

MAX_SHARED_STEMS: Final = 1
"""A far query that shares more content stems than this with the set's queries is dropped."""

_CONSONANTS: Final = "bcdfghjklmnpqrstvwxz"
_VOWELS: Final = "aeiouy"
_VOWEL_CHANCE: Final = 0.12
_MIN_STRINGS, _MAX_STRINGS = 2, 4
_MIN_LETTERS, _MAX_LETTERS = 4, 9


class TierPlan(Struct, frozen=True, kw_only=True):
    """Requests of one tier, and how many entries of its pack might have been answerable."""

    tier: str
    requests: tuple[PlannedRequest, ...]
    dropped: int = 0


def plan_tier(tier: str, *, seed: int, vocabulary: Vocabulary) -> TierPlan:
    """Choose a tier's queries by the seed; `vocabulary` is that of the set's queries.

    Raises:
        ValueError: a tier that no suite has.
    """
    if tier == "far":
        return _plan_far(seed, vocabulary)
    if tier == "gibberish":
        return _plan_gibberish(seed, vocabulary)
    raise ValueError(f"{tier!r} is no tier; known are {', '.join(OUT_OF_CORPUS_TIERS)}")


def _plan_far(seed: int, vocabulary: Vocabulary) -> TierPlan:
    known = _stem(vocabulary.frequency)
    pack = [text for texts in FAR.values() for text in texts]
    kept = [
        (place, text)
        for place, text in enumerate(pack)
        if len(known & _stem(fold(word.text) for word in content_words(text))) <= MAX_SHARED_STEMS
    ]

    def order(entry: tuple[int, str]) -> int:
        return derive_seed(SUITE, seed, "out_of_corpus.far", *entry)

    chosen = sorted(sorted(kept, key=order)[: OUT_OF_CORPUS_TIERS["far"]])
    return TierPlan(
        tier="far",
        requests=tuple(_request("far", place, text) for place, text in chosen),
        dropped=len(pack) - len(kept),
    )


def _plan_gibberish(seed: int, vocabulary: Vocabulary) -> TierPlan:
    texts = (
        " ".join(_babble(Draws(derive_seed(SUITE, seed, "out_of_corpus.gibberish", place)), known))
        for known in (vocabulary.frequency.keys() | english_words(),)
        for place in range(OUT_OF_CORPUS_TIERS["gibberish"])
    )
    return TierPlan(
        tier="gibberish",
        requests=tuple(_request("gibberish", place, text) for place, text in enumerate(texts)),
    )


def _request(tier: str, place: int, text: str) -> PlannedRequest:
    return PlannedRequest(
        query_id=f"{tier}-{place + 1:03}",
        text=text,
        kind=TIER_PREFIX + tier,
        severity=1,
        generated=True,
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
