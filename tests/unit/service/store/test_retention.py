"""What is too old is deleted, and nothing else. Old objects are made by setting their times."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
import redis

from service.errors import NotFoundError
from service.store import keys, retention
from service.store.keys import DEFAULT_TENANT
from service.store.store import Store
from tests.factories import query, run_spec, stored_run, stored_test_set
from tests.unit.service.store import kept

DAY_MS = 86_400_000


@pytest.fixture
def client(redis_url: str) -> Iterator[Any]:
    """Open a connection past the store."""
    with redis.Redis.from_url(redis_url) as opened:
        yield opened


def age(client: Any, object_id: str, *, days: float) -> None:
    """Make an object that many days older."""
    at_ms = round(time.time() * 1_000 - days * DAY_MS)
    key = keys.job(DEFAULT_TENANT, object_id)
    if client.hexists(key, "finished_ms"):
        client.hset(key, "finished_ms", at_ms)
    by_kind = {"run": keys.runs(DEFAULT_TENANT), "cmp": keys.comparison_times(DEFAULT_TENANT)}
    client.zadd(by_kind[object_id.partition("_")[0]], {object_id: at_ms * 1_000})


async def sweep(store: Store, *, days: int = 30) -> list[str]:
    """Run a round and return what it deleted."""
    return [gone.id for gone in await store.retention.sweep(days=days)]


async def test_old_runs_and_comparisons_go(store: Store, client: Any) -> None:
    """What ended before the bound goes with all its parts; what ended after it stays."""
    old, young = await kept.keep_run(store), await kept.keep_run(store)
    pair, fresh = await kept.keep_comparison(store), await kept.keep_comparison(store)
    size = (await store.runs.get(DEFAULT_TENANT, old)).bytes
    for object_id in (old, pair):
        age(client, object_id, days=31)
    for object_id in (young, fresh):
        age(client, object_id, days=29)
    gone = await store.retention.sweep(days=30)
    assert [(one.tenant, one.id) for one in gone] == [(DEFAULT_TENANT, old), (DEFAULT_TENANT, pair)]
    assert gone[0].bytes == size
    assert not list(client.scan_iter(f"*{old}*"))
    assert not list(client.scan_iter(f"*{pair}*"))
    await store.runs.get(DEFAULT_TENANT, young)
    await store.comparisons.get(DEFAULT_TENANT, fresh)
    with pytest.raises(NotFoundError):
        await store.runs.get(DEFAULT_TENANT, old)


async def test_without_a_bound_everything_stays(store: Store, client: Any) -> None:
    """0 days, the default, deletes nothing however old."""
    age(client, await kept.keep_run(store), days=3_000)
    assert await sweep(store, days=0) == []


async def test_pinned_runs_and_their_comparisons_stay(store: Store, client: Any) -> None:
    """A pin keeps a run, and a comparison of two pinned ones; without it they go."""
    runs = [await kept.keep_run(store) for _ in range(3)]
    for run_id in runs[:2]:
        assert (await store.runs.pin(DEFAULT_TENANT, run_id, pinned=True)).pinned
    both = await kept.keep_comparison(store, baseline=runs[0], candidate=runs[1])
    half = await kept.keep_comparison(store, baseline=runs[0], candidate=runs[2])
    for object_id in (*runs, both, half):
        age(client, object_id, days=31)
    assert await sweep(store) == [runs[2], half]
    assert not (await store.runs.pin(DEFAULT_TENANT, runs[0], pinned=False)).pinned
    assert await sweep(store) == [runs[0], both]


async def test_use_makes_a_run_young_again(store: Store, client: Any) -> None:
    """A run that is rescored or compared is kept as if it had ended then."""
    run_id = await kept.keep_run(store)
    age(client, run_id, days=31)
    await store.runs.use(DEFAULT_TENANT, run_id)
    assert await sweep(store) == []


async def test_use_of_a_missing_run_makes_none(store: Store, client: Any) -> None:
    """Marking what was deleted meanwhile leaves no half record behind."""
    await store.runs.use(DEFAULT_TENANT, "run_gone")
    with pytest.raises(NotFoundError):
        await store.runs.pin(DEFAULT_TENANT, "run_gone", pinned=True)
    assert not list(client.scan_iter("*run_gone*"))


async def test_runs_under_way_stay_however_old(store: Store, client: Any) -> None:
    """A run that nobody worked on for weeks has not ended, so it does not expire."""
    spec = run_spec(await stored_test_set(store, [query()]))
    await stored_run(store, spec)
    age(client, spec.id, days=400)
    assert await sweep(store) == []
    await store.runs.get(DEFAULT_TENANT, spec.id)


async def test_rounds_are_small_and_reach_everything(store: Store, client: Any) -> None:
    """A round looks at a bounded number; pinned ones at the front do not stop the walk."""
    ids = []
    for _ in range(retention.BATCH + 5):
        spec = run_spec(await stored_test_set(store, [query()]))
        await stored_run(store, spec)
        await store.runs.request_cancel(DEFAULT_TENANT, spec.id)
        ids.append(spec.id)
    for place, run_id in enumerate(ids):
        age(client, run_id, days=100 - place)
        if place < retention.BATCH:
            await store.runs.pin(DEFAULT_TENANT, run_id, pinned=True)
    assert await sweep(store) == []
    assert await sweep(store) == ids[retention.BATCH :]
    await store.runs.pin(DEFAULT_TENANT, ids[0], pinned=False)
    assert await sweep(store) == [ids[0]]


async def test_tenants_take_turns(store: Store, client: Any) -> None:
    """Many tenants are looked at a few a round, each in its turn."""
    run_id = await kept.keep_run(store)
    age(client, run_id, days=31)
    client.sadd(keys.TENANTS, *(f"a{number:03}" for number in range(retention.TENANTS)))
    assert [await sweep(store), await sweep(store)] == [[], [run_id]]


async def test_index_entries_of_what_is_gone_are_passed_over(store: Store, client: Any) -> None:
    """An index that names missing runs and comparisons does not stop a round."""
    run_id = await kept.keep_run(store)
    for missing in ("run_missing", "cmp_missing"):
        age(client, missing, days=40)
    age(client, run_id, days=31)
    assert await sweep(store) == [run_id]
