"""Rounds over schedules: what is due is decided once, and what came of it is written down."""

import asyncio
from typing import Any

import msgspec
import pytest
import redis
from structlog.testing import capture_logs

from reteval.contract.endpoints import Endpoint
from reteval.contract.quotas import QuotaName
from reteval.contract.saved_endpoints import SavedEndpointRequest
from reteval.contract.schedules import FireOutcome, ScheduleRequest
from service.core.backend import Backend, parse_policy
from service.core.endpoints import replace_endpoint, save_endpoint
from service.core.firing import fire_due
from service.core.limiter import UNLIMITED
from service.core.schedules import (
    delete_schedule,
    pause_schedule,
    replace_schedule,
    start_now,
)
from service.errors import NotFoundError
from service.queue import JobQueue
from service.store import keys
from service.store.schedules import KEPT_DELETED_S
from service.store.sealing import unseal
from service.store.store import Store
from tests.hooks import KEY, end
from tests.scheduled import HOUR_MS, MINUTE_MS, RUN, due_ms, fire, fires, scheduled
from tests.unit.service.core.backends import a_backend


@pytest.fixture
def backend(store: Store, queue: JobQueue) -> Backend:
    """Return the backend of a process with a key to seal with."""
    made = a_backend(store, queue)
    made.secret_key = KEY
    return made


async def test_due_run_starts_once(backend: Backend) -> None:
    """It is started at its time, is listed under its schedule, and not again until the next one."""
    schedule = await scheduled(backend)
    due = await due_ms(backend, schedule)
    assert await fire(backend, due - 1) is None
    run_id = await fire(backend, due)
    assert await fire(backend, due) is None
    run = await backend.store.runs.get(backend.tenant, str(run_id))
    assert run.spec.schedule == schedule.id
    assert await due_ms(backend, schedule) == due + HOUR_MS
    listed, _ = await backend.store.runs.page(
        backend.tenant, before=None, limit=9, schedule=schedule.id
    )
    other, _ = await backend.store.runs.page(backend.tenant, before=None, limit=9, schedule="x")
    assert ([one.id for one in listed], other) == ([run_id], [])
    (row,) = await fires(backend, schedule)
    assert (row.outcome, row.run, row.missed) == (FireOutcome.STARTED, run_id, 0)
    log, _ = await backend.store.audit.page("changes", before=None, limit=1)
    assert (log[0][1]["event"], log[0][1]["target"]) == ("run_created", run_id)


@pytest.mark.parametrize(
    ("missed", "late_ms", "outcome", "passed"),
    [
        ("skip", 300_000, FireOutcome.STARTED, 0),
        ("skip", 300_001, FireOutcome.MISSED, 0),
        ("run_once", 300_001, FireOutcome.STARTED, 0),
        ("skip", 24 * HOUR_MS + 300_001, FireOutcome.MISSED, 24),
        ("skip", 24 * HOUR_MS, FireOutcome.STARTED, 24),
        ("run_once", 2_000 * HOUR_MS + 300_001, FireOutcome.STARTED, 1_000),
    ],
)
async def test_after_a_pause_there_is_no_flood(
    backend: Backend, missed: str, late_ms: int, outcome: FireOutcome, passed: int
) -> None:
    """However many times passed, one decision is made: by the last of them, grace and policy."""
    schedule = await scheduled(backend, missed=missed)
    due = await due_ms(backend, schedule)
    now = due + late_ms
    run_id = await fire(backend, now)
    assert await fire(backend, now) is None
    (row,) = await fires(backend, schedule)
    assert (row.outcome, row.run, row.missed) == (outcome, run_id, passed)
    assert (run_id is not None) is (outcome is FireOutcome.STARTED)
    assert await due_ms(backend, schedule) == now - late_ms % HOUR_MS + HOUR_MS


async def test_run_that_has_not_ended_is_not_overtaken(backend: Backend) -> None:
    """The time passes and says beside which run; where overlapping is allowed, it does not."""
    for overlap, outcome in (("skip", FireOutcome.OVERLAPPED), ("allow", FireOutcome.STARTED)):
        schedule = await scheduled(backend, overlap=overlap)
        due = await due_ms(backend, schedule)
        first = await fire(backend, due)
        second = await fire(backend, due + HOUR_MS)
        row = (await fires(backend, schedule))[-1]
        assert row.outcome is outcome
        assert row.run == (second or first)
        await end(backend.store, str(first))
        await fire(backend, due + 2 * HOUR_MS)
        assert (await fires(backend, schedule))[-1].outcome is FireOutcome.STARTED
        await delete_schedule(backend, schedule.id)


