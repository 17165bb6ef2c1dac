import asyncio
import os
import signal
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import redis

from reteval.contract.results import Results
from reteval.contract.runs import Limits, RunStatus, Window
from service.queue import JobQueue
from service.reaper import reap
from service.settings import Settings
from service.store import keys
from service.store.keys import DEFAULT_TENANT
from service.store.plans import name_shard
from service.store.records import RunRecord
from service.store.sealing import seal
from service.store.store import Store
from tests.endpoint import rankings, serve_answers
from tests.factories import query, run_spec, stored_run, stored_test_set
from worker.jobs.execution import execute_next

QUERIES = [query("one", a=1), query("two", b=1, c=1)]


def settings(redis_url: str, **environ: str) -> Settings:
    """Return settings of a worker that may call loopback."""
    return Settings.from_env(
        {"RETEVAL_REDIS_URL": redis_url, "RETEVAL_EGRESS": "loopback", "RETEVAL_LEASE_S": "2"}
        | environ
    )


async def new_run(store: Store, url: str, changes: Mapping[str, Any] | None = None) -> RunRecord:
    """Store a run over the two queries."""
    spec = run_spec(await stored_test_set(store, QUERIES), url=url)
    request = msgspec.structs.replace(spec.request, **(changes or {}))
    return await stored_run(store, msgspec.structs.replace(spec, request=request))


async def report_of(store: Store, record: RunRecord) -> Results:
    """Read a run's report."""
    return msgspec.json.decode(await store.runs.results(DEFAULT_TENANT, record.id), type=Results)


async def test_run_is_sent_scored_and_stored(store: Store, redis_url: str) -> None:
    """A run ends completed with numbers, outcomes and columns that agree."""
    with serve_answers(rankings({"one": ["x", "a"], "two": ["b"]})) as endpoint:
        record = await new_run(store, endpoint.url)
        await execute_next(settings(redis_url), record.queue)
    report = await report_of(store, record)
    assert report.status is RunStatus.COMPLETED
    assert report.metrics is not None
    assert report.metrics["mrr"].mean == 0.75
    rows = await store.outcomes.rows(DEFAULT_TENANT, record.id, start=0, stop=10)
    assert [("one", ["x", "a"]), ("two", ["b"])] == [(r.query, r.outcome.ids) for r in rows]
    columns = await store.outcomes.columns(DEFAULT_TENANT, record.id)
    assert [0.5, 1.0] == list(columns["mrr"])
    assert sorted(endpoint.seen) == ["one", "two"]
    named = {
        (sent["x-reteval-run"], sent["x-reteval-query"], sent["x-reteval-attempt"])
        for sent in endpoint.headers
    }
    assert {(record.id, "q-one", "1"), (record.id, "q-two", "1")} == named


async def test_cancel_keeps_what_was_answered(store: Store, redis_url: str) -> None:
    """A cancelled run keeps its outcomes, skips the rest and has no numbers of its own."""
    gate = asyncio.Event()
    loop = asyncio.get_running_loop()

    def answer(text: str) -> tuple[int, Any]:
        if text == "two":
            asyncio.run_coroutine_threadsafe(gate.wait(), loop).result()
        return 200, [{"id": "a"}]

    with serve_answers(answer) as endpoint:
        record = await new_run(store, endpoint.url)
        working = asyncio.create_task(execute_next(settings(redis_url), record.queue))
        while (await store.runs.get(DEFAULT_TENANT, record.id)).done < 1:
            await asyncio.sleep(0.01)
        await store.runs.request_cancel(DEFAULT_TENANT, record.id)
        await working
        gate.set()
    report = await report_of(store, record)
    assert report.status is RunStatus.CANCELLED
    assert (1, 1) == (report.counts.ok, report.counts.skipped)
    assert report.metrics is None
    assert report.reason == "cancelled"


async def test_drained_run_is_handed_on_and_finished_by_another(
    store: Store, queue: JobQueue, redis_url: str
) -> None:
    """SIGTERM lets the run go without blame; the next worker sends only what is missing."""
    gate = asyncio.Event()
    loop = asyncio.get_running_loop()

    def answer(text: str) -> tuple[int, Any]:
        if text == "two" and not gate.is_set():
            asyncio.run_coroutine_threadsafe(gate.wait(), loop).result()
        return 200, [{"id": "a"}]

    with serve_answers(answer) as endpoint:
        record = await new_run(store, endpoint.url)
        working = asyncio.create_task(execute_next(settings(redis_url), record.queue))
        while (await store.runs.get(DEFAULT_TENANT, record.id)).done < 1:
            await asyncio.sleep(0.01)
        os.kill(os.getpid(), signal.SIGTERM)
        await working
        gate.set()
        left = await store.runs.get(DEFAULT_TENANT, record.id)
        assert not left.status.terminal
        assert (await queue.depth())["runs"] == 1
        await execute_next(settings(redis_url), record.queue)
    ended = await store.runs.get(DEFAULT_TENANT, record.id)
    assert ended.status is RunStatus.COMPLETED
    assert (2, 0) == (ended.attempts, ended.crash_count)
    assert endpoint.seen.count("one") == 1


