"""What a judge's answer leaves open: how sure it is, what hangs on it, and what is odd about it."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from reteval.contract.pools import PooledPair
from reteval.contract.votes import Vote

SMOOTHING: Final = 0.5
"""Added to each grade's votes: a few that agree are no certainty."""
DEPTH: Final = 10
"""Ranks that count where it is asked what a grade changes."""
DIFFERENCE: Final = 2
"""Grades between two answers about one pair that are worth a look."""
_WORD: Final = re.compile(r"\w{3,}")
_INSTRUCTION: Final = re.compile(
    r"\b(?:ignore|disregard|forget)\b.{0,30}\b(?:previous|prior|above|instructions?)\b"
    r"|\b(?:document|passage|page|text) is (?:perfectly|highly|completely|fully) relevant\b"
    r"|\b(?:grade|rate|score|label) (?:this|it)\b.{0,30}\b(?:[0-9]|highest|perfect)",
    re.IGNORECASE | re.DOTALL,
)


class Doubt(Struct, frozen=True, kw_only=True):
    """How sure a judge is of a pair: the chance of its first choice less that of its second.

    `priority` is the doubt times what a metric would change if the second choice were right.
    """

    grade: int
    margin: float
    priority: float


def find_chances(vote: Vote, *, scale_max: int) -> list[float]:
    """Return the chance of each grade: the model's own, else by its votes."""
    if vote.probs is not None and len(vote.probs) == scale_max + 1:
        return list(vote.probs)
    counts = [SMOOTHING] * (scale_max + 1)
    for cast in vote.casts:
        counts[cast.grade] += 1
    total = sum(counts)
    return [count / total for count in counts]


def weigh_doubts(
    pairs: Sequence[PooledPair], votes: Mapping[str, Vote], *, scale_max: int
) -> dict[str, Doubt]:
    """Return the doubt about each pair of a query that has a grade; `votes` are one judge's."""
    grades = {
        pair.doc_id: vote.grade if (vote := votes.get(pair.doc_id)) else pair.known
        for pair in pairs
    }
    known = {doc_id: grade for doc_id, grade in grades.items() if grade is not None}
    rankings = _list_rankings(pairs)
    before = [_find_ndcg(ranking, known) for ranking in rankings]
    found = {}
    for doc_id, vote in votes.items():
        if vote.grade is None:
            continue
        chances = find_chances(vote, scale_max=scale_max)
        second = max((g for g in range(scale_max + 1) if g != vote.grade), key=chances.__getitem__)
        changed = known | {doc_id: second}
        stake = max(
            (
                abs(_find_ndcg(ranking, changed) - old)
                for ranking, old in zip(rankings, before, strict=True)
            ),
            default=0.0,
        )
        margin = max(0.0, chances[vote.grade] - chances[second])
        found[doc_id] = Doubt(grade=vote.grade, margin=margin, priority=(1 - margin) * stake)
    return found


def find_flags(query: str, pair: PooledPair, votes: Sequence[Vote], *, relevant: int) -> list[str]:
    """Return what is odd about the last answers of the judges on a pair; grades from `relevant`."""
    grades = [vote.grade for vote in votes if vote.grade is not None]
    casts = [cast.grade for vote in votes for cast in vote.casts]
    high = any(grade >= relevant for grade in grades)
    checks = {
        "no_query_word": high and not _share_words(query, pair.text),
        "instructions_in_text": _INSTRUCTION.search(pair.text) is not None,
        "answers_differ": bool(casts) and max(casts) - min(casts) >= DIFFERENCE,
        "cut": any(vote.cut for vote in votes),
        "known_differs": pair.known is not None
        and pair.known >= relevant
        and any(grade < relevant for grade in grades),
        "random_relevant": pair.random and high,
    }
    return [name for name, odd in checks.items() if odd]


def _share_words(query: str, text: str) -> bool:
    asked = set(_WORD.findall(query.casefold()))
    return not asked or bool(asked.intersection(_WORD.findall(text.casefold())))


def _list_rankings(pairs: Sequence[PooledPair]) -> list[list[str]]:
    """Return the first documents of each configuration, in order."""
    ranks: dict[str, dict[int, str]] = {}
    for pair in pairs:
        for sighting in pair.found:
            if sighting.rank <= DEPTH:
                ranks.setdefault(sighting.config, {})[sighting.rank] = pair.doc_id
    return [[found[rank] for rank in sorted(found)] for found in ranks.values()]


def _find_ndcg(ranking: Sequence[str], grades: Mapping[str, int]) -> float:
    ideal = _add_up(sorted(grades.values(), reverse=True)[:DEPTH])
    return _add_up([grades.get(doc_id, 0) for doc_id in ranking]) / ideal if ideal else 0.0


def _add_up(grades: Sequence[int]) -> float:
    return sum(max(grade, 0) / math.log2(rank + 1) for rank, grade in enumerate(grades, start=1))