async def test_refused_run_is_written_down(backend: Backend) -> None:
    """The problem's code and words are those that its caller would have been answered."""
    schedule = await scheduled(backend)
    due = await due_ms(backend, schedule)
    backend.limit({QuotaName.QUEUED_RUNS.value: 1}, UNLIMITED)
    run = await start_now(backend, (await scheduled(backend)).id)
    assert await fire(backend, due) is None
    refused = (await fires(backend, schedule))[-1]
    assert (refused.outcome, refused.code) == (FireOutcome.REFUSED, "quota_exceeded")
    assert refused.detail.startswith("The team may have 1 ")
    await end(backend.store, run.id)
    await backend.store.runs.delete(backend.tenant, run.id)
    await backend.store.test_sets.delete(backend.tenant, run.test_set.id)
    await fire(backend, due + HOUR_MS)
    gone = (await fires(backend, schedule))[-1]
    assert (gone.outcome, gone.code) == (FireOutcome.REFUSED, "not_found")
    assert "/test_set" in gone.detail


async def test_header_values_lie_sealed_until_the_run(backend: Backend, redis_url: str) -> None:
    """They survive in the schedule and reach the run, and can be read in neither."""
    model = {"url": "http://127.0.0.1:9/llm", "headers": {"X-Model": "m0del"}, "ids": "texts"}
    model["body"] = {"prompt": "{{query}}"}
    run: dict[str, Any] = RUN | {
        "endpoint": {"url": "http://127.0.0.1:9/search", "headers": {"X-Key": "s3cret"}},
        "adversarial": {"kinds": ["paraphrase.model"], "metric": "mrr", "model": model},
    }
    schedule = await scheduled(backend, run=run)
    assert schedule.run.endpoint.headers == {"X-Key": ""}
    run_id = await fire(backend, await due_ms(backend, schedule))
    sealed = keys.job_part(backend.tenant, str(run_id), "secrets")
    with redis.Redis.from_url(redis_url) as server:
        values = unseal(KEY, bytes(server.get(sealed) or b""))
        everything = b"".join(server.dump(key) or b"" for key in server.scan_iter("t:*"))
    assert sorted(values.values()) == ["m0del", "s3cret"]
    assert b"s3cret" not in everything
    assert b"m0del" not in everything
    backend.secret_key = ""
    await end(backend.store, str(run_id))
    await fire(backend, await due_ms(backend, schedule))
    assert (await fires(backend, schedule))[-1].code == "secrets_unavailable"


async def test_paused_schedule_is_not_due(backend: Backend) -> None:
    """What passes meanwhile is not made up for; by hand it starts all the same."""
    schedule = await scheduled(backend, missed="run_once")
    due = await due_ms(backend, schedule)
    for _ in range(2):
        paused = await pause_schedule(backend, schedule.id, paused=True)
        assert (paused.paused, paused.next_at, paused.version) == (True, None, 2)
    assert await fire(backend, due + HOUR_MS) is None
    run = await start_now(backend, schedule.id)
    resumed = await pause_schedule(backend, schedule.id, paused=False)
    assert (resumed.paused, resumed.last_run) == (False, run.id)
    assert await due_ms(backend, schedule) >= due
    (row,) = await fires(backend, schedule)
    assert (row.by_hand, row.run) == (True, run.id)


async def test_changed_schedule_forgets_its_old_time(backend: Backend) -> None:
    """Only the new expression counts, also for a round that began before the change."""
    schedule = await scheduled(backend)
    due = await due_ms(backend, schedule)
    body = {"name": "x", "cron": "0 0 1 1 *", "run": RUN}
    request = msgspec.convert(body, ScheduleRequest)
    changed = await replace_schedule(backend, schedule.id, request, "*")
    assert changed.name == "x"
    assert await fire(backend, due) is None
    assert await fires(backend, schedule) == []


async def test_deleted_schedule_leaves_its_history(backend: Backend, redis_url: str) -> None:
    """The log is read as before, for a year; its run is still listed; nothing else is left."""
    schedule = await scheduled(backend)
    due = await due_ms(backend, schedule)
    run_id = await fire(backend, due)
    await delete_schedule(backend, schedule.id)
    assert [row.run for row in await fires(backend, schedule)] == [run_id]
    assert await fire(backend, due + HOUR_MS) is None
    with pytest.raises(NotFoundError):
        await start_now(backend, schedule.id)
    with pytest.raises(NotFoundError):
        await delete_schedule(backend, schedule.id)
    with redis.Redis.from_url(redis_url) as server:
        log = keys.fires(backend.tenant, schedule.id)
        assert server.keys(f"{keys.schedule(backend.tenant, schedule.id)}*") == [log.encode()]
        assert KEPT_DELETED_S - 60 < server.ttl(log) <= KEPT_DELETED_S
        assert not server.exists(keys.SCHEDULES_DUE)


