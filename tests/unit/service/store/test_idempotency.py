import msgspec
import pytest
import redis

from service.errors import IdempotencyConflictError, IdempotencyMismatchError
from service.queue import RUNS
from service.store import keys
from service.store.idempotency import KEPT_MS, LEASE_S
from service.store.keys import DEFAULT_TENANT
from service.store.records import Idempotency, KeptAnswer
from service.store.store import Store
from tests.factories import query, run_spec, stored_test_set

ANSWER = KeptAnswer(status=202, media="application/json", headers={"Location": "/x"}, body=b"{}")


async def claim(store: Store, fingerprint: str = "print", *, tenant: str = "a") -> Idempotency:
    """Take up the key `k`, which nobody may have answered."""
    held = await store.idempotency.claim(tenant, "k", fingerprint)
    assert isinstance(held, Idempotency)
    return held


def lapse(url: str) -> None:
    """Let the claim of the key's holder lapse."""
    with redis.Redis.from_url(url) as server:
        server.hset(keys.idempotency(DEFAULT_TENANT, "k"), "until", 1)


async def test_one_works_at_a_time(store: Store) -> None:
    """Until the holder is done or gives up, others are told to wait."""
    held = await claim(store)
    with pytest.raises(IdempotencyConflictError):
        await claim(store)
    await store.idempotency.release(held)
    await claim(store)


async def test_dead_holder_keeps_the_key_for_the_lease(redis_url: str) -> None:
    """The lease is the store's: another one may take the key up when it is over, not before."""
    store = Store.connect(redis_url, idempotency_lease_s=3)
    try:
        held = await claim(store)
        with redis.Redis.from_url(redis_url) as server:
            left = float(server.hget(held.entry, "until") or 0) / 1000 - server.time()[0]
    finally:
        await store.close()
    assert 1 < left <= 4


async def test_key_belongs_to_one_request(store: Store) -> None:
    """Another request is refused while the first is under way, and after its answer."""
    held = await claim(store)
    with pytest.raises(IdempotencyMismatchError):
        await claim(store, "other")
    await store.idempotency.keep(held, ANSWER)
    with pytest.raises(IdempotencyMismatchError):
        await claim(store, "other")
    assert await store.idempotency.claim("a", "k", "print") == ANSWER


async def test_key_belongs_to_a_tenant(store: Store) -> None:
    """Two tenants that choose one key do not meet."""
    await store.idempotency.keep(await claim(store), ANSWER)
    await claim(store, "other", tenant="b")


async def test_first_answer_is_everybodys(store: Store) -> None:
    """Whoever comes second with an answer gets the first."""
    held = await claim(store)
    later = KeptAnswer(status=200, media="text/plain", headers={}, body=b"later")
    assert await store.idempotency.keep(held, ANSWER) == ANSWER
    assert await store.idempotency.keep(held, later) == ANSWER


async def test_key_is_forgotten_after_a_day(store: Store, redis_url: str) -> None:
    """The entry lives 24 hours from its first use, whatever is written to it since."""
    held = await claim(store)
    await store.idempotency.keep(held, ANSWER)
    with redis.Redis.from_url(redis_url) as server:
        assert 0 < KEPT_MS - server.pttl(held.entry) < LEASE_S * 1000
        server.pexpire(held.entry, 0)
    assert await store.idempotency.keep(held, ANSWER) == ANSWER
    await claim(store, "other")


async def test_holder_that_was_overtaken_makes_nothing(store: Store, redis_url: str) -> None:
    """A claim lapses with its process; who comes late afterwards is refused, or told what is."""
    spec = run_spec(await stored_test_set(store, [query()]))
    late = await claim(store, tenant=DEFAULT_TENANT)
    lapse(redis_url)
    held = await claim(store, tenant=DEFAULT_TENANT)

    async def create(run_id: str, right: Idempotency) -> str:
        named = msgspec.structs.replace(spec, id=run_id)
        record, _ = await store.runs.create(
            DEFAULT_TENANT, named, secrets=None, idempotency=right, queue=RUNS
        )
        return record.id

    with pytest.raises(IdempotencyConflictError):
        await create("run_late", late)
    assert await create("run_one", held) == "run_one"
    assert await create("run_late", late) == "run_one"
    records, _ = await store.runs.page(DEFAULT_TENANT, before=None, limit=5)
    assert [record.id for record in records] == ["run_one"]


async def test_what_was_made_is_found_at_once(store: Store) -> None:
    """A process that died between making and answering keeps nobody waiting."""
    spec = run_spec(await stored_test_set(store, [query()]))
    held = await claim(store, tenant=DEFAULT_TENANT)
    made, _ = await store.runs.create(
        DEFAULT_TENANT, spec, secrets=None, idempotency=held, queue=RUNS
    )
    await store.idempotency.release(held)
    again = await claim(store, tenant=DEFAULT_TENANT)
    found, new = await store.runs.create(
        DEFAULT_TENANT,
        msgspec.structs.replace(spec, id="run_other"),
        secrets=None,
        idempotency=again,
        queue=RUNS,
    )
    assert (found, new) == (made, False)
