"""What an operator is told of jobs that have not ended, and what an operator can do to them."""

import msgspec
import pytest
import redis

from reteval.contract.diagnostics import DiagnosticCode
from reteval.contract.results import Results
from reteval.contract.runs import RunStatus
from service.core.inspection import JobView, fail_job, list_jobs, show_job, wake_job
from service.errors import NotFoundError
from service.queue import RUNS, JobQueue
from service.store import keys
from service.store.fencing import LostClaimError
from service.store.intervention import ActiveJob
from service.store.keys import DEFAULT_TENANT
from service.store.store import Store
from tests.factories import query, run_spec, stored_run, stored_test_set


async def new_run(store: Store) -> str:
    """Store a run without waking anybody; return its id."""
    return (await stored_run(store, run_spec(await stored_test_set(store, [query()])))).id


async def only(store: Store, queue: JobQueue) -> JobView:
    """Return the one job there is."""
    (view,) = await list_jobs(store, queue)
    return view


async def test_job_without_worker_or_call_is_told(store: Store, queue: JobQueue) -> None:
    """A run nobody was woken for, and a queue that nobody serves, have their own words."""
    run_id = await new_run(store)
    view = await only(store, queue)
    assert (view.id, view.tenant, view.queue, view.status) == (run_id, "default", RUNS, "queued")
    assert (view.verdict, view.calls) == ("no worker serves the queue", 0)
    assert [(unit.name, unit.state, unit.owner) for unit in view.units] == [("plan", "free", "")]


async def test_missing_call_is_made_once(store: Store, queue: JobQueue, redis_url: str) -> None:
    """With a worker alive the missing call is what a run waits for; waking it mends that."""
    run_id = await new_run(store)
    with redis.Redis.from_url(redis_url) as client:
        client.sadd("rq:workers:runs", "rq:worker:w")
        client.hset("rq:worker:w", mapping={"queues": "runs", "birth": "2026-11-30T00:00:00Z"})
    assert (await only(store, queue)).verdict == "no wake-up call"
    assert await wake_job(store, queue, run_id) == 1
    assert await wake_job(store, queue, run_id) == 0
    view = await only(store, queue)
    assert (view.verdict, view.calls) == ("waits for a worker", 1)


async def test_lease_is_told_by_its_state(store: Store, queue: JobQueue) -> None:
    """A unit is held by somebody for a while, or lapsed since; claims and crashes are counted."""
    run_id = await new_run(store)
    await store.claims.claim(DEFAULT_TENANT, run_id, owner="first", lease_s=-1)
    (unit,) = (await only(store, queue)).units
    assert (unit.state, unit.owner, unit.claims, unit.crashes) == ("lapsed", "first", 1, 0)
    assert unit.lease_left_s < 0
    await store.claims.claim(DEFAULT_TENANT, run_id, owner="second", lease_s=30)
    view = await show_job(store, queue, run_id)
    (unit,) = view.units
    assert (view.verdict, view.status, view.crashes) == ("worked on", "running", 1)
    assert (unit.state, unit.owner, unit.claims, unit.crashes) == ("held", "second", 2, 1)
    assert 0 < unit.lease_left_s <= 30


async def test_run_that_waits_for_its_hour_is_told(store: Store, queue: JobQueue) -> None:
    """A run given back until later is nobody's fault."""
    run_id = await new_run(store)
    claim = await store.claims.claim(DEFAULT_TENANT, run_id, owner="w", lease_s=30)
    assert claim is not None
    await store.claims.release(claim, wait_s=60)
    assert (await only(store, queue)).verdict == "waits for its hour"


async def test_stuck_jobs_are_told(store: Store, queue: JobQueue, redis_url: str) -> None:
    """A run without units, and one whose record is broken, cannot end by themselves."""
    first, second = await new_run(store), await new_run(store)
    with redis.Redis.from_url(redis_url) as client:
        client.delete(keys.job_part(DEFAULT_TENANT, first, "units"))
        client.hset(keys.job(DEFAULT_TENANT, second), "created_ms", "yesterday")
        client.zadd(keys.active(DEFAULT_TENANT, RUNS), {"run_gone": 1})
    verdicts = {view.id: view.verdict for view in await list_jobs(store, queue)}
    assert verdicts == {
        first: "stuck: nothing is left to do",
        second: "stuck: its record cannot be read",
    }


async def test_failed_by_force_is_final_and_says_why(store: Store, queue: JobQueue) -> None:
    """A run ended by an operator has a report with the reason, and its holder writes no more."""
    run_id = await new_run(store)
    claim = await store.claims.claim(DEFAULT_TENANT, run_id, owner="w", lease_s=30)
    assert claim is not None
    assert await fail_job(store, run_id, reason="the endpoint was retired")
    assert await list_jobs(store, queue) == []
    record = await store.runs.get(DEFAULT_TENANT, run_id)
    assert (record.status, record.error) == (RunStatus.FAILED, "ended_by_operator")
    report = msgspec.json.decode(await store.runs.results(DEFAULT_TENANT, run_id), type=Results)
    assert (report.metrics, report.reason) == (None, DiagnosticCode.ENDED_BY_OPERATOR)
    assert "the endpoint was retired" in report.diagnostics[0].message
    with pytest.raises(LostClaimError):
        await store.journal.finish(claim, status=RunStatus.COMPLETED, report=b"{}", error="")
    assert not (await store.claims.renew(claim, lease_s=30)).held
    with pytest.raises(NotFoundError):
        await fail_job(store, run_id, reason="again")


async def test_broken_record_can_be_failed(store: Store, queue: JobQueue, redis_url: str) -> None:
    """A run whose record cannot be read ends, too; it has no report that could say why."""
    run_id = await new_run(store)
    with redis.Redis.from_url(redis_url) as client:
        client.hset(keys.job(DEFAULT_TENANT, run_id), "spec", "{")
        assert await fail_job(store, run_id, reason="broken")
        assert client.hget(keys.job(DEFAULT_TENANT, run_id), "status") == b"failed"
    assert await list_jobs(store, queue) == []


async def test_force_that_comes_too_late_changes_nothing(store: Store, queue: JobQueue) -> None:
    """What has ended stays as it ended."""
    run_id = await new_run(store)
    place = (await store.jobs.active())[0]
    await store.runs.request_cancel(DEFAULT_TENANT, run_id)
    assert not await store.intervention.fail(ActiveJob(*place), run=None, reason="late")
    assert (await store.runs.get(DEFAULT_TENANT, run_id)).status is RunStatus.CANCELLED
    assert await list_jobs(store, queue) == []
