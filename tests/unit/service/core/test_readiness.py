import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import redis
from rq import Queue, Worker
from rq.serializers import JSONSerializer
from structlog.testing import capture_logs

from reteval.contract.readiness import Readiness, ReadinessStatus
from service.core.backend import Backend, Keeping
from service.core.readiness import check_readiness, watch_forever
from service.egress import Policy
from service.queue import QUEUES, JobQueue
from service.store.store import Store
from tests.factories import query, run_spec, stored_run, stored_test_set

DEAD = "redis://127.0.0.1:1/0"


def open_backend(store: Store, queue: JobQueue) -> Backend:
    """Put a backend on a store and a queue."""
    return Backend(
        store=store,
        queue=queue,
        policy=Policy.parse("loopback"),
        egress="loopback",
        secret_key="",
        code_version="0.1.0",
        keeping=Keeping(),
        now=lambda: datetime.now(UTC),
    )


@pytest.fixture
def backend(store: Store, queue: JobQueue) -> Backend:
    """Stand on an empty server."""
    return open_backend(store, queue)


@pytest.fixture
def server(redis_url: str) -> Iterator[redis.Redis]:
    """Talk to the server, and give it back as it was."""
    kept = ("maxmemory", "maxmemory-policy", "appendonly")
    with redis.Redis.from_url(redis_url) as client:
        before = client.config_get(*kept)
        yield client
        for name in kept:
            client.config_set(name, before[name])


@pytest.fixture
def workers(server: redis.Redis) -> None:
    """Register a live worker on each queue."""
    for name in QUEUES:
        queue = Queue(name, connection=server, serializer=JSONSerializer)
        Worker([queue], connection=server, serializer=JSONSerializer).register_birth()


@pytest.fixture
async def away() -> AsyncIterator[Backend]:
    """Stand on a server that is not there."""
    store, queue = Store.connect(DEAD), JobQueue.connect(DEAD)
    yield open_backend(store, queue)
    queue.close()
    await store.close()


def codes(found: Readiness) -> list[str]:
    """Return the codes of the findings."""
    return [one.code for one in found.findings]


@pytest.mark.usefixtures("workers")
async def test_sound_deployment_is_ready(backend: Backend) -> None:
    """A store that takes writes and a worker on each queue: nothing to find."""
    found = await check_readiness(backend)
    assert (found.status, found.findings) == (ReadinessStatus.READY, ())
    assert {name: queue.workers for name, queue in found.queues.items()} == {
        "runs": 1,
        "interactive": 1,
    }


async def test_no_worker_is_degraded(backend: Backend) -> None:
    """Jobs are accepted but wait: said for each queue, and no reason to refuse requests."""
    found = await check_readiness(backend)
    assert found.status is ReadinessStatus.DEGRADED
    assert codes(found) == ["no_worker", "no_worker"]


@pytest.mark.usefixtures("workers")
async def test_long_wait_is_degraded(backend: Backend, store: Store, server: redis.Redis) -> None:
    """A job that nobody has claimed for long is told with its age."""
    run = await stored_run(store, run_spec(await stored_test_set(store, [query()])))
    assert (await check_readiness(backend)).queues["runs"].oldest_s < 60
    long_ago = round((time.time() - 1_000) * 1_000)
    server.hset(f"t:default:run:{run.id}", "created_ms", long_ago)
    found = await check_readiness(backend)
    assert codes(found) == ["long_wait"]
    assert found.queues["runs"].oldest_s == pytest.approx(1_000, abs=60)
    assert found.queues["interactive"].oldest_s == 0


@pytest.mark.usefixtures("workers")
async def test_changed_policy_is_not_ready(backend: Backend, server: redis.Redis) -> None:
    """A store that starts to evict blocks at once, and no longer once it is mended."""
    server.config_set("maxmemory-policy", "allkeys-lru")
    found = await check_readiness(backend)
    assert (found.status, codes(found)) == (ReadinessStatus.NOT_READY, ["eviction"])
    server.config_set("maxmemory-policy", "noeviction")
    assert (await check_readiness(backend)).status is ReadinessStatus.READY


@pytest.mark.usefixtures("workers")
async def test_full_store_is_degraded(backend: Backend, server: redis.Redis) -> None:
    """A store without room can still be read, and cleared, through the API."""
    server.config_set("maxmemory", "1")
    found = await check_readiness(backend)
    assert found.status is ReadinessStatus.DEGRADED
    assert codes(found) == ["store_nearly_full", "store_full"]


async def test_store_away_is_not_ready(away: Backend) -> None:
    """A store that does not answer is a finding, not an error, and nothing is said of queues."""
    found = await check_readiness(away)
    assert (found.status, codes(found)) == (ReadinessStatus.NOT_READY, ["store_unavailable"])
    assert found.queues == {}


@pytest.mark.usefixtures("workers")
async def test_emptied_store_is_told(backend: Backend, server: redis.Redis, workers: Any) -> None:
    """A store that lost its data under a living API is told until the API starts again."""
    del workers
    assert codes(await check_readiness(backend)) == []
    cursors = await backend.cursors()
    server.flushall()
    await asyncio.sleep(0.002)
    assert "store_emptied" in codes(await check_readiness(backend))
    assert "store_emptied" in codes(await check_readiness(backend))
    assert await backend.cursors() is not cursors


async def test_watch_logs_what_is_wrong(backend: Backend, server: redis.Redis) -> None:
    """What blocks is logged as an error and what warns as a warning, in every round."""
    server.config_set("maxmemory-policy", "allkeys-lru")
    with capture_logs() as logs:
        watch = asyncio.create_task(watch_forever(backend, interval_s=0.01))
        while len(logs) < 6:
            await asyncio.sleep(0.01)
        watch.cancel()
    assert [(log["log_level"], log["code"]) for log in logs[:6]] == [
        ("error", "eviction"),
        ("warning", "no_worker"),
        ("warning", "no_worker"),
    ] * 2
