import pytest
import redis

from service.errors import SecretsUnavailableError, StorageFullError, StoreUnavailableError
from service.store.findings import UnsafeStoreError
from service.store.keys import REAPER, new_id
from service.store.sealing import seal, unseal
from service.store.store import Store

KEY = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
OTHER_KEY = "MTEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="


async def test_missing_server_is_an_unavailable_store(tmp_path: object) -> None:
    """A server that is not there answers as one error of ours, whatever redis-py raises."""
    store = Store.connect(f"unix://{tmp_path}/nothing.sock")
    with pytest.raises(StoreUnavailableError):
        await store.ping()
    await store.close()


async def test_full_server_is_said_to_be_full(store: Store, redis_url: str) -> None:
    """A server at its memory bound refuses writes as `storage_full`."""
    with redis.Redis.from_url(redis_url) as client:
        client.config_set("maxmemory", "1")
        try:
            with pytest.raises(StorageFullError):
                await store.ping()
        finally:
            client.config_set("maxmemory", "0")
    await store.ping()


async def test_unsafe_policies_are_found(store: Store, redis_url: str) -> None:
    """Eviction is refused, and a server without AOF is named."""
    assert [] == await store.check_policy()
    with redis.Redis.from_url(redis_url) as client:
        client.config_set("maxmemory-policy", "allkeys-lru")
        client.config_set("appendonly", "no")
        try:
            assert {"eviction", "not_durable"} == {one.code for one in await store.findings()}
            with pytest.raises(UnsafeStoreError, match="allkeys-lru"):
                await store.check_policy()
        finally:
            client.config_set("maxmemory-policy", "noeviction")
            client.config_set("appendonly", "yes")


async def test_signing_key_is_made_once(store: Store) -> None:
    """All processes sign with the key that the first one made."""
    key = await store.signing_key()
    assert len(key) == 32
    assert key == await store.signing_key()


async def test_one_process_leads_reaping(store: Store) -> None:
    """The leader stays the leader while it comes back; another one waits."""
    assert await store.lead(REAPER, "a", seconds=30)
    assert await store.lead(REAPER, "a", seconds=30)
    assert not await store.lead(REAPER, "b", seconds=30)


def test_sealed_headers_open_with_their_key_only() -> None:
    """What one key sealed, no other key opens, and nothing of it can be read."""
    sealed = seal(KEY, {"Authorization": "Bearer s3cret"})
    assert b"s3cret" not in sealed
    assert unseal(KEY, sealed) == {"Authorization": "Bearer s3cret"}
    with pytest.raises(SecretsUnavailableError, match="does not fit"):
        unseal(OTHER_KEY, sealed)


@pytest.mark.parametrize("key", ["", "short"])
def test_sealing_needs_a_usable_key(key: str) -> None:
    """Without a proper key nothing is stored, and the setting is named."""
    with pytest.raises(SecretsUnavailableError, match="RETEVAL_SECRET_KEY"):
        seal(key, {"a": "b"})


def test_ids_are_long_and_differ() -> None:
    """Ids carry their prefix and at least 128 random bits."""
    made = {new_id("run") for _ in range(100)}
    assert len(made) == 100
    assert all(name.startswith("run_") and len(name) == 26 for name in made)
