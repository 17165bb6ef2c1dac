"""From all votes on a pair to one grade, by a stated rule.

People go before the test set, and that before models: a model never overwrites a person. Within
the first kind that said anything, the last vote of each rater counts.
"""

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import Struct

from reteval.contract.pools import PooledPair
from reteval.contract.votes import Consensus, PairStatus, RaterKind, Vote


class Settled(Struct, frozen=True):
    """What a pair came to, and the votes it came from.

    The grade is there where `status` says that somebody gave one.
    """

    status: PairStatus
    grade: int | None = None
    votes: tuple[Vote, ...] = ()


def settle(pair: PooledPair, votes: Iterable[Vote], rule: Consensus) -> Settled:
    """Return the grade of a pair; `votes` are all of its query, oldest first."""
    own = [vote for vote in votes if vote.doc_id == pair.doc_id]
    people = _take_last(own, RaterKind.HUMAN)
    if people:
        grade = _agree(people, rule)
        if grade is None:
            return Settled(PairStatus.UNRATEABLE)
        return Settled(PairStatus.REVIEWED, grade, (*people,))
    if pair.known is not None:
        return Settled(PairStatus.KNOWN, pair.known)
    models = _take_last(own, RaterKind.LLM)
    graded = [vote for vote in models if vote.grade is not None]
    if graded:
        return Settled(PairStatus.JUDGED, _agree(graded, rule), (*graded,))
    return Settled(PairStatus.FAILED if models else PairStatus.UNJUDGED)


def _take_last(votes: Sequence[Vote], kind: RaterKind) -> list[Vote]:
    """Return the last vote of each rater of a kind, in the order in which these were cast."""
    last: dict[str, Vote] = {}
    for vote in votes:
        if vote.kind is kind:
            last.pop(vote.rater, None)
            last[vote.rater] = vote
    return list(last.values())


def _agree(votes: Sequence[Vote], rule: Consensus) -> int | None:
    """Return the grade that votes agree on; None where they say that there is none."""
    if rule is Consensus.HUMAN_LAST:
        return votes[-1].grade
    grades = [vote.grade for vote in votes if vote.grade is not None]
    return _RULES[rule](grades) if grades else None


def _find_majority(grades: Sequence[int]) -> int:
    """Return the grade that more than half gave, else the lowest that anybody gave."""
    grade, count = Counter(grades).most_common(1)[0]
    return grade if 2 * count > len(grades) else min(grades)


def _round_mean(grades: Sequence[int]) -> int:
    """Return the mean, halves rounded up."""
    return math.floor(statistics.fmean(grades) + 0.5)


_RULES: Final[dict[Consensus, Callable[[Sequence[int]], int]]] = {
    Consensus.MEDIAN: statistics.median_low,
    Consensus.MAJORITY_THEN_MIN: _find_majority,
    Consensus.MEAN_ROUNDED: _round_mean,
}
