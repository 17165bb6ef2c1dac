"""Processes killed while they start scheduled runs: each time is decided once, none is lost."""

import asyncio
import subprocess
import sys

import redis

from reteval.contract.schedules import FireOutcome
from service.queue import JobQueue
from service.store import keys
from service.store.bare_report import iso_time
from service.store.store import Store
from tests.scheduled import MINUTE_MS, due_ms, fires, scheduled
from tests.unit.service.core.backends import a_backend

MINUTES = 60
SEED = 20261130


async def test_killed_processes_start_nothing_twice_and_lose_nothing(
    store: Store, queue: JobQueue, redis_url: str
) -> None:
    """Of sixty minutes, with ten of eleven processes killed, each has one row and one run."""
    backend = a_backend(store, queue)
    schedule = await scheduled(backend, cron="* * * * *", overlap="allow")
    first = await due_ms(backend, schedule)
    words = [redis_url, str(first), str(MINUTES), str(SEED)]
    await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "tests.faults.firing", *words],
        check=True,
        timeout=120,
    )
    rows = await fires(backend, schedule)
    expected = [iso_time(first + minute * MINUTE_MS) for minute in range(MINUTES)]
    assert [row.at for row in rows] == expected
    assert {row.outcome for row in rows} == {FireOutcome.STARTED}
    with redis.Redis.from_url(redis_url) as server:
        made = {run.decode() for run in server.zrange(keys.runs(backend.tenant), 0, -1)}
    assert {row.run for row in rows} == made
    assert len(made) == MINUTES
    assert await due_ms(backend, schedule) == first + MINUTES * MINUTE_MS
