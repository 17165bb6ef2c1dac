from datetime import UTC, datetime

import msgspec

from reteval.contract.endpoints import Endpoint
from reteval.contract.runs import RunRequest, RunStatus
from service.core.backend import Backend, Keeping, parse_policy, to_iso
from service.core.runs import create_run, show
from service.queue import JobQueue
from service.store.records import RunRecord
from service.store.store import Store
from tests.factories import query, run_spec, stored_test_set

NOW = datetime(2026, 11, 30, 12, 0, 0, 123_456, tzinfo=UTC)
NOW_MS = int(NOW.timestamp() * 1_000)


async def record(store: Store, **changes: object) -> RunRecord:
    """Return a running run: started ten seconds ago, a quarter done."""
    fields = {
        "tenant": "default",
        "spec": run_spec(await stored_test_set(store, [query()])),
        "status": RunStatus.RUNNING,
        "queue": "runs",
        "not_before_ms": 0,
        "created_ms": NOW_MS - 20_000,
        "started_ms": NOW_MS - 10_000,
        "finished_ms": None,
        "epoch": 1,
        "attempts": 1,
        "crash_count": 0,
        "total": 100,
        "done": 25,
        "failed": 1,
        "cancel_requested": False,
        "error": None,
        "etag": None,
        "bytes": None,
        "pinned": False,
        "used_ms": 0,
        **changes,
    }
    return msgspec.convert(fields, RunRecord)


def test_moment_is_written_to_the_millisecond() -> None:
    """Times are UTC, three decimals, with Z."""
    assert to_iso(NOW) == "2026-11-30T12:00:00.123Z"


async def test_progress_estimates_the_rest(store: Store) -> None:
    """A quarter in ten seconds leaves thirty; the hint follows, up to five seconds."""
    run = show(await record(store), NOW)
    assert (run.progress.eta_s, run.poll_after_s) == (30.0, 5.0)
    soon = show(await record(store, done=95), NOW)
    assert (soon.progress.eta_s, soon.poll_after_s) == (0.5, 0.5)


async def test_no_estimate_before_there_is_a_pace(store: Store) -> None:
    """A run that is queued, has nothing done or has ended has no estimate."""
    for changes in (
        {"done": 0},
        {"status": RunStatus.QUEUED, "started_ms": None},
        {"status": RunStatus.COMPLETED, "finished_ms": NOW_MS},
    ):
        assert show(await record(store, **changes), NOW).progress.eta_s is None


async def test_run_is_accepted_while_the_queue_is_away(store: Store) -> None:
    """The record is the truth: a lost wake-up does not refuse the run."""
    queue = JobQueue.connect("redis://127.0.0.1:1/0")
    backend = Backend(
        store=store,
        queue=queue,
        policy=parse_policy("loopback", [], []),
        egress="loopback",
        secret_key="",
        code_version="0",
        keeping=Keeping(),
        now=lambda: NOW,
    )
    test_set = await stored_test_set(store, [query()])
    request = RunRequest(test_set=test_set.id, endpoint=Endpoint(url="http://127.0.0.1:9/"))
    run = await create_run(backend, request)
    queue.close()
    assert run.status is RunStatus.QUEUED
    assert await store.jobs.active() == [("runs", "default", run.id)]


async def test_waiting_run_says_until_when(store: Store) -> None:
    """A run that waits for its hour shows it; once the hour has come, or the run ended, not."""
    waiting = await record(store, not_before_ms=NOW_MS + 60_000)
    due = await record(store, not_before_ms=NOW_MS - 1)
    assert (show(waiting, NOW).waits_until or "").endswith("Z")
    assert show(due, NOW).waits_until is None
