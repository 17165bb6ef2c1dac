"""Quotas as the scripts check them, and the sums that they check."""

import asyncio
from typing import Any

import msgspec
import pytest
import redis

from reteval.contract.quotas import QuotaName
from service.errors import QuotaExceededError
from service.queue import INTERACTIVE, RUNS
from service.store import keys
from service.store.keys import DEFAULT_TENANT, PROBE_PREFIX, new_id
from service.store.quotas import Quotas, Standing
from service.store.records import Rescore, RunRecord, RunSpec
from service.store.store import Store
from tests.factories import draft, query, run_spec, stored_run, stored_test_set
from tests.unit.service.store import kept

ALL: Quotas = {str(name): 0 for name in QuotaName}


async def create(
    store: Store, spec: RunSpec, *, tenant: str = DEFAULT_TENANT, queue: str = RUNS, **quotas: int
) -> RunRecord:
    """Create a run under quotas."""
    record, _ = await store.runs.create(
        tenant, spec, secrets=None, idempotency=None, queue=queue, quotas={**ALL, **quotas}
    )
    return record


async def commit(store: Store, name: str, **quotas: int) -> Any:
    """Commit a test set of one query under quotas."""
    staging = await store.test_sets.stage(DEFAULT_TENANT)
    await staging.write([query()])
    return await store.test_sets.commit(
        DEFAULT_TENANT,
        staging,
        draft([query()], name=name),
        created_at="2026-11-30T00:00:00+00:00",
        quotas={**ALL, **quotas},
    )


async def standing(store: Store) -> Standing:
    """Return how far the default team is."""
    return await store.allowances.standing(DEFAULT_TENANT, ALL)


async def spec_of(store: Store, **planned: int) -> RunSpec:
    """Return the spec of a run with a plan."""
    spec = run_spec(await stored_test_set(store, [query()]))
    return msgspec.structs.replace(spec, planned=msgspec.structs.replace(spec.planned, **planned))


def fresh(spec: RunSpec) -> RunSpec:
    """Return the same run under another id."""
    return msgspec.structs.replace(spec, id=new_id("run"))


async def test_parallel_creates_make_exactly_as_many_as_may_wait(store: Store) -> None:
    """Of 50 at once as many are accepted as the quota has room for."""
    spec = await spec_of(store)
    made = await asyncio.gather(
        *(create(store, fresh(spec), queued_runs=7) for _ in range(50)), return_exceptions=True
    )
    refused = [one for one in made if isinstance(one, QuotaExceededError)]
    assert (len(made) - len(refused), len(refused)) == (7, 43)
    assert (await store.runs.span(DEFAULT_TENANT))[0] == 7


async def test_refusal_names_the_quota(store: Store) -> None:
    """It says which quota, its value, what is used and what was asked, and when to come again."""
    spec = await spec_of(store)
    await create(store, spec)
    with pytest.raises(QuotaExceededError) as caught:
        await create(store, fresh(spec), queued_runs=1)
    assert caught.value.quota is not None
    assert msgspec.to_builtins(caught.value.quota) == {
        "name": "queued_runs",
        "limit": 1,
        "used": 1,
        "asked": 1,
    }
    assert "may have 1 runs that wait; 1 are used, and this needs 1 more" in caught.value.detail
    assert caught.value.retry_after_s == 5


async def test_runs_worked_on_do_not_wait(store: Store) -> None:
    """A run that a worker holds makes room for another one; an ended one takes none at all."""
    spec = await spec_of(store)
    await create(store, spec)
    claim = await store.claims.take(RUNS, owner="w", lease_s=30)
    assert claim is not None
    await create(store, fresh(spec), queued_runs=1)
    used = (await standing(store)).used
    assert (used["concurrent_runs"], used["queued_runs"]) == (1, 1)
    await store.claims.release(claim)
    assert (await standing(store)).used["queued_runs"] == 2
    await store.runs.request_cancel(DEFAULT_TENANT, spec.id)


async def test_repeated_creation_is_not_refused(store: Store) -> None:
    """A creation that is sent again after a lost reply finds what it made, and spends once."""
    spec = await spec_of(store, clean=10)
    for _ in range(2):
        made = await create(store, spec, queued_runs=1, queries_per_day=10)
        assert made.id == spec.id
    assert (await standing(store)).used["queries_per_day"] == 10


