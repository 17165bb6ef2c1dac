"""Memory set aside for runs under way."""

from typing import Any

import redis

from service.store import keys
from service.store.keys import DEFAULT_TENANT
from service.store.store import Store
from tests.factories import query, run_spec, stored_run, stored_test_set


async def take(store: Store, run_id: str, *, need: int, kept: int = 0) -> tuple[bool, int]:
    """Set bytes of 1,000 aside."""
    return await store.reservations.take(DEFAULT_TENANT, run_id, need=need, kept=kept, left=1_000)


async def under_way(store: Store) -> str:
    """Store a queued run."""
    spec = run_spec(await stored_test_set(store, [query()]))
    await stored_run(store, spec)
    return spec.id


async def test_runs_under_way_leave_less_for_others(store: Store) -> None:
    """What is set aside is not given twice, and the refusal says what was left."""
    first = await under_way(store)
    assert await take(store, first, need=700) == (True, 1_000)
    assert await take(store, "run_other", need=301) == (False, 300)
    assert await take(store, "run_other", need=300) == (True, 300)


async def test_asking_again_takes_nothing_more(store: Store) -> None:
    """A request sent twice sets its bytes aside once."""
    assert await take(store, "run_new", need=900) == (True, 1_000)
    assert await take(store, "run_new", need=900) == (True, 1_000)


async def test_need_shrinks_as_requests_are_done(store: Store, redis_url: str) -> None:
    """What a run has written already is used memory, and no longer to come."""
    run_id = await under_way(store)
    await take(store, run_id, need=800, kept=200)
    with redis.Redis.from_url(redis_url) as client:
        record = keys.job(DEFAULT_TENANT, run_id)
        for done, left in ((0, 200), (50, 500), (100, 800)):
            client.hset(record, mapping={"total": 100, "done": done})
            assert await take(store, "run_other", need=10_000) == (False, left)


async def test_ended_and_stillborn_runs_need_nothing(store: Store, redis_url: str) -> None:
    """Entries of runs that have ended, or were not made within a minute, are dropped."""
    run_id = await under_way(store)
    await take(store, run_id, need=400)
    await take(store, "run_stillborn", need=400)
    await store.runs.request_cancel(DEFAULT_TENANT, run_id)
    with redis.Redis.from_url(redis_url) as client:
        field = f"{DEFAULT_TENANT}/run_stillborn"
        words = decoded(client.hget(keys.RESERVED, field)).split()
        late = [words[0], words[1], str(int(words[2]) - 61), words[3]]
        assert await take(store, "run_other", need=601) == (False, 600)
        client.hset(keys.RESERVED, field, " ".join(late))
        assert await take(store, "run_other", need=1_000) == (True, 1_000)
        assert client.hkeys(keys.RESERVED) == [f"{DEFAULT_TENANT}/run_other".encode()]


def decoded(value: Any) -> str:
    """Return what redis answered as text."""
    return bytes(value).decode()
