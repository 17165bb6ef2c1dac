"""What people see of a pool, and what they say about it; as JSON here, as a table in `tables`."""

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Final, Literal

from reteval.contract.problems import ProblemItem
from reteval.contract.votes import (
    AUDITED_QUERIES,
    UNRATEABLE,
    Consensus,
    HumanVote,
    JudgedPair,
    JudgedPairPage,
    PairStatus,
    QueuedPair,
    QueueReason,
    RaterKind,
    ReviewPage,
    ReviewRow,
    Suggestion,
    Vote,
    VotesAnswer,
)
from service.core.backend import Backend, to_iso
from service.core.judging.consensus import settle
from service.errors import InvalidError, JudgingIncompleteError
from service.store.judging_records import JudgingRecord
from service.store.pools import Pooled, write_vote
from service.store.records import Idempotency

Audit = Literal["pairs", "queries"]
"""What of a sample is shown: single pairs, at the head of the queue, or whole queries alone."""
QUERIES: Final = 50
"""Queries whose pairs are looked through at once."""
LOOKED_AT: Final = 2_000
"""Queries, or places of the queue, that are looked through for one page."""
NOBODY: Final = "anonymous"
MAX_PROBLEMS: Final = 20


async def page_pairs(
    backend: Backend, judging_id: str, *, status: PairStatus | None, cursor: str, limit: int
) -> JudgedPairPage:
    """Return a page of pairs with their votes; a sparse one may have few, or none.

    Raises:
        NotFoundError: no such judging.
        BadCursorError: the cursor belongs to another list.
    """
    cursors = await backend.cursors()
    record = await backend.store.judgings.get(backend.tenant, judging_id)
    scope = ("judging-pairs", backend.tenant, judging_id, status or "")
    first, _, skipped = (cursors.read(scope, cursor) or "0-0").partition("-")
    query, skip, rows = int(first), int(skipped), list[JudgedPair]()
    looked_at = 0
    while looked_at < LOOKED_AT:
        ids = await _list_queries(backend, record, query)
        if not ids:
            return JudgedPairPage(items=tuple(rows))
        pools = {
            pool.query_id: pool
            async for pool in backend.store.pools.read(backend.tenant, judging_id, ids)
        }
        for query_id in ids:
            pool = pools.get(query_id)
            for place, row in enumerate(_list_rows(pool) if pool else ()):
                if place < skip or (status and row.status is not status):
                    continue
                if len(rows) == limit:
                    position = cursors.issue(scope, f"{query}-{place}")
                    return JudgedPairPage(items=tuple(rows), next_cursor=position)
                rows.append(row)
            query, skip, looked_at = query + 1, 0, looked_at + 1
    return JudgedPairPage(items=tuple(rows), next_cursor=cursors.issue(scope, f"{query}-0"))


async def get_pair(
    backend: Backend, judging_id: str, query_id: str, doc_id: str
) -> JudgedPair | None:
    """Return one pair of a pool with its votes; None where it is not there.

    Raises:
        NotFoundError: no such judging.
    """
    record = await backend.store.judgings.get(backend.tenant, judging_id)
    async for pool in backend.store.pools.read(backend.tenant, record.id, [query_id]):
        return next((row for row in _list_rows(pool) if row.pair.doc_id == doc_id), None)
    return None


async def page_review(
    backend: Backend,
    judging_id: str,
    *,
    audit: Audit = "pairs",
    suggest: bool,
    cursor: str,
    limit: int,
) -> ReviewPage:
    """Return a page of the queue, or of the drawn queries, without what people have voted on.

    Raises:
        NotFoundError: no such judging.
        JudgingIncompleteError: there is no pool.
        BadCursorError: the cursor belongs to another list.
    """
    cursors = await backend.cursors()
    record = await _need_pool(backend, judging_id)
    scope = ("judging-review", backend.tenant, judging_id, audit)
    start = int(cursors.read(scope, cursor) or 0)
    rows: list[ReviewRow] = []
    async for place, row in list_review(backend, record, audit=audit, suggest=suggest, start=start):
        if len(rows) == limit:
            return ReviewPage(
                items=tuple(rows),
                scale_max=record.spec.scale_max,
                next_cursor=cursors.issue(scope, str(place)),
            )
        rows.append(row)
    return ReviewPage(items=tuple(rows), scale_max=record.spec.scale_max)


async def list_review(
    backend: Backend, record: JudgingRecord, *, audit: Audit, suggest: bool, start: int = 0
) -> AsyncIterator[tuple[int, ReviewRow]]:
    """Yield the rows that wait for a person, with their places in the queue or the sample."""
    drawn = await _draw_queries(backend, record) if audit == "queries" else None
    while queued := (
        await backend.store.pools.queue(
            backend.tenant, record.id, start=start, stop=start + QUERIES
        )
        if drawn is None
        else drawn[start : start + QUERIES]
    ):
        ids = list(dict.fromkeys(one.query_id for one in queued))
        pools = {
            pool.query_id: pool
            async for pool in backend.store.pools.read(backend.tenant, record.id, ids)
        }
        for place, one in enumerate(queued, start=start):
            row = _show_queued(one, pools.get(one.query_id), suggested=suggest)
            if row is not None:
                yield place, row
        start += len(queued)