async def test_damaged_schedule_holds_up_no_other(backend: Backend, redis_url: str) -> None:
    """It is told to the operator once and due no more; all others start."""
    broken, fine = await scheduled(backend), await scheduled(backend)
    due = await due_ms(backend, fine)
    with redis.Redis.from_url(redis_url) as server:
        server.hset(keys.schedule(backend.tenant, broken.id), "body", "odd")
    with capture_logs() as said:
        assert len(await fire_due(backend, due)) == 1
        assert await fire_due(backend, due) == []
        listed, _ = await backend.store.schedules.page(backend.tenant, before=None, limit=9)
    assert [one.id for one in listed] == [fine.id]
    told = [line["record"] for line in said if line["event"] == "record.corrupt"]
    assert told == [broken.id] * 2  # by the round, and by the list


async def test_unforeseen_failure_holds_up_no_other(backend: Backend, redis_url: str) -> None:
    """What nobody thought of is logged, stays due, and everything else starts."""
    odd, fine = await scheduled(backend), await scheduled(backend)
    due = await due_ms(backend, fine)
    request = await backend.store.schedules.get(backend.tenant, odd.id)
    spoiled = msgspec.structs.replace(request.request, cron="61 * * * *")
    with redis.Redis.from_url(redis_url) as server:
        field = msgspec.json.encode(spoiled)
        server.hset(keys.schedule(backend.tenant, odd.id), "body", field)
    with capture_logs() as said:
        assert len(await fire_due(backend, due)) == 1
    assert [line["schedule"] for line in said if line["log_level"] == "error"] == [odd.id]


async def test_full_store_leaves_what_is_due(backend: Backend, redis_url: str) -> None:
    """Nothing is lost where not even a refusal can be written: it starts when there is room."""
    schedule = await scheduled(backend)
    due = await due_ms(backend, schedule)
    with redis.Redis.from_url(redis_url) as server:
        server.config_set("maxmemory", "1")
        try:
            assert await fire(backend, due) is None
        finally:
            server.config_set("maxmemory", "0")
    assert await fires(backend, schedule) == []
    assert await fire(backend, due + MINUTE_MS) is not None


async def test_of_many_processes_one_starts_the_run(backend: Backend) -> None:
    """All look at the same time at once; the others are late and start nothing."""
    schedule = await scheduled(backend, overlap="allow")
    due = await due_ms(backend, schedule)
    started = await asyncio.gather(*(fire_due(backend, due) for _ in range(5)))
    assert sum(map(len, started)) == 1
    assert len(await fires(backend, schedule)) == 1
    listed, _ = await backend.store.runs.page(backend.tenant, before=None, limit=9)
    assert len(listed) == 1


async def test_address_that_may_not_be_called_any_more(backend: Backend) -> None:
    """Where the operator has closed it since, the run is refused, and the audit log has why."""
    schedule = await scheduled(backend)
    backend.policy = parse_policy("public", (), ())
    assert await fire(backend, await due_ms(backend, schedule)) is None
    (row,) = await fires(backend, schedule)
    assert (row.outcome, row.code) == (FireOutcome.REFUSED, "endpoint_not_allowed")
    log, _ = await backend.store.audit.page("access", before=None, limit=9)
    seen = [(fields["event"], fields["target"]) for _, fields in log]
    assert seen == [("egress_denied", "http://127.0.0.1:9")]


async def test_saved_endpoint_is_taken_as_it_is_then(backend: Backend) -> None:
    """What was changed since the schedule was made goes into the next run, secrets included."""
    endpoint = Endpoint(url="http://127.0.0.1:9/old", headers={"X-Key": "first"})
    saved = await save_endpoint(backend, SavedEndpointRequest(name="prod", endpoint=endpoint))
    schedule = await scheduled(backend, run=RUN | {"endpoint": {"saved": "prod"}})
    changed = Endpoint(url="http://127.0.0.1:9/new", headers={"X-Key": "second"})
    request = SavedEndpointRequest(name="prod", endpoint=changed)
    await replace_endpoint(backend, saved.id, request, "*")
    run_id = await fire(backend, await due_ms(backend, schedule))
    run = await backend.store.runs.get(backend.tenant, str(run_id))
    assert run.spec.request.endpoint.url == "http://127.0.0.1:9/new"
