"""What a judge's answer leaves open: how sure it is, what hangs on it, and what is odd about it."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from reteval.contract.pools import PooledPair
from reteval.contract.votes import Vote
from worker.judging.beliefs import believe, list_configs, list_ranks
from worker.judging.calibration import Calibration
from worker.judging.priorities import prioritise
from worker.judging.uncertainty import margin

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


def weigh_doubts(
    pairs: Sequence[PooledPair],
    votes: Mapping[str, Vote],
    *,
    scale_max: int,
    people: Mapping[str, Vote] | None = None,
    calibration: Calibration | None = None,
) -> dict[str, Doubt]:
    """Return the doubt about each pair of a query that has a grade; `votes` are one judge's."""
    chances = believe(pairs, votes, people or {}, scale_max=scale_max, calibration=calibration)
    if not chances:
        return {}
    table = np.array(list(chances.values()))
    graded = [pair for pair in pairs if pair.doc_id in chances]
    ranks = list_ranks(graded, list_configs(graded))
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