async def _draw_queries(backend: Backend, record: JudgingRecord) -> list[QueuedPair]:
    """Return every pair that the set has no grade of, query by query as these were drawn."""
    pools = backend.store.pools
    ids = await pools.draw(
        backend.tenant, record.id, seed=record.spec.request.seed, most=AUDITED_QUERIES
    )
    return [
        QueuedPair(query_id=pool.query_id, doc_id=pair.doc_id, reason=QueueReason.QUERY)
        async for pool in pools.read(backend.tenant, record.id, ids)
        for pair in pool.pairs
        if pair.known is None
    ]


async def add_votes(
    backend: Backend,
    judging_id: str,
    votes: Sequence[HumanVote],
    *,
    rater: str = "",
    idempotency: Idempotency | None = None,
) -> VotesAnswer:
    """Write what people say; all of it, or nothing.

    Raises:
        NotFoundError: no such judging.
        InvalidError: a pair is not in the pool, or a grade not on the scale.
        JudgingIncompleteError, JudgingBusyError: there is no pool yet.
        JudgingFrozenError: there is no voting any more.
        IdempotencyConflictError: another process took the key over.
    """
    record = await _need_pool(backend, judging_id)
    ids = list(dict.fromkeys(vote.query_id for vote in votes))
    pools = {
        pool.query_id: pool
        async for pool in backend.store.pools.read(backend.tenant, judging_id, ids)
    }
    items = [
        item for place, vote in enumerate(votes) for item in _check(place, vote, record, pools)
    ]
    if items:
        raise InvalidError("The votes break a rule.", errors=items[:MAX_PROBLEMS])
    at = to_iso(backend.now())
    who = rater or backend.identity.key or NOBODY
    rows = [
        (vote.query_id, vote.doc_id, write_vote(_make(vote, pools[vote.query_id], who, at)))
        for vote in votes
    ]
    reviewed = await backend.store.judgings.add_votes(
        backend.tenant, judging_id, rows, idempotency=idempotency
    )
    return VotesAnswer(written=len(rows), reviewed=reviewed)


async def _need_pool(backend: Backend, judging_id: str) -> JudgingRecord:
    record = await backend.store.judgings.get(backend.tenant, judging_id)
    if not record.pool.queries:
        raise JudgingIncompleteError(
            f"Judging {judging_id!r} has no pool; POST /v1/judgings/{judging_id}/pool first."
        )
    return record


async def _list_queries(backend: Backend, record: JudgingRecord, start: int) -> list[str]:
    found = await backend.store.test_sets.queries(
        backend.tenant, record.spec.test_set.id, offset=start, limit=QUERIES
    )
    return [query.id for query in found]


def _list_rows(pool: Pooled) -> Iterator[JudgedPair]:
    for pair in pool.pairs:
        settled = settle(pair, pool.votes, Consensus.HUMAN_LAST)
        yield JudgedPair(
            query_id=pool.query_id,
            query=pool.query,
            pair=pair,
            status=settled.status,
            grade=settled.grade,
            votes=tuple(vote for vote in pool.votes if vote.doc_id == pair.doc_id),
        )


def _show_queued(one: QueuedPair, pool: Pooled | None, *, suggested: bool) -> ReviewRow | None:
    """Return the row of a queued pair; None where a person has voted, or the pair is gone."""
    pair = next((pair for pair in pool.pairs if pair.doc_id == one.doc_id), None) if pool else None
    if pool is None or pair is None:
        return None
    votes = [vote for vote in pool.votes if vote.doc_id == one.doc_id]
    if any(vote.kind is RaterKind.HUMAN for vote in votes):
        return None
    return ReviewRow(
        query_id=one.query_id,
        query=pool.query,
        doc_id=one.doc_id,
        text=pair.text,
        reason=one.reason,
        flags=one.flags,
        suggestion=suggest(votes) if suggested else None,
    )


def suggest(votes: Sequence[Vote]) -> Suggestion | None:
    """Return what the last model said of a pair, if any did."""
    last = next((vote for vote in reversed(votes) if vote.kind is RaterKind.LLM), None)
    if last is None:
        return None
    return Suggestion(rater=last.rater, grade=last.grade, explanation=last.explanation)


def _check(
    place: int, vote: HumanVote, record: JudgingRecord, pools: dict[str, Pooled]
) -> Iterator[ProblemItem]:
    pool = pools.get(vote.query_id)
    if pool is None or all(pair.doc_id != vote.doc_id for pair in pool.pairs):
        yield ProblemItem(
            pointer=f"/votes/{place}",
            message=f"{vote.doc_id[:200]!r} is not in the pool of {vote.query_id[:200]!r}",
            fix="Take pairs from GET /v1/judgings/{id}/review or …/pairs.",
        )
    if vote.grade != UNRATEABLE and not 0 <= int(vote.grade) <= record.spec.scale_max:
        yield ProblemItem(
            pointer=f"/votes/{place}/grade",
            message=f"{vote.grade} is not on the scale from 0 to {record.spec.scale_max}",
            fix='Give a grade of the scale, or "unrateable".',
        )


def _make(vote: HumanVote, pool: Pooled, rater: str, at: str) -> Vote:
    pair = next(pair for pair in pool.pairs if pair.doc_id == vote.doc_id)
    unrateable = vote.grade == UNRATEABLE
    return Vote(
        doc_id=vote.doc_id,
        kind=RaterKind.HUMAN,
        rater=vote.rater or rater,
        at=at,
        grade=None if unrateable else int(vote.grade),
        unrateable=unrateable,
        explanation=vote.explanation,
        text_sha256=pair.text_sha256,
    )
