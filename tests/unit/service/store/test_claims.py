"""Units and their leases: who gets what, in which order, and who may still write."""

import asyncio

import pytest
import redis
from msgspec import structs

from reteval.contract.outcomes import Outcome, OutcomeStatus, PlannedRequest
from reteval.contract.runs import Estimate, Limits, RunStatus
from service.queue import RUNS
from service.store import keys
from service.store.fencing import LostClaimError
from service.store.keys import DEFAULT_TENANT
from service.store.plans import PlanSize
from service.store.records import END, PLAN, SCHEMA, Claim, RunRecord
from service.store.store import Store
from tests.factories import draft, query, run_spec, stored_test_set

OK = Outcome(status=OutcomeStatus.OK, ids=["a"], returned=1, latency_ms=1.0, http_status=200)
REQUESTS = [PlannedRequest(query_id="q", text=str(number)) for number in range(5)]


async def new_run(
    store: Store, *, limits: Limits | None = None, calls: int = 1, tenant: str = DEFAULT_TENANT
) -> RunRecord:
    """Store a run that plans some calls."""
    if tenant == DEFAULT_TENANT:
        test_set = await stored_test_set(store, [query()])
    else:
        staging = await store.test_sets.stage(tenant)
        await staging.write([query()])
        test_set, _ = await store.test_sets.commit(
            tenant, staging, draft([query()]), created_at="2026-11-30T00:00:00+00:00"
        )
    spec = run_spec(test_set)
    spec = structs.replace(
        spec,
        request=structs.replace(spec.request, limits=limits or Limits()),
        planned=Estimate(clean=calls, adversarial=0),
    )
    record, _ = await store.runs.create(tenant, spec, secrets=None, idempotency=None, queue=RUNS)
    return record


async def take(store: Store, owner: str, *, lease_s: float = 30) -> Claim | None:
    """Take what is due."""
    return await store.claims.take(RUNS, owner=owner, lease_s=lease_s)


async def taken(store: Store, owner: str, *, lease_s: float = 30) -> Claim:
    """Take what is due, which must be something."""
    claim = await take(store, owner, lease_s=lease_s)
    assert claim is not None
    return claim


async def planned(store: Store, record: RunRecord, *, shard: int = 2) -> PlanSize:
    """Put the shards of a run of five requests."""
    claim = await store.claims.claim(record.tenant, record.id, owner="planner", lease_s=30)
    assert claim is not None
    assert claim.unit == PLAN
    size = await store.plans.put(claim, REQUESTS, clean=5, shard=shard)
    await store.plans.commit(claim, size.units())
    return size


async def carry_out(store: Store, claim: Claim, size: PlanSize) -> bool:
    """Write all outcomes of a shard and commit it."""
    places = size.places(claim.unit)
    await store.shards.write(claim, claim.unit, [(place, OK) for place in places])
    return await store.shards.commit(claim, places)


async def test_shards_are_worked_on_at_once_and_the_last_puts_the_end(store: Store) -> None:
    """Each worker gets a shard of its own; the end is there once, when all are done."""
    record = await new_run(store)
    size = await planned(store, record)
    claims = [await taken(store, owner) for owner in "abc"]
    assert [claim.unit for claim in claims] == size.units()
    assert await take(store, "d") is None
    assert [await carry_out(store, claim, size) for claim in claims] == [False, False, True]
    assert (await store.runs.get(DEFAULT_TENANT, record.id)).status is RunStatus.FINALISING
    assert (await taken(store, "e")).unit == END
    assert await take(store, "f") is None
    stored = [
        await store.shards.partial(DEFAULT_TENANT, record.id, unit, size.places(unit))
        for unit in size.units()
    ]
    assert stored == [[OK, OK], [OK, OK], [OK]]


async def test_run_caps_its_workers(store: Store) -> None:
    """No more units of a run are under way than it allows."""
    record = await new_run(store, limits=Limits(workers=2))
    await planned(store, record)
    assert [await take(store, owner) is not None for owner in "abc"] == [True, True, False]


async def test_tenants_share_the_workers(store: Store) -> None:
    """A tenant with one small run does not wait for another one's large run."""
    large = await new_run(store, calls=100_000)
    await planned(store, large)
    await taken(store, "a")
    other = await new_run(store, tenant="other", calls=100_000)
    assert (await taken(store, "b")).job_id == other.id
    # Both hold one now: it is the turn of the one that was served longer ago.
    assert (await taken(store, "c")).job_id == large.id


async def test_turns_alternate_where_nobody_holds_anything(store: Store) -> None:
    """One worker serves two tenants in turn, although one was there first."""
    first = await new_run(store, calls=100_000)
    other = await new_run(store, tenant="other", calls=100_000)
    served = []
    for owner in "abcd":
        claim = await taken(store, owner)
        served.append(claim.job_id)
        await store.claims.release(claim)
    assert served == [first.id, other.id, first.id, other.id]


async def test_small_runs_go_before_large_ones(store: Store) -> None:
    """Within a tenant a run of one shard is taken first, then the oldest."""
    large = await new_run(store, calls=100_000)
    small = await new_run(store)
    assert [(await taken(store, owner)).job_id for owner in "ab"] == [small.id, large.id]


