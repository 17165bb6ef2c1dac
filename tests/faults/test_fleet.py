"""Many runs and few workers, F9 to F14: whatever dies, each run ends once, and honestly."""

import asyncio
import random
import signal

import redis

from reteval.contract.outcomes import FailureCode
from reteval.contract.runs import RunStatus
from service.queue import JobQueue
from service.reaper import reap
from service.store import keys
from service.store.claims import MAX_CRASHES
from service.store.keys import DEFAULT_TENANT
from service.store.records import SCHEMA
from service.store.store import Store
from tests.factories import query, run_spec, stored_run, stored_test_set
from tests.faults.audit import audit_run, count_repeats, numbers_of
from tests.faults.cluster import Cluster
from tests.faults.runs import CONCURRENCY, HALF, SIZE, set_stage


def test_f9_bomb_is_given_up(cluster: Cluster) -> None:
    """F9: a run whose worker dies each time ends as failed, says so, and stands in nobody's way."""
    with set_stage(cluster) as stage:
        worker = cluster.start_worker()
        run = stage.start_run()
        stage.await_half(run)
        for crash in range(MAX_CRASHES):
            stage.wait_for(lambda held=crash * CONCURRENCY: stage.brake.held > held)
            worker.send_horses(signal.SIGKILL)
        ended = stage.client.wait(run.id, timeout_s=60)
        report = audit_run(stage.client, run.id, stage.endpoint)
        assert (ended.status, ended.error) == (RunStatus.FAILED, FailureCode.WORKER_CRASHED)
        assert report.metrics is None
        (crash,) = [found for found in report.diagnostics if found.code == "worker_crashed"]
        assert crash.evidence
        assert (report.counts.ok + report.counts.ok_empty, report.counts.skipped) == (HALF, HALF)
        assert stage.finish(stage.start_run()).status is RunStatus.COMPLETED


def test_f10_run_without_workers_waits(cluster: Cluster) -> None:
    """F10: without a worker a run stays queued, however often it is looked after."""
    with set_stage(cluster, after=SIZE) as stage:
        run = stage.start_run()
        waiting = stage.client.get(run.id, wait=2)
        assert (waiting.status, waiting.attempts) == (RunStatus.QUEUED, 0)
        cluster.start_worker()
        assert stage.finish(run).status is RunStatus.COMPLETED
        assert count_repeats(run.id, stage.endpoint) == 0


def test_f11_no_run_is_lost(cluster: Cluster) -> None:
    """F11: three of four workers are killed while they work through a hundred runs."""
    dice = random.Random(11)  # noqa: S311 - chooses a victim
    with set_stage(cluster, after=10**6, size=8) as stage:
        workers = [cluster.start_worker() for _ in range(4)]
        runs = [stage.start_run() for _ in range(100)]

        def ended() -> int:
            return len(list(stage.client.runs(status="completed", limit=100)))

        before = ended()
        for share in (10, 30, 50):
            stage.wait_for(lambda share=share: ended() >= before + share)
            workers.pop(dice.randrange(len(workers))).kill()
        reports = [stage.finish(run) for run in runs]
    assert {report.status for report in reports} == {RunStatus.COMPLETED}
    assert all(numbers_of(report) == numbers_of(reports[0]) for report in reports)


async def test_f13_reapers_at_once_wake_once(store: Store, redis_url: str) -> None:
    """F13: eight reapers find the same run at the same moment; one wake-up call is queued."""
    record = await stored_run(store, run_spec(await stored_test_set(store, [query()])))
    queues = [JobQueue.connect(redis_url) for _ in range(8)]
    stores = [Store.connect(redis_url) for _ in queues]
    rounds = await asyncio.gather(*map(reap, stores, queues))
    depth = await queues[0].depth()
    for opened, own in zip(stores, queues, strict=True):
        own.close()
        await opened.close()
    assert [record.id] in rounds
    assert depth["runs"] == 1


def test_f14_newer_run_is_left_to_newer_workers(cluster: Cluster) -> None:
    """F14: a worker leaves what a newer release made alone, without blame, and does the rest."""
    with set_stage(cluster, after=10**6) as stage, redis.Redis.from_url(cluster.store.url) as store:
        newer, known = stage.start_run(), stage.start_run()
        record = keys.job(DEFAULT_TENANT, newer.id)
        store.hset(record, "schema", SCHEMA + 1)
        cluster.start_worker()
        assert stage.finish(known).status is RunStatus.COMPLETED
        left = stage.client.get(newer.id, wait=2)
        assert (left.status, left.attempts) == (RunStatus.QUEUED, 0)
        store.hset(record, "schema", SCHEMA)
        assert stage.finish(newer).status is RunStatus.COMPLETED
