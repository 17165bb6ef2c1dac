"""Which pairs people are asked about: a random sample to measure with, then what is in doubt."""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from reteval.contract.pools import PooledPair
from reteval.contract.votes import QueuedPair, QueueReason, RaterKind, Vote
from worker.judging.beliefs import find_people
from worker.judging.calibration import Calibration
from worker.judging.doubts import find_flags, weigh_doubts

UNSURE: Final = 0.5
"""Margin below which a pair is in doubt. One vote alone leaves every pair there."""
AUDITED: Final = 60
"""Pairs of the sample, shared evenly among the judge's grades."""


class Candidate(Struct, frozen=True, kw_only=True):
    """A pair with what decides whether people see it; `grade` is the last judge's."""

    query_id: str
    doc_id: str
    grade: int | None
    margin: float = 1.0
    priority: float = 0.0
    flags: tuple[str, ...] = ()
    failed: bool = False
    known: bool = False


def look_at(
    query_id: str,
    query: str,
    pairs: Sequence[PooledPair],
    votes: Iterable[Vote],
    *,
    raters: Sequence[str],
    scale_max: int,
    calibration: Calibration | None = None,
) -> Iterator[Candidate]:
    """Yield the pairs of a query as the judges left them; the last of `raters` counts most."""
    said = list(votes)
    last: dict[str, dict[str, Vote]] = {rater: {} for rater in raters}
    for vote in said:
        if vote.kind is RaterKind.LLM and vote.rater in last:
            last[vote.rater][vote.doc_id] = vote
    mine: Mapping[str, Vote] = last[raters[-1]] if raters else {}
    doubts = weigh_doubts(
        pairs, mine, scale_max=scale_max, people=find_people(said), calibration=calibration
    )
    relevant = min(2, scale_max)
    for pair in pairs:
        own = [found[pair.doc_id] for found in last.values() if pair.doc_id in found]
        doubt, answer = doubts.get(pair.doc_id), mine.get(pair.doc_id)
        yield Candidate(
            query_id=query_id,
            doc_id=pair.doc_id,
            grade=None if answer is None else answer.grade,
            margin=doubt.margin if doubt else 1.0,
            priority=doubt.priority if doubt else 0.0,
            flags=tuple(find_flags(query, pair, own, relevant=relevant)) if own else (),
            failed=answer is not None and bool(answer.error),
            known=pair.known is not None,
        )


def make_queue(candidates: Iterable[Candidate], *, seed: int) -> list[QueuedPair]:
    """Return the sample, then failures and pairs without an answer, then what is in doubt.

    The sample is drawn from all pairs with a grade, evenly by grade, and from nothing that
    depends on doubt: only on it can agreement be measured.
    """
    waiting = list(candidates)
    audit = draw_audit(waiting, seed=seed)
    sampled = {(one.query_id, one.doc_id) for one in audit}
    rest = [
        (reason, one)
        for one in waiting
        if (one.query_id, one.doc_id) not in sampled and (reason := _find_reason(one))
    ]
    rest.sort(key=lambda row: (_ORDER[row[0]], -row[1].priority, row[1].margin))
    return [_queue(QueueReason.AUDIT, one) for one in audit] + [_queue(*row) for row in rest]


def draw_audit(candidates: Iterable[Candidate], *, seed: int) -> list[Candidate]:
    """Draw the sample: so many of each grade that the judge gave, in an order that is no one's."""
    strata: dict[int, list[Candidate]] = defaultdict(list)
    for one in candidates:
        if one.grade is not None:
            strata[one.grade].append(one)
    rng = random.Random(f"{seed}/audit")  # noqa: S311 - a reproducible draw
    share = AUDITED // len(strata) if strata else 0
    drawn = [
        one
        for _, stratum in sorted(strata.items())
        for one in rng.sample(stratum, min(share, len(stratum)))
    ]
    rng.shuffle(drawn)
    return drawn


_ORDER: Final = {
    QueueReason.FAILED: 0,
    QueueReason.UNJUDGED: 1,
    QueueReason.FLAGGED: 2,
    QueueReason.UNCERTAIN: 2,
}


def _find_reason(one: Candidate) -> QueueReason | None:
    if one.failed:
        return QueueReason.FAILED
    if one.grade is None:
        return None if one.known else QueueReason.UNJUDGED
    if one.flags:
        return QueueReason.FLAGGED
    return QueueReason.UNCERTAIN if one.margin < UNSURE else None


def _queue(reason: QueueReason, one: Candidate) -> QueuedPair:
    return QueuedPair(
        query_id=one.query_id,
        doc_id=one.doc_id,
        reason=reason,
        priority=one.priority,
        flags=one.flags,
    )
