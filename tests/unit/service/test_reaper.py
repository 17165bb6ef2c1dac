import asyncio

import redis

from service.queue import JobQueue
from service.reaper import reap, reap_forever
from service.store import keys
from service.store.ending import end_task
from service.store.keys import DEFAULT_TENANT
from service.store.store import Store
from tests.factories import query, run_spec, stored_run, stored_test_set


async def new_run_id(store: Store) -> str:
    """Store a run without enqueuing it."""
    return (await stored_run(store, run_spec(await stored_test_set(store, [query()])))).id


async def test_run_without_a_job_gets_one(store: Store, queue: JobQueue) -> None:
    """A run whose enqueue was lost is found and enqueued."""
    run_id = await new_run_id(store)
    assert [run_id] == await reap(store, queue)
    assert (await queue.depth())["runs"] == 1


async def test_held_run_is_left_alone_until_its_lease_lapses(store: Store, queue: JobQueue) -> None:
    """A run in a worker's hands is not touched; once the lease lapsed it is woken."""
    run_id = await new_run_id(store)
    await store.claims.claim(DEFAULT_TENANT, run_id, owner="w", lease_s=0.3)
    assert [] == await reap(store, queue)
    while not await store.jobs.unheld(DEFAULT_TENANT, run_id):
        await asyncio.sleep(0.02)
    assert [run_id] == await reap(store, queue)


async def test_ended_and_deleted_runs_are_forgotten(
    store: Store, queue: JobQueue, redis_url: str
) -> None:
    """An active set that names ended or missing runs mends itself."""
    run_id = await new_run_id(store)
    await store.runs.request_cancel(DEFAULT_TENANT, run_id)
    with redis.Redis.from_url(redis_url) as client:
        client.zadd(keys.active("default", "runs"), {run_id: 1, "run_gone": 2})
        client.sadd(keys.BUSY, keys.busy("default", "runs"))
    assert [] == await reap(store, queue)
    assert [] == await store.jobs.active()


async def test_reaping_goes_on_after_a_round_failed(
    store: Store, queue: JobQueue, redis_url: str
) -> None:
    """A round that meets a full store is survived; the next one does its work."""
    run_id = await new_run_id(store)
    with redis.Redis.from_url(redis_url) as client:
        client.config_set("maxmemory", "1")
        reaping = asyncio.create_task(reap_forever(store, queue, interval_s=0.05))
        await asyncio.sleep(0.2)
        client.config_set("maxmemory", "0")
        while not client.llen("rq:queue:runs"):
            await asyncio.sleep(0.02)
    await end_task(reaping)
    assert not (await store.runs.get(DEFAULT_TENANT, run_id)).status.terminal