async def test_queries_of_a_day_are_those_that_runs_will_send(store: Store) -> None:
    """Clean ones, variants, rounds and calls of a model; nothing where nothing is called."""
    spec = await spec_of(store, clean=3, adversarial=4, repeats=2, model_calls=1)
    await create(store, spec)
    rescored = msgspec.structs.replace(
        fresh(spec), rescore=Rescore(parent=spec.id, relevant_from=1)
    )
    uploaded = msgspec.structs.replace(fresh(spec), uploaded=True)
    for one in (rescored, uploaded):
        await create(store, one, queue=INTERACTIVE)
    assert (await standing(store)).used["queries_per_day"] == 10
    with pytest.raises(QuotaExceededError) as caught:
        await create(store, fresh(spec), queries_per_day=19)
    assert 0 < (caught.value.retry_after_s or 0) <= 86_400
    await create(store, fresh(spec), queries_per_day=20)


async def test_a_new_day_begins_with_nothing_spent(store: Store, redis_url: str) -> None:
    """What was spent yesterday counts no more."""
    spec = await spec_of(store, clean=10)
    await create(store, spec)
    with redis.Redis.from_url(redis_url) as client:
        client.hincrby("t:default:spent", "day", -1)
    assert (await standing(store)).used["queries_per_day"] == 0
    await create(store, fresh(spec), queries_per_day=10)
    assert (await standing(store)).used["queries_per_day"] == 10


async def test_probes_spend_the_day_too(store: Store) -> None:
    """A probe's queries are sent to an endpoint as a run's are."""
    await kept.keep_probe(store)
    spec = (await store.probes.get(DEFAULT_TENANT, await kept.keep_probe(store))).spec
    again = msgspec.structs.replace(spec, id=new_id(PROBE_PREFIX.removesuffix("_")))
    quotas = {**ALL, "queries_per_day": 5}
    await store.probes.create(DEFAULT_TENANT, again, queue=INTERACTIVE, queries=5, quotas=quotas)
    third = msgspec.structs.replace(spec, id=new_id(PROBE_PREFIX.removesuffix("_")))
    with pytest.raises(QuotaExceededError):
        await store.probes.create(
            DEFAULT_TENANT, third, queue=INTERACTIVE, queries=1, quotas=quotas
        )
    assert (await standing(store)).used["queries_per_day"] == 5


async def test_parallel_uploads_make_exactly_as_many_sets_as_may_be(
    store: Store, redis_url: str
) -> None:
    """The quota holds in a rush, and nothing of what is refused stays."""
    made = await asyncio.gather(
        *(commit(store, f"set {n}", test_sets=3) for n in range(20)), return_exceptions=True
    )
    assert sum(isinstance(one, QuotaExceededError) for one in made) == 17
    assert (await standing(store)).used["test_sets"] == 3
    with redis.Redis.from_url(redis_url) as client:
        assert list(client.scan_iter("*staging*")) == []


async def test_content_that_is_there_takes_no_room(store: Store) -> None:
    """A set uploaded again is answered, however full the quota is."""
    first, _ = await commit(store, "same", test_sets=1)
    again, created = await commit(store, "same", test_sets=1)
    assert (again.id, created) == (first.id, False)


async def test_stored_bytes_count_what_runs_may_come_to_keep(store: Store) -> None:
    """What is stored, the most that runs under way may keep, and what is asked for."""
    spec = await spec_of(store, bytes=1_000)
    stored = (await standing(store)).used["stored_bytes"]
    await create(store, spec)
    assert (await standing(store)).used["stored_bytes"] == stored + 1_000
    with pytest.raises(QuotaExceededError) as caught:
        await create(store, fresh(spec), stored_bytes=stored + 1_999)
    assert caught.value.retry_after_s is None
    with pytest.raises(QuotaExceededError):
        await commit(store, "another", stored_bytes=stored + 1_001)
    await create(store, fresh(spec), stored_bytes=stored + 2_000)
    await store.runs.request_cancel(DEFAULT_TENANT, spec.id)
    cancelled = (await store.runs.get(DEFAULT_TENANT, spec.id)).bytes or 0
    assert (await standing(store)).used["stored_bytes"] == stored + cancelled + 1_000