async def test_runs_of_a_newer_release_are_left_alone(store: Store, redis_url: str) -> None:
    """A record that a newer release wrote is neither picked nor granted, and stays queued."""
    record = await new_run(store)
    with redis.Redis.from_url(redis_url) as client:
        client.hset(keys.job(DEFAULT_TENANT, record.id), "schema", SCHEMA + 1)
    assert await take(store, "a") is None
    assert await store.claims.claim(DEFAULT_TENANT, record.id, owner="a", lease_s=30) is None
    assert (await store.runs.get(DEFAULT_TENANT, record.id)).status is RunStatus.QUEUED


async def test_cancelled_run_drops_what_nobody_holds(store: Store) -> None:
    """Shards that wait are not sent; the end comes when the last holder has let go."""
    record = await new_run(store)
    await planned(store, record)
    held = await taken(store, "a")
    await store.runs.request_cancel(DEFAULT_TENANT, record.id)
    assert await take(store, "b") is None
    assert (await store.claims.renew(held, lease_s=30)).cancel
    await store.claims.release(held)
    assert (await taken(store, "c")).unit == END


async def test_done_shard_takes_no_late_write(store: Store) -> None:
    """What arrives after a shard was committed is refused; a repeated commit changes nothing."""
    record = await new_run(store)
    size = await planned(store, record)
    claim = await taken(store, "a")
    await carry_out(store, claim, size)
    with pytest.raises(LostClaimError):
        await store.shards.write(claim, claim.unit, [(0, OK)])
    assert not await store.shards.commit(claim, size.places(claim.unit))
    assert len(await store.jobs.units(DEFAULT_TENANT, record.id)) == 2


async def test_crashes_are_counted_by_unit(store: Store) -> None:
    """Deaths on different shards poison none of them."""
    record = await new_run(store)
    size = await planned(store, record, shard=1)
    for number, _ in enumerate(size.units()):
        await taken(store, f"w{number}", lease_s=0.001)
    await asyncio.sleep(0.01)
    again = [await taken(store, f"again{number}") for number, _ in enumerate(size.units())]
    assert not any(claim.poisoned for claim in again)
    state = await store.runs.get(DEFAULT_TENANT, record.id)
    assert (state.crash_count, state.attempts) == (5, 2)


async def test_next_holder_learns_how_far_sending_got(store: Store) -> None:
    """What may have been sent before is known to whoever takes over."""
    record = await new_run(store)
    await planned(store, record, shard=5)
    first = await taken(store, "a", lease_s=0.001)
    assert first.sent == 0
    await store.shards.reach(first, 2)
    await asyncio.sleep(0.01)
    assert (await taken(store, "b")).sent == 2


async def test_halted_job_has_one_holder(store: Store) -> None:
    """Who ends a job alone takes it from all others."""
    record = await new_run(store)
    await planned(store, record)
    one, other = await taken(store, "a"), await taken(store, "b")
    await store.journal.halt(one)
    assert not (await store.claims.renew(other, lease_s=30)).held
    assert await take(store, "c") is None
    with pytest.raises(LostClaimError):
        await store.journal.halt(other)
    await store.journal.finish(one, status=RunStatus.FAILED, report=b"{}", error="x")


async def test_stale_plan_is_not_committed(store: Store) -> None:
    """A planner that was taken over cannot put shards."""
    record = await new_run(store)
    old = await taken(store, "a", lease_s=0.001)
    await asyncio.sleep(0.01)
    await taken(store, "b")
    with pytest.raises(LostClaimError):
        await store.plans.commit(old, ["000000"])
    assert [unit.name for unit in await store.jobs.units(DEFAULT_TENANT, record.id)] == [PLAN]


async def test_stale_worker_writes_no_outcome(store: Store) -> None:
    """A worker that was taken over cannot write an outcome, not even the first of a request."""
    record = await new_run(store)
    size = await planned(store, record, shard=5)
    old = await taken(store, "a", lease_s=0.001)
    await asyncio.sleep(0.01)
    new = await taken(store, "b")
    with pytest.raises(LostClaimError):
        await store.shards.write(old, old.unit, [(place, OK) for place in size.places(old.unit)])
    assert await store.shards.done(new, new.unit) == set()
    assert (await store.runs.get(DEFAULT_TENANT, record.id)).done == 0


async def test_stale_shard_is_not_committed(store: Store) -> None:
    """A worker that was taken over cannot commit its shard."""
    record = await new_run(store)
    size = await planned(store, record, shard=5)
    old = await taken(store, "a", lease_s=0.001)
    await store.shards.write(old, old.unit, [(place, OK) for place in size.places(old.unit)])
    await asyncio.sleep(0.01)
    await taken(store, "b")
    with pytest.raises(LostClaimError):
        await store.shards.commit(old, size.places(old.unit))


async def test_others_that_wait_are_seen(store: Store) -> None:
    """A holder learns that other jobs of its queue have not ended."""
    record = await new_run(store)
    claim = await taken(store, "a")
    assert not (await store.claims.renew(claim, lease_s=30)).others
    await new_run(store, tenant="other")
    assert (await store.claims.renew(claim, lease_s=30)).others
    assert claim.job_id == record.id
