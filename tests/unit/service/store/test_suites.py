"""Suites in the store: runs that are made together or not at all."""

import asyncio

import pytest
import redis

from reteval.contract.runs import RunStatus
from reteval.contract.suites import Suite, SuiteMember
from reteval.contract.testsets import TestSet
from service.errors import IdempotencyConflictError, NotFoundError, QuotaExceededError
from service.queue import RUNS
from service.store import keys
from service.store.keys import DEFAULT_TENANT
from service.store.records import Idempotency, RunSpec
from service.store.store import Store
from service.store.suites import JoinedRun, SuiteRunDraft, SuiteRunRecord
from tests.factories import query, run_spec, stored_run, stored_test_set


async def stored_suite(store: Store, n: int = 2) -> tuple[Suite, list[TestSet]]:
    """Store a suite of so many sets."""
    sets = [await stored_test_set(store, [query()], name=f"set-{place}") for place in range(n)]
    members = [SuiteMember(test_set=each.id, weight=1.0) for each in sets]
    return await store.suites.create(DEFAULT_TENANT, "suite", members), sets


def draft_of(suite: Suite, specs: list[RunSpec]) -> SuiteRunDraft:
    """Join runs that are to be made."""
    return SuiteRunDraft(
        id=keys.new_id("srn"),
        suite=suite.id,
        name=suite.name,
        label="",
        meta={},
        runs=tuple(JoinedRun(run=s.id, test_set=s.test_set, weight=1.0) for s in specs),
    )


async def start(
    store: Store,
    suite: Suite,
    specs: list[RunSpec],
    *,
    idempotency: Idempotency | None = None,
    **quotas: int,
) -> SuiteRunRecord:
    """Make the runs of a suite."""
    return await store.suites.start(
        DEFAULT_TENANT,
        draft_of(suite, specs),
        specs,
        secrets=b"sealed",
        queue=RUNS,
        idempotency=idempotency,
        quotas=quotas,
    )


async def count_runs(store: Store) -> int:
    """Count all runs."""
    return (await store.runs.span(DEFAULT_TENANT))[0]


async def test_runs_made_together_are_as_those_made_alone(store: Store, redis_url: str) -> None:
    """Field by field, their records and where they are listed are those of a single run."""
    suite, sets = await stored_suite(store)
    specs = [run_spec(each) for each in sets]
    await start(store, suite, specs)
    alone = await stored_run(store, run_spec(sets[0]))
    with redis.Redis.from_url(redis_url, decode_responses=True) as client:
        one, other = [
            client.hgetall(keys.job(DEFAULT_TENANT, each)) for each in (specs[0].id, alone.id)
        ]
        for fields in (one, other):
            del fields["spec"], fields["created_ms"]
        assert one == other
        for index in (
            keys.runs(DEFAULT_TENANT),
            keys.active(DEFAULT_TENANT, RUNS),
            keys.test_set_runs(DEFAULT_TENANT, sets[0].id),
        ):
            assert {specs[0].id, alone.id} <= {*client.zrange(index, 0, -1)}
        units = [keys.job_part(DEFAULT_TENANT, each, "units") for each in (specs[1].id, alone.id)]
        assert client.zrange(units[0], 0, -1) == client.zrange(units[1], 0, -1) == ["plan"]
    claim = await store.claims.claim(DEFAULT_TENANT, specs[1].id, owner="w", lease_s=30)
    assert claim is not None
    assert await store.claims.secrets(claim) == b"sealed"


async def test_a_step_that_is_sent_twice_makes_nothing_twice(store: Store) -> None:
    """As after a lost answer: the same runs, and the same spent."""
    suite, sets = await stored_suite(store)
    specs = [run_spec(each) for each in sets]
    draft = draft_of(suite, specs)
    made = [
        await store.suites.start(DEFAULT_TENANT, draft, specs, secrets=None, queue=RUNS)
        for _ in range(2)
    ]
    assert made[0] == made[1]
    assert await count_runs(store) == 2


async def test_nothing_is_made_for_a_suite_that_cannot_be_run_whole(store: Store) -> None:
    """A set that went meanwhile, a suite that went, a quota: no run is left behind."""
    suite, sets = await stored_suite(store)
    with pytest.raises(QuotaExceededError):
        await start(store, suite, [run_spec(each) for each in sets], queued_runs=1)
    await store.test_sets.delete(DEFAULT_TENANT, sets[1].id)
    with pytest.raises(NotFoundError, match="test set"):
        await start(store, suite, [run_spec(each) for each in sets])
    await store.suites.delete(DEFAULT_TENANT, suite.id)
    with pytest.raises(NotFoundError, match="suite"):
        await start(store, suite, [run_spec(sets[0])])
    assert await count_runs(store) == 0


async def test_a_key_that_was_taken_over_makes_nothing(store: Store) -> None:
    """Whoever comes later is told so, for suites and for their runs."""
    suite, sets = await stored_suite(store, 1)
    late = Idempotency(entry=keys.idempotency(DEFAULT_TENANT, "k"), token=keys.new_id("late"))
    with pytest.raises(IdempotencyConflictError):
        await start(store, suite, [run_spec(sets[0])], idempotency=late)
    with pytest.raises(IdempotencyConflictError):
        await store.suites.create(DEFAULT_TENANT, "other", suite.members, idempotency=late)
    assert await count_runs(store) == 0
    assert (await store.suites.page(DEFAULT_TENANT, before=None, limit=9))[0] == [suite]


async def test_suites_at_once_fill_a_quota_whole(store: Store) -> None:
    """Of many suites of two runs at once, as many start as there is room for, and none by half."""
    suite, sets = await stored_suite(store)

    async def attempt() -> bool:
        try:
            await start(store, suite, [run_spec(each) for each in sets], queued_runs=7)
        except QuotaExceededError:
            return False
        return True

    assert sum(await asyncio.gather(*(attempt() for _ in range(20)))) == 3
    assert await count_runs(store) == 6


async def test_what_is_kept_of_suites_is_counted_until_it_goes(store: Store) -> None:
    """The suite and what joins its runs are weighed; deleting the suite gives both back."""
    suite, sets = await stored_suite(store)
    before = await store.sizes.by_kind(DEFAULT_TENANT)
    assert before["su"].count == 1
    record = await start(store, suite, [run_spec(each) for each in sets])
    found = await store.sizes.by_kind(DEFAULT_TENANT)
    assert (found["srn"].count, found["srn"].bytes > 0) == (1, True)
    await store.suites.delete(DEFAULT_TENANT, "suite")
    found = await store.sizes.by_kind(DEFAULT_TENANT)
    assert not {"su", "srn"} & found.keys()
    with pytest.raises(NotFoundError):
        await store.suites.get_run(DEFAULT_TENANT, record.id)
    run = await store.runs.get(DEFAULT_TENANT, record.runs[0].run)
    assert run.status is RunStatus.QUEUED


async def test_suites_of_others_are_missing(store: Store) -> None:
    """By id and by name, and so are their runs."""
    suite, sets = await stored_suite(store)
    record = await start(store, suite, [run_spec(each) for each in sets])
    for ref in (suite.id, suite.name):
        with pytest.raises(NotFoundError):
            await store.suites.get("another", ref)
    with pytest.raises(NotFoundError):
        await store.suites.get_run("another", record.id)
