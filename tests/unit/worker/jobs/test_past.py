"""Which earlier runs a difficulty is taken from."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import redis

from reteval.contract.runs import RunStatus
from reteval.contract.slices import PAST_RUNS
from service.queue import JobQueue
from service.settings import Settings
from service.store import keys
from service.store.keys import DEFAULT_TENANT
from service.store.records import Rescore, RunRecord, RunSpec
from service.store.store import Store
from tests.factories import stored_run
from tests.unit.service.api.scored import VALUES, new_run, score_run
from worker.jobs.past import read_difficulty
from worker.jobs.work import Work
from worker.pipeline.difficulty import Difficulty

NAMES = {"q0": "hard", "q1": "hard", "q2": "easy", "q3": "easy"}


async def ended(
    store: Store,
    *,
    columns: Mapping[str, Sequence[float]] | None = None,
    status: RunStatus = RunStatus.COMPLETED,
    **changes: Any,
) -> str:
    """Run over the set and end it; four queries have 0, 0.5, 1 and 1."""
    spec = msgspec.structs.replace(await queued(store), **changes)
    await stored_run(store, spec)
    return await score_run(store, spec, columns=columns, status=status)


async def queued(store: Store) -> RunSpec:
    """Return the spec of another run over the set."""
    spec = await new_run(store)
    await store.runs.request_cancel(DEFAULT_TENANT, spec.id)
    await store.runs.delete(DEFAULT_TENANT, spec.id)
    return msgspec.structs.replace(spec, id=keys.new_id("run"))


async def rate(store: Store, queue: JobQueue, **changes: Any) -> Difficulty:
    """Rate the queries of a run that is made now."""
    spec = msgspec.structs.replace(await queued(store), **changes)
    return await rate_run(store, queue, await stored_run(store, spec))


async def rate_run(store: Store, queue: JobQueue, record: RunRecord) -> Difficulty:
    """Rate the queries of a run."""
    claim = await store.claims.claim(DEFAULT_TENANT, record.id, owner="w", lease_s=30)
    assert claim is not None
    return await read_difficulty(Work(Settings.from_env({}), store, queue, claim), record)


async def test_three_runs_that_had_ended_rate(store: Store, queue: JobQueue) -> None:
    """Values are read by query; one without a value in a run is left out there."""
    for _ in range(2):
        await ended(store)
    assert "absent: 2 earlier runs with mrr" in (await rate(store, queue)).about
    await ended(store, columns={"mrr": (math.nan, *VALUES[1:])})
    assert (await rate(store, queue)).names == {"q1": "hard", "q2": "easy", "q3": "easy"}
    await ended(store)
    assert (await rate(store, queue)).names == NAMES


async def test_runs_that_say_nothing_new_do_not_count(store: Store, queue: JobQueue) -> None:
    """Neither failed ones, nor rescorings, nor those without the metric, nor one's own parent."""
    parent = await ended(store)
    await ended(store)
    await ended(store, status=RunStatus.FAILED)
    await ended(store, rescore=Rescore(parent=parent, relevant_from=1))
    await ended(store, metrics=("map",))
    assert "2 earlier runs" in (await rate(store, queue)).about
    assert "1 earlier runs" in (await rate(store, queue, retry=parent)).about
    rescore = Rescore(parent=parent, relevant_from=1)
    assert "1 earlier runs" in (await rate(store, queue, rescore=rescore)).about
    assert "0 earlier runs with ndcg@10" in (await rate(store, queue, metrics=("ndcg@10",))).about


async def test_a_run_is_not_rated_by_what_ended_later(store: Store, queue: JobQueue) -> None:
    """However late it is finalised, or finalised again: the rating stays the same."""
    await ended(store)
    record = await stored_run(store, await queued(store))
    for _ in range(2):
        await ended(store)
    late = msgspec.structs.replace(record, created_ms=record.created_ms - 1_000)
    assert "0 earlier runs" in (await rate_run(store, queue, late)).about


async def test_only_the_newest_runs_rate(store: Store, queue: JobQueue) -> None:
    """More than ten change nothing any more."""
    for _ in range(2):
        await ended(store, columns={"mrr": (1.0, 1.0, 0.0, 0.0)})
    for _ in range(PAST_RUNS):
        await ended(store)
    found = await rate(store, queue)
    assert found.names == NAMES
    assert found.about.startswith("from 10 earlier runs")


async def test_a_damaged_run_is_passed_over(store: Store, queue: JobQueue, redis_url: str) -> None:
    """Its values cannot be read; the others rate."""
    for _ in range(3):
        await ended(store)
    damaged = await ended(store)
    with redis.Redis.from_url(redis_url) as client:
        client.hset(keys.job_part(DEFAULT_TENANT, damaged, "columns"), "mrr", b"nothing packed")
    found = await rate(store, queue)
    assert (found.names, found.about[:20]) == (NAMES, "from 3 earlier runs ")
