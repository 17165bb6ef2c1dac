"""What a judge's answer leaves open: how sure it is, what hangs on it, and what is odd about it."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from reteval.contract.pools import PooledPair
from reteval.contract.votes import Vote
from worker.judging.priorities import prioritise
from worker.judging.uncertainty import margin, share_votes

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

    margin: float
    priority: float


def find_chances(vote: Vote, *, scale_max: int) -> list[float]:
    """Return the chance of each grade: the model's own, else by its votes."""
    if vote.probs is not None and len(vote.probs) == scale_max + 1:
        return list(vote.probs)
    counts = np.bincount([cast.grade for cast in vote.casts], minlength=scale_max + 1)
    return list(map(float, share_votes(counts[None, :].astype(np.int64))[0]))


def weigh_doubts(
    pairs: Sequence[PooledPair], votes: Mapping[str, Vote], *, scale_max: int
) -> dict[str, Doubt]:
    """Return the doubt about each pair of a query that has a grade; `votes` are one judge's."""
    chances = {}
    for pair in pairs:
        vote = votes.get(pair.doc_id)
        if vote is not None and vote.grade is not None:
            chances[pair.doc_id] = find_chances(vote, scale_max=scale_max)
        elif pair.known is not None:
            sure = min(max(pair.known, 0), scale_max)
            chances[pair.doc_id] = [float(grade == sure) for grade in range(scale_max + 1)]
    if not chances:
        return {}
    table = np.array(list(chances.values()))
    ranks = _list_ranks([pair for pair in pairs if pair.doc_id in chances])
    worth = prioritise(table, ranks, k=DEPTH) if len(ranks) else np.zeros(len(table))
    return {
        doc_id: Doubt(margin=float(lead), priority=float(stake))
        for doc_id, lead, stake in zip(chances, margin(table), worth, strict=True)
    }


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


def _list_ranks(pairs: Sequence[PooledPair]) -> NDArray[np.int64]:
    """Return where each configuration ranks each pair, 0 where it does not."""
    configs = sorted({sighting.config for pair in pairs for sighting in pair.found})
    ranks = np.zeros((len(configs), len(pairs)), dtype=np.int64)
    for place, pair in enumerate(pairs):
        for sighting in pair.found:
            ranks[configs.index(sighting.config), place] = sighting.rank
    return ranks
