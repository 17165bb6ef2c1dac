"""What to label next: unjudged documents of a test set, pooled over its newest completed runs."""

import asyncio
import math
from collections.abc import AsyncIterator, Iterable, Sequence
from itertools import chain
from typing import Final

from msgspec import Struct

from reteval.contract.runs import RunStatus
from reteval.contract.testsets import Query, TestSet
from reteval.contract.unjudged import (
    MAX_PAIRS,
    POOLED_RANKS,
    POOLED_RUNS,
    UnjudgedHits,
    UnjudgedPage,
    UnjudgedPair,
)
from service.core.backend import Backend
from service.core.cells import write_rows
from service.store.chunks import SIZE
from service.store.records import RunRecord

COLUMNS: Final = ("query_id", "query", "docid", "rating", "value", "runs", "best_rank")
DISCOUNTS: Final = tuple(1 / math.log2(rank + 1) for rank in range(1, POOLED_RANKS + 1))
_COMPLETED: Final = (RunStatus.COMPLETED, RunStatus.COMPLETED_WITH_ERRORS)

Pooled = tuple[float, int, int, str, int]
"""Negative value, best rank, the query's place in the set, document, runs: sorts as listed."""


class Pool(Struct, frozen=True, kw_only=True):
    """The most valuable pairs of a test set in order, of `total`.

    `as_of` is the end of the run that ended last: later runs are not in it.
    """

    pairs: Sequence[Pooled]
    total: int
    runs: int
    test_set: str
    as_of: int


async def page_unjudged(backend: Backend, ref: str, *, cursor: str, limit: int) -> UnjudgedPage:
    """Return a page of pairs, most valuable first; later pages see the same runs as the first.

    Raises:
        BadCursorError: the cursor belongs to another list.
        NotFoundError: no such test set.
    """
    cursors = await backend.cursors()
    test_set = await backend.store.test_sets.get(backend.tenant, ref)
    scope = ("unjudged", backend.tenant, test_set.id)
    as_of, _, offset = (cursors.read(scope, cursor) or "").partition("-")
    pool = await gather(backend, test_set, as_of=int(as_of) if as_of else None)
    start = int(offset or 0)
    stop = start + limit
    position = f"{pool.as_of}-{stop}" if stop < len(pool.pairs) else None
    return UnjudgedPage(
        items=tuple(await _show(backend, pool, start, stop)),
        total=pool.total,
        pooled_runs=pool.runs,
        next_cursor=cursors.issue(scope, position),
    )


async def export_unjudged(backend: Backend, ref: str) -> AsyncIterator[bytes]:
    """Return all listed pairs as CSV, a header first; the column `rating` is left to fill in.

    Raises:
        NotFoundError: no such test set.
    """
    test_set = await backend.store.test_sets.get(backend.tenant, ref)
    return _csv_chunks(backend, await gather(backend, test_set))


async def gather(backend: Backend, test_set: TestSet, *, as_of: int | None = None) -> Pool:
    """Pool the runs of a test set, those that ended until `as_of` (Redis milliseconds)."""
    runs = await _find_runs(backend, test_set.id, as_of)
    pairs: list[Pooled] = []
    total = 0
    stats = test_set.stats
    for chunk in range(math.ceil((stats.queries + stats.variants) / SIZE) if runs else 0):
        parts = [
            await backend.store.outcomes.unjudged(backend.tenant, run.id, chunk=chunk)
            for run in runs
        ]
        found = await asyncio.to_thread(pool_hits, parts, start=chunk * SIZE)
        pairs = await asyncio.to_thread(keep_best, pairs, found)
        total += len(found)
    return Pool(
        pairs=pairs,
        total=total,
        runs=len(runs),
        test_set=test_set.id,
        as_of=max((run.finished_ms or 0 for run in runs), default=0),
    )


def pool_hits(parts: Iterable[Sequence[UnjudgedHits]], *, start: int) -> list[Pooled]:
    """Pool a stretch of queries, the first at place `start`; each part is a run's."""
    ranks: dict[tuple[int, str], bytearray] = {}
    for hits in parts:
        for place, one in enumerate(hits, start=start):
            for rank, doc in zip(one.ranks, one.ids, strict=True):
                ranks.setdefault((place, doc), bytearray()).append(rank)
    return [
        (-math.fsum(DISCOUNTS[rank - 1] for rank in seen), min(seen), place, doc, len(seen))
        for (place, doc), seen in ranks.items()
    ]


def keep_best(best: Sequence[Pooled], found: Iterable[Pooled]) -> list[Pooled]:
    """Merge the pairs of a stretch with the best of those before."""
    return sorted(chain(best, found))[:MAX_PAIRS]


def write_csv(pairs: Iterable[UnjudgedPair]) -> str:
    """Write pairs as CSV lines with an empty rating."""
    return write_rows(
        (pair.query_id, pair.query, pair.document_id, None, pair.value, pair.runs, pair.best_rank)
        for pair in pairs
    )


async def _find_runs(backend: Backend, test_set_id: str, as_of: int | None) -> list[RunRecord]:
    """Return the newest completed runs, one for each set of rankings: rescoring makes none."""
    found: dict[str, RunRecord] = {}
    position: str | None = None
    while len(found) < POOLED_RUNS:
        records, position = await backend.store.runs.page(
            backend.tenant, before=position, limit=POOLED_RUNS, test_set=test_set_id
        )
        for record in records:
            if record.status in _COMPLETED and (
                as_of is None or (record.finished_ms or 0) <= as_of
            ):
                rescore = record.spec.rescore
                found.setdefault(rescore.parent if rescore else record.id, record)
        if position is None:
            break
    return list(found.values())[:POOLED_RUNS]


async def _csv_chunks(backend: Backend, pool: Pool) -> AsyncIterator[bytes]:
    yield f"{','.join(COLUMNS)}\r\n".encode()
    for start in range(0, len(pool.pairs), SIZE):
        yield write_csv(await _show(backend, pool, start, start + SIZE)).encode()


async def _show(backend: Backend, pool: Pool, start: int, stop: int) -> list[UnjudgedPair]:
    pairs = pool.pairs[start:stop]
    queries = await _read_queries(backend, pool.test_set, {pair[2] for pair in pairs})
    return [
        UnjudgedPair(
            query_id=queries[place].id,
            query=queries[place].query,
            document_id=doc,
            value=-value,
            runs=runs,
            best_rank=rank,
        )
        for value, rank, place, doc, runs in pairs
    ]


async def _read_queries(backend: Backend, test_set_id: str, places: set[int]) -> dict[int, Query]:
    """Read scattered queries of a test set, each stored chunk once."""
    found: dict[int, Query] = {}
    for chunk in sorted({place // SIZE for place in places}):
        start = chunk * SIZE
        queries = await backend.store.test_sets.queries(
            backend.tenant, test_set_id, offset=start, limit=SIZE
        )
        found.update(enumerate(queries, start=start))
    return found
