"""Pooling: every query sent to every configuration, then one pool a query.

Answers are kept as they come, so that a job that was lost goes on where it was. The pools are
made of them in the end, the same ones however often that is begun.
"""

import contextlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

import msgspec
from msgspec import structs

from reteval.contract.endpoints import Endpoint
from reteval.contract.judgings import JudgingState, Review
from reteval.contract.outcomes import Outcome
from reteval.contract.pools import SNAPSHOT_CHARS, PoolCounts, PooledPair
from reteval.contract.testsets import Query
from reteval.contract.votes import QueuedPair, QueueReason
from service.store.bare_report import iso_time
from service.store.judging_records import JudgingRecord
from service.store.pools import Pool
from service.store.sealing import split_numbered, unseal
from worker.jobs.keeping import Keeper
from worker.jobs.sharing import name_target, share_lanes, share_pace
from worker.jobs.stepping import end_step, now_iso
from worker.jobs.targets import read_policy
from worker.jobs.work import Work, log
from worker.judging.pooling import Answered, Member, add_up, draw_random, gather, settle
from worker.judging.questions import cut_text
from worker.search.manners import Manners
from worker.search.searcher import Searcher
from worker.search.template import Ask

BATCH: Final = 10
"""Queries whose pools are made and written at once."""
KEPT_CHARS: Final = 5 * SNAPSHOT_CHARS
"""Of a text until the pools are made, in which it is seen that it was too long."""
ROWS: Final = 500
"""Outcomes of a run that are read at once."""


async def pool_queries(work: Work, record: JudgingRecord) -> None:
    """Search what was not searched yet, make the pools, and end the job.

    Raises:
        LostClaimError: another worker has it.
        ServiceError: the store is away.
    """
    work.hold.makes_way = True
    queries = [one for one in await work.read_queries(record.spec.test_set.id) if _is_pooled(one)]
    configs = await _search(work, record, queries)
    if work.hold.stopping():
        await end_step(work, record)
        return
    counts = await _make_pools(work, record, queries, configs)
    if not counts.failed_searches:  # else those that have an answer need not be sent again
        await work.store.pools.drop_answers(work.tenant, record.id)
    log.info("pool.made", judging=record.id, pairs=counts.pairs)
    await end_step(
        work, record, state=JudgingState.POOLED, fields={"pool": msgspec.json.encode(counts)}
    )


def name_config(number: int) -> str:
    """Return what the endpoint of this number is called in a pool."""
    return f"endpoint {number + 1}"


def _is_pooled(query: Query) -> bool:
    """Whether a query has documents to be found; variants have those of their query."""
    return not query.parent and query.expect is None


async def _search(
    work: Work, record: JudgingRecord, queries: Sequence[Query]
) -> dict[str, Mapping[str, Answered]]:
    """Ask all endpoints; return what runs hold, by their ids and the queries'."""
    request = record.spec.request
    endpoints = await _open_endpoints(work, request.endpoints)
    done = await work.store.pools.answered(work.tenant, record.id)
    for number, endpoint in enumerate(endpoints):
        left = [one for one in queries if _field(number, one.id) not in done]
        if left and not work.hold.stopping():
            await _search_endpoint(work, record, number, endpoint, left)
    texts = {query.id: query.query for query in queries}
    return {run: await _read_run(work, record, run, texts) for run in request.runs}


async def _open_endpoints(work: Work, endpoints: Sequence[Endpoint]) -> list[Endpoint]:
    sealed = await work.store.claims.secrets(work.claim)
    if not sealed:
        return list(endpoints)
    headers = split_numbered(unseal(work.settings.secret_key, sealed), len(endpoints))
    return [
        structs.replace(endpoint, headers=own)
        for endpoint, own in zip(endpoints, headers, strict=True)
    ]


async def _search_endpoint(
    work: Work, record: JudgingRecord, number: int, endpoint: Endpoint, queries: Sequence[Query]
) -> None:
    request, policy = record.spec.request, read_policy(work)
    target = name_target(policy, endpoint.url)
    texts: dict[str, Mapping[str, str]] = {}
    async with (
        share_lanes(work, target, request.limits) as lanes,
        Searcher(
            endpoint,
            limits=request.limits,
            depth=request.depth,
            policy=policy,
            manners=Manners(pacer=share_pace(work, target, request.limits), lanes=lanes),
            run_id=work.claim.job_id,
        ) as searcher,
        _keep_answers(work, record) as keeper,
    ):

        def emit(place: int, outcome: Outcome) -> None:
            query_id = queries[place].id
            if outcome.status.answered:
                found = _answer(outcome, texts.pop(query_id, {}))
                keeper.take((_field(number, query_id), found))

        asks = (
            (place, _ask(query, partial(texts.__setitem__, query.id)))
            for place, query in enumerate(queries)
        )
        await searcher.search_all(asks, emit=emit, stopping=work.hold.stopping)


def _ask(query: Query, keep: Callable[[Mapping[str, str]], None]) -> Ask:
    return Ask(text=query.query, id=query.id, fields=query.fields, keep=keep)


def _answer(outcome: Outcome, texts: Mapping[str, str]) -> Answered:
    kept = {doc: cut_text(texts[doc], KEPT_CHARS)[0] for doc in outcome.ids if doc in texts}
    return Answered(ids=outcome.ids, texts=kept, at=now_iso())