async def test_sum_of_bytes_is_kept_beside_them(store: Store, redis_url: str) -> None:
    """It is what the objects add up to, whatever is stored, stored again or deleted."""
    with redis.Redis.from_url(redis_url) as client:

        async def checked() -> int:
            objects: Any = client.hvals(keys.sizes(DEFAULT_TENANT))
            counted = (await standing(store)).used["stored_bytes"]
            assert counted == sum(map(int, objects))
            return counted

        assert await checked() == 0
        run_id = await kept.keep_run(store)
        first = await checked()
        comparison = await kept.keep_comparison(store)
        assert await checked() > first > 0
        await store.comparisons.delete(DEFAULT_TENANT, comparison)
        assert await checked() == first
        test_set = (await store.runs.get(DEFAULT_TENANT, run_id)).spec.test_set.id
        await store.runs.delete(DEFAULT_TENANT, run_id)
        await store.test_sets.delete(DEFAULT_TENANT, test_set)
        await checked()


async def test_a_team_works_on_no_more_runs_than_it_may(store: Store) -> None:
    """The others wait, another team's do not, and each goes on as one ends."""
    spec = await spec_of(store)
    for one in (spec, fresh(spec), fresh(spec)):
        await create(store, one, concurrent_runs=2)
    first, second, third = [
        await store.claims.take(RUNS, owner=f"w{n}", lease_s=30) for n in range(3)
    ]
    assert first is not None
    assert second is not None
    assert third is None
    waiting = (
        {run.id for run in (await store.runs.page(DEFAULT_TENANT, before=None, limit=9))[0]}
        - {first.job_id, second.job_id}
    ).pop()
    assert await store.claims.claim(DEFAULT_TENANT, waiting, owner="w", lease_s=30) is None
    await store.claims.release(first, wait_s=600)
    claim = await store.claims.take(RUNS, owner="w3", lease_s=30)
    assert claim is not None
    assert claim.job_id == waiting


async def test_runs_held_back_are_not_taken_for_a_lack_of_workers(store: Store) -> None:
    """What waits for other runs of its team is counted as waiting, and has no age."""
    spec = await spec_of(store)
    await create(store, spec, concurrent_runs=1)
    await create(store, fresh(spec), concurrent_runs=1)
    assert await store.claims.take(RUNS, owner="w", lease_s=30) is not None
    backlog = await store.load.backlog()
    load = backlog.load(RUNS)
    assert (load.claimable, load.held, load.waiting) == (0, 1, 1)
    assert backlog.age_s(RUNS) == 0


async def test_a_run_that_waits_can_be_cancelled(store: Store) -> None:
    """One that was begun and has to wait is still ended when it is asked to."""
    spec = await spec_of(store)
    other = fresh(spec)
    await create(store, spec, concurrent_runs=1)
    begun = await store.claims.take(RUNS, owner="w", lease_s=30)
    assert begun is not None
    await store.claims.release(begun)
    await create(store, other, concurrent_runs=1)
    assert await store.claims.claim(DEFAULT_TENANT, other.id, owner="w", lease_s=30) is not None
    assert await store.claims.claim(DEFAULT_TENANT, spec.id, owner="v", lease_s=30) is None
    await store.runs.request_cancel(DEFAULT_TENANT, spec.id)
    assert await store.claims.claim(DEFAULT_TENANT, spec.id, owner="v", lease_s=30) is not None


async def test_without_quotas_nothing_is_counted(store: Store, redis_url: str) -> None:
    """Where no quota is in force there is neither refusal nor a sum of a day."""
    await stored_run(store, await spec_of(store))
    with redis.Redis.from_url(redis_url) as client:
        assert not client.exists("t:default:spent")


async def test_a_teams_own_limits_go_before_the_deployments(store: Store) -> None:
    """Larger or smaller, for quotas that are in force; those left out are the deployment's."""
    spec = await spec_of(store)
    await store.allowances.put_own(DEFAULT_TENANT, {"queued_runs": 2})
    await create(store, spec, queued_runs=1)
    await create(store, fresh(spec), queued_runs=1)
    with pytest.raises(QuotaExceededError):
        await create(store, fresh(spec), queued_runs=99)
    assert await store.allowances.own(DEFAULT_TENANT) == {"queued_runs": 2}
    found = await standing(store)
    assert (found.limits["queued_runs"], found.limits["test_sets"]) == (2, 0)
    await stored_run(store, fresh(spec))  # no quota is in force
    await store.allowances.put_own(DEFAULT_TENANT, {})
    assert await store.allowances.own(DEFAULT_TENANT) == {}


async def test_large_numbers_are_exact(store: Store) -> None:
    """A limit of many digits is told as it was set."""
    limit = 2**53 - 1
    found = await store.allowances.standing(DEFAULT_TENANT, {"stored_bytes": limit})
    assert found.limits == {"stored_bytes": limit}
