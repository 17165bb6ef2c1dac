import redis

from reteval.contract.runs import RunStatus
from reteval.contract.unjudged import UnjudgedHits
from service.store import chunks, keys
from service.store.keys import DEFAULT_TENANT
from service.store.store import Store
from tests.factories import query, run_spec, stored_run, stored_test_set

HITS = [UnjudgedHits(bytes([1, 4]), [f"d{n}", f"e{n}"]) for n in range(chunks.SIZE + 1)]


async def test_unjudged_read_back_in_chunks_and_freed(store: Store, redis_url: str) -> None:
    """What was written comes back a chunk at a time, and goes with its run."""
    record = await stored_run(store, run_spec(await stored_test_set(store, [query()])))
    claim = await store.claims.claim(DEFAULT_TENANT, record.id, owner="w", lease_s=30)
    assert claim is not None
    await store.journal.put_unjudged(claim, HITS)
    await store.journal.finish(claim, status=RunStatus.COMPLETED, report=b"{}", error="")
    read = [await store.outcomes.unjudged(DEFAULT_TENANT, record.id, chunk=n) for n in range(3)]
    assert [HITS[: chunks.SIZE], HITS[chunks.SIZE :], []] == read
    await store.runs.delete(DEFAULT_TENANT, record.id)
    with redis.Redis.from_url(redis_url) as client:
        assert not client.exists(keys.job_part(DEFAULT_TENANT, record.id, "unjudged"))


async def test_versions_of_a_name_and_of_an_id(store: Store) -> None:
    """A name has all its living versions, oldest first; an id is one of them."""
    made = [await stored_test_set(store, [query()], content=f"c{n}") for n in range(3)]
    await store.test_sets.delete(DEFAULT_TENANT, made[1].id)
    assert [made[0], made[2]] == await store.test_sets.versions(DEFAULT_TENANT, "set")
    assert [made[0]] == await store.test_sets.versions(DEFAULT_TENANT, made[0].id)
