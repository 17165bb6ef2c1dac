"""The loop of rounds: one process makes them, and what goes wrong in one does not end it."""

import asyncio

import redis
from structlog.testing import capture_logs

from service.core.steward import attend_forever
from service.queue import JobQueue
from service.store import keys
from service.store.ending import end_task
from service.store.store import Store
from tests.hooks import end
from tests.scheduled import alerted, fires, found, scheduled
from tests.unit.service.core.backends import a_backend


async def test_rounds_start_what_is_due_and_look_at_what_has_ended(
    store: Store, queue: JobQueue, redis_url: str
) -> None:
    """A schedule that became due starts its run, and the alert looks at that once it has ended."""
    backend = a_backend(store, queue)
    schedule, alert = await scheduled(backend), await alerted(backend)
    with redis.Redis.from_url(redis_url) as server:
        key = keys.schedule(backend.tenant, schedule.id)
        now_ms = await store.now_ms()
        server.hset(key, "next_ms", now_ms)
        server.zadd(keys.SCHEDULES_DUE, {key: now_ms})
    attending = asyncio.create_task(attend_forever(backend, interval_s=0.02))
    try:
        async with asyncio.timeout(20):
            while not (started := await fires(backend, schedule)):
                await asyncio.sleep(0.02)
            await end(store, str(started[0].run))
            while not await found(backend, alert):
                await asyncio.sleep(0.02)
    finally:
        await end_task(attending)


async def test_one_process_leads(store: Store, queue: JobQueue) -> None:
    """While another one leads, nothing is started here."""
    backend = a_backend(store, queue)
    schedule = await scheduled(backend, cron="* * * * *")
    assert await store.lead(keys.STEWARD, "another", seconds=30)
    attending = asyncio.create_task(attend_forever(backend, interval_s=0.02))
    await asyncio.sleep(0.1)
    await end_task(attending)
    assert await fires(backend, schedule) == []


async def test_rounds_go_on_without_a_store(queue: JobQueue) -> None:
    """A round that meets no store is told, and the next one tries again."""
    gone = Store.connect("redis://127.0.0.1:1/0")
    with capture_logs() as said:
        attending = asyncio.create_task(attend_forever(a_backend(gone, queue), interval_s=0.01))
        async with asyncio.timeout(20):
            while [line["event"] for line in said].count("steward.failed") < 2:
                await asyncio.sleep(0.02)
        await end_task(attending)
    await gone.close()