@contextlib.asynccontextmanager
async def _keep_answers(
    work: Work, record: JudgingRecord
) -> AsyncIterator[Keeper[tuple[str, Answered]]]:
    async def write(batch: Sequence[tuple[str, Answered]]) -> None:
        await work.store.pools.put(work.claim, record.id, part="answers", values=dict(batch))

    async with Keeper(work, write) as keeper:
        yield keeper


async def _read_run(
    work: Work, record: JudgingRecord, run_id: str, texts: Mapping[str, str]
) -> dict[str, Answered]:
    """Return a run's rankings of the same queries; it keeps no texts of documents.

    Raises:
        NotFoundError: the run is gone.
    """
    clean, _ = await work.store.outcomes.plan_size(work.tenant, run_id)
    run = await work.store.runs.get(work.tenant, run_id)
    at = iso_time(run.finished_ms or run.created_ms)
    found = {}
    for start in range(0, clean, ROWS):
        rows = await work.store.outcomes.rows(
            work.tenant, run_id, start=start, stop=min(start + ROWS, clean)
        )
        for row in rows:
            if row.outcome.status.answered and texts.get(row.query_id) == row.query:
                ids = row.outcome.ids[: record.spec.request.depth]
                found[row.query_id] = Answered(ids=ids, at=at)
    return found


async def _make_pools(
    work: Work,
    record: JudgingRecord,
    queries: Sequence[Query],
    runs: Mapping[str, Mapping[str, Answered]],
) -> PoolCounts:
    """Write the pools, and the queue in which people see them while no judge has ranked them."""
    request = record.spec.request
    pools: dict[str, dict[str, Member]] = {}
    own: dict[str, set[str]] = {}
    answered = 0
    async for query, answers in _read_answers(work, record, queries, runs):
        pools[query.id] = gather(query, answers, depth=request.depth)
        own[query.id] = {doc for one in answers.values() for doc in one.texts}
        answered += len(answers)
    universe = sorted(set().union(*own.values()))
    draw_random(pools, universe, count=request.random, seed=request.seed)
    strange = {doc for query_id, pool in pools.items() for doc in pool if doc not in own[query_id]}
    texts = await _find_texts(work, record, queries, strange)
    searches = len(queries) * (len(request.endpoints) + len(request.runs))
    counts = PoolCounts(searches=searches, failed_searches=searches - answered)
    queue: list[QueuedPair] = []
    batch: dict[str, Pool] = {}
    async for query, answers in _read_answers(work, record, queries, {}):
        seen = {
            doc: (text, one.at)
            for one in reversed(answers.values())
            for doc, text in one.texts.items()
        }
        pairs = settle(query.id, pools[query.id].values(), texts | seen, seed=request.seed)
        counts = add_up(counts, pairs)
        queue += _queue(query.id, pairs)
        batch[query.id] = Pool(query.query, pairs)
        if len(batch) == BATCH:
            await work.store.pools.put(work.claim, record.id, values=batch)
            batch = {}
    await work.store.pools.put(work.claim, record.id, values=batch)
    review = msgspec.json.encode(Review(queued=len(queue)))
    await work.store.pools.put_queue(work.claim, record.id, queue, {"review": review})
    return counts


def _queue(query_id: str, pairs: Sequence[PooledPair]) -> Iterator[QueuedPair]:
    for pair in pairs:
        if pair.known is None:
            yield QueuedPair(query_id=query_id, doc_id=pair.doc_id, reason=QueueReason.UNJUDGED)


async def _read_answers(
    work: Work,
    record: JudgingRecord,
    queries: Sequence[Query],
    runs: Mapping[str, Mapping[str, Answered]],
) -> AsyncIterator[tuple[Query, dict[str, Answered]]]:
    """Yield every query with its answers, by configuration, in the order in which these stand."""
    numbers = range(len(record.spec.request.endpoints))
    for start in range(0, len(queries), BATCH):
        part = queries[start : start + BATCH]
        fields = [_field(number, query.id) for query in part for number in numbers]
        found = await work.store.pools.answers(work.tenant, record.id, fields, Answered)
        for query in part:
            answers = {
                name_config(number): found[_field(number, query.id)]
                for number in numbers
                if _field(number, query.id) in found
            }
            answers |= {run: rows[query.id] for run, rows in runs.items() if query.id in rows}
            yield query, answers


async def _find_texts(
    work: Work, record: JudgingRecord, queries: Sequence[Query], wanted: set[str]
) -> dict[str, tuple[str, str]]:
    """Return texts of documents as other queries saw them first, and when that was."""
    texts: dict[str, tuple[str, str]] = {}
    async for _, answers in _read_answers(work, record, queries, {}) if wanted else _nothing():
        for one in answers.values():
            for doc_id in wanted.intersection(one.texts).difference(texts):
                texts[doc_id] = (one.texts[doc_id], one.at)
    return texts


async def _nothing() -> AsyncIterator[tuple[Query, dict[str, Answered]]]:
    return
    yield


def _field(number: int, query_id: str) -> str:
    """Return where the answer of an endpoint to a query is kept."""
    return f"{number}:{query_id}"