async def test_poisoned_run_ends_with_what_it_had(store: Store, redis_url: str) -> None:
    """A run whose workers keep dying fails honestly: counted, not scored, no request sent."""
    with serve_answers(rankings({})) as endpoint:
        record = await new_run(store, endpoint.url)
        for attempt in range(3):
            while not await store.claims.claim(
                DEFAULT_TENANT, record.id, owner=str(attempt), lease_s=0.001
            ):
                await asyncio.sleep(0.005)
        await asyncio.sleep(0.01)
        await execute_next(settings(redis_url), record.queue)
    report = await report_of(store, record)
    assert report.status is RunStatus.FAILED
    assert report.reason == "worker_crashed"
    assert (2, 2) == (report.counts.planned, report.counts.skipped)
    assert endpoint.seen == []


async def test_fault_of_ours_ends_the_run(store: Store, redis_url: str) -> None:
    """A run that cannot be worked on for a fault of ours ends as failed, not as stuck."""
    spec = run_spec(await stored_test_set(store, QUERIES))
    record = await stored_run(store, msgspec.structs.replace(spec, metrics=("no_such_metric",)))
    await execute_next(settings(redis_url), record.queue)
    report = await report_of(store, record)
    assert report.status is RunStatus.FAILED
    assert report.reason == "internal_error"
    assert report.counts.planned == 2


async def test_held_or_unknown_runs_are_left_alone(store: Store, redis_url: str) -> None:
    """A wake-up does nothing when all there is to do is held."""
    record = await new_run(store, "http://127.0.0.1:9/")
    await store.claims.claim(DEFAULT_TENANT, record.id, owner="other", lease_s=30)
    await execute_next(settings(redis_url), record.queue)
    assert (await store.runs.get(DEFAULT_TENANT, record.id)).epoch == 1


async def test_stale_worker_stops_and_writes_nothing(store: Store, redis_url: str) -> None:
    """A worker whose run was taken over stops by itself and leaves the end to the new holder."""
    gate = asyncio.Event()
    loop = asyncio.get_running_loop()

    def answer(_text: str) -> tuple[int, Any]:
        asyncio.run_coroutine_threadsafe(gate.wait(), loop).result()
        return 200, [{"id": "a"}]

    with serve_answers(answer) as endpoint:
        record = await new_run(store, endpoint.url)
        working = asyncio.create_task(execute_next(settings(redis_url), record.queue))
        while not endpoint.seen:
            await asyncio.sleep(0.01)
        with redis.Redis.from_url(redis_url) as client:
            client.zadd(keys.job_part(DEFAULT_TENANT, record.id, "units"), {name_shard(0): 1})
        taken = await store.claims.claim(DEFAULT_TENANT, record.id, owner="new", lease_s=30)
        assert taken is not None
        await working
        gate.set()
    left = await store.runs.get(DEFAULT_TENANT, record.id)
    assert (left.done, left.status) == (0, RunStatus.RUNNING)


async def test_sealed_headers_reach_the_endpoint_only(store: Store, redis_url: str) -> None:
    """Header values are opened for the call, and gone once the run has ended."""
    key = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
    with serve_answers(rankings({"one": ["a"], "two": []})) as endpoint:
        spec = run_spec(
            await stored_test_set(store, QUERIES), url=endpoint.url, headers={"X-Api-Key": ""}
        )
        record, _ = await store.runs.create(
            DEFAULT_TENANT,
            spec,
            secrets=seal(key, {"X-Api-Key": "s3cret"}),
            idempotency=None,
            queue="runs",
        )
        await execute_next(settings(redis_url, RETEVAL_SECRET_KEY=key), record.queue)
    assert {"s3cret"} == {headers["x-api-key"] for headers in endpoint.headers}
    with redis.Redis.from_url(redis_url) as client:
        assert not client.exists(keys.job_part(DEFAULT_TENANT, record.id, "secrets"))


async def test_run_waits_for_its_hour(store: Store, queue: JobQueue, redis_url: str) -> None:
    """Outside its window a run sends nothing and holds no worker; a cancellation ends it."""
    now = datetime.now(UTC)
    opens, closes = (now + timedelta(hours=3)), (now + timedelta(hours=4))
    window = Window(opens=opens.strftime("%H:%M"), closes=closes.strftime("%H:%M"))
    with serve_answers(rankings({})) as endpoint:
        record = await new_run(store, endpoint.url, {"limits": Limits(window=window)})
        await execute_next(settings(redis_url), record.queue)
        waiting = await store.jobs.state(DEFAULT_TENANT, record.id)
        assert not waiting.status.terminal
        assert waiting.not_before_ms - waiting.created_ms > 2 * 3_600_000
        assert [] == await reap(store, queue)
        assert None is await store.claims.claim(DEFAULT_TENANT, record.id, owner="w", lease_s=1)
        await store.runs.request_cancel(DEFAULT_TENANT, record.id)
        assert [record.id] == await reap(store, queue)
        await execute_next(settings(redis_url), record.queue)
    report = await report_of(store, record)
    assert report.status is RunStatus.CANCELLED
    assert endpoint.seen == []
