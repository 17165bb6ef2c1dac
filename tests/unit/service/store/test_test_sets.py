import random
from itertools import count

import pytest
import redis

from service.errors import CorruptRecordError, NotFoundError, ReferencedError
from service.store.keys import DEFAULT_TENANT
from service.store.staging import STAGING_MS
from service.store.store import Store
from tests.factories import draft, query, run_spec, stored_run, stored_test_set


async def test_commit_keeps_upload_order_over_chunks(store: Store) -> None:
    """Queries come back in upload order, whatever the sizes they were written in."""
    queries = [query(f"text {number}") for number in range(1_203)]
    staging = await store.test_sets.stage(DEFAULT_TENANT)
    sizes = count(1)
    rest = list(queries)
    while rest:
        size = next(sizes)
        await staging.write(rest[:size])
        del rest[:size]
    made, created = await store.test_sets.commit(
        DEFAULT_TENANT, staging, draft(queries), created_at="now"
    )
    read = [q async for chunk in store.test_sets.chunks(DEFAULT_TENANT, made.id) for q in chunk]
    assert created
    assert queries == read
    some = await store.test_sets.queries(DEFAULT_TENANT, made.id, offset=499, limit=3)
    assert queries[499:502] == some


async def test_discarded_upload_leaves_nothing(store: Store, redis_url: str) -> None:
    """Not even the chunk that was on its way; one that is forgotten goes within the hour."""
    with redis.Redis.from_url(redis_url) as server:
        for kept in (True, False):
            staging = await store.test_sets.stage(DEFAULT_TENANT)
            await staging.write([query(f"text {number}") for number in range(1_000)])
            if kept:
                await staging.seal()
                assert 0 < server.pttl(staging.key) <= STAGING_MS
                assert server.hlen(staging.key) == 2
            await staging.discard()
            assert not server.exists(staging.key)


async def test_large_chunks_are_written_as_they_fill(store: Store, redis_url: str) -> None:
    """What is there is durable before more is taken, and gone once the upload is discarded."""
    rng = random.Random(8)  # noqa: S311 - what hardly compresses, no secret
    staging = await store.test_sets.stage(DEFAULT_TENANT)
    with redis.Redis.from_url(redis_url) as server:
        for _ in range(2):
            await staging.write([query(rng.randbytes(300).hex()) for _ in range(500)])
        assert server.hkeys(staging.key) == [b"0"]
        await staging.discard()
        assert not server.exists(staging.key)


async def test_failed_write_ends_the_upload(store: Store, redis_url: str) -> None:
    """A chunk that the store refuses is told with the next one, or at the end."""
    staging = await store.test_sets.stage(DEFAULT_TENANT)
    with redis.Redis.from_url(redis_url) as server:
        server.set(staging.key, "no hash")
        await staging.write([query(f"text {number}") for number in range(500)])
        with pytest.raises(CorruptRecordError):
            await staging.seal()
        await staging.discard()
        assert not server.exists(staging.key)


async def test_same_content_answers_the_same_set(store: Store) -> None:
    """The same content under one name is one set; other content is its next version."""
    first = await stored_test_set(store, [query()], content="a")
    again = await stored_test_set(store, [query()], content="a")
    other = await stored_test_set(store, [query("new")], content="b")
    assert first == again
    assert (1, 2) == (first.version, other.version)
    assert other == await store.test_sets.get(DEFAULT_TENANT, "set")
    assert first == await store.test_sets.get(DEFAULT_TENANT, first.id)


async def test_page_walks_all_sets_once_newest_first(store: Store) -> None:
    """Pages together hold each set once, newest first."""
    made = [await stored_test_set(store, [query()], name=f"s{number}") for number in range(5)]
    seen = []
    before: str | None = None
    while True:
        page, before = await store.test_sets.page(DEFAULT_TENANT, before=before, limit=2)
        seen += page
        if before is None:
            break
    assert made[::-1] == seen


async def test_delete_refuses_a_set_that_a_run_refers_to(store: Store) -> None:
    """A referenced set stays until its runs are gone; its version number is never used again."""
    made = await stored_test_set(store, [query()], content="a")
    record = await stored_run(store, run_spec(made))
    with pytest.raises(ReferencedError):
        await store.test_sets.delete(DEFAULT_TENANT, made.id)
    await store.runs.request_cancel(DEFAULT_TENANT, record.id)
    await store.runs.delete(DEFAULT_TENANT, record.id)
    await store.test_sets.delete(DEFAULT_TENANT, made.id)
    with pytest.raises(NotFoundError):
        await store.test_sets.get(DEFAULT_TENANT, made.id)
    again = await stored_test_set(store, [query()], content="a")
    assert again.version == 2


async def test_discarded_staging_leaves_nothing(store: Store, redis_url: str) -> None:
    """An upload given up leaves no key behind."""
    import redis

    staging = await store.test_sets.stage(DEFAULT_TENANT)
    await staging.write([query(str(number)) for number in range(600)])
    await staging.discard()
    with redis.Redis.from_url(redis_url) as client:
        assert client.keys("*") == []


async def test_tenants_do_not_see_each_other(store: Store) -> None:
    """A set of one tenant does not exist for another."""
    made = await stored_test_set(store, [query()])
    with pytest.raises(NotFoundError):
        await store.test_sets.get("other", made.id)
