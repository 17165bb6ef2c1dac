"""Queries shaped like the test set's own whose rarest word nobody has ever used."""

from collections.abc import Collection, Sequence
from typing import Final

from reteval.contract.kinds import OUT_OF_CORPUS_TIERS, SUITE
from reteval.contract.outcomes import PlannedRequest
from reteval.contract.testsets import Query
from worker.adversarial.draws import Draws, derive_seed
from worker.adversarial.out_of_corpus_tier import TierPlan, request_of
from worker.adversarial.vocabulary import Vocabulary, english_words
from worker.adversarial.words import Word, content_words, fold

_ONSETS: Final = (
    *("b", "br", "c", "d", "dr", "f", "g", "gl", "h", "j", "k", "kr", "l", "m", "n"),
    *("p", "pl", "qu", "r", "s", "sk", "t", "tr", "v", "w", "y", "z"),
)
_NUCLEI: Final = ("a", "e", "i", "o", "u", "ai", "ea", "oo")
_CODAS: Final = ("", "", "n", "l", "r", "m")
_LAST_CODAS: Final = ("k", "m", "n", "nt", "rk", "x", "lt", "sp", "d", "th")
_TWO_SYLLABLES: Final = 0.5


def plan_near(seed: int, vocabulary: Vocabulary, queries: Sequence[Query]) -> TierPlan:
    """Replace the rarest content word of some of the set's queries by an invented one.

    In the shape of the set, and without an answer by construction. Which queries is decided by
    hash, so that an id stays with its query while others come and go only in its number.
    """
    known = vocabulary.frequency.keys() | vocabulary.listed | english_words()
    requests: list[PlannedRequest] = []
    for query in sorted(queries, key=lambda query: _order(seed, query)):
        word = _find_rarest(query.query, vocabulary)
        if word is None:
            continue
        invented = _match_case(invent(Draws(_order(seed, query)), known), word.text)
        requests.append(
            request_of(
                "near",
                len(requests),
                query.query[: word.start] + invented + query.query[word.end :],
                original=query.query,
                ops=(f"invent {word.start}: {word.text} -> {invented}",),
            )
        )
        if len(requests) == OUT_OF_CORPUS_TIERS["near"]:
            break
    return TierPlan(tier="near", requests=tuple(requests))


def invent(draws: Draws, known: Collection[str]) -> str:
    """Return a word of two or three syllables that can be spoken and is not among those known."""
    while True:
        syllables = 2 if draws.chance(_TWO_SYLLABLES) else 3
        parts: list[str] = []
        for left in range(syllables, 0, -1):
            codas = _LAST_CODAS if left == 1 else _CODAS
            parts += (draws.pick(_ONSETS), draws.pick(_NUCLEI), draws.pick(codas))
        word = "".join(parts)
        if word not in known:
            return word


def _order(seed: int, query: Query) -> int:
    return derive_seed(SUITE, seed, "out_of_corpus.near", query.id, query.query)


def _find_rarest(text: str, vocabulary: Vocabulary) -> Word | None:
    """Return the content word that fewest queries have: of those the longest, then the first."""

    def rarity(word: Word) -> tuple[int, int]:
        return vocabulary.frequency.get(fold(word.text), 0), -len(word.text)

    return min(content_words(text), key=rarity, default=None)


def _match_case(invented: str, word: str) -> str:
    if word.isupper():
        return invented.upper()
    return invented.capitalize() if word[0].isupper() else invented
