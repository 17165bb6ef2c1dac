"""Keys in the store: written whole, listed by team, gone some time after their end."""

import msgspec
import pytest

from reteval.contract.api_keys import Scope
from service.errors import NotFoundError
from service.store import keys
from service.store.api_keys import KEPT_MS, Handover
from service.store.store import Store
from tests.factories import api_key


async def test_key_is_read_as_it_was_written(store: Store) -> None:
    """Every field comes back, the digest as bytes; what changed since is seen."""
    _, record = api_key(Scope.RUNS_WRITE, Scope.RESULTS_READ, digest=b"\x00\xff")
    await store.api_keys.create(record)
    assert await store.api_keys.find(record.id) == record
    await store.api_keys.touch(record.id, 7)
    _, successor = api_key(Scope.RUNS_WRITE)
    await store.api_keys.create(successor, handover=Handover(old=record.id, until_ms=9))
    await store.api_keys.revoke(record.id, 8)
    assert await store.api_keys.find(record.id) == msgspec.structs.replace(
        record, used_ms=7, expires_ms=9, revoked_ms=8
    )
    assert await store.api_keys.find("key_none") is None


async def test_key_of_an_unknown_team_is_not_written(store: Store) -> None:
    """A team must be there before it has keys."""
    _, record = api_key(Scope.RUNS_READ, team="nobody")
    with pytest.raises(NotFoundError, match="nobody"):
        await store.api_keys.create(record)
    assert await store.api_keys.find(record.id) is None


async def test_key_goes_after_its_expiry(store: Store) -> None:
    """A key is listed for a month after it ended, then it is gone, and pages pass over it."""
    _, long_gone = api_key(Scope.RUNS_READ, expires_ms=1_700_000_000_000 - KEPT_MS)
    _, living = api_key(Scope.RUNS_READ)
    for record in (living, long_gone):
        await store.api_keys.create(record)
    assert await store.api_keys.find(long_gone.id) is None
    assert (await store.api_keys.page("default", before=None, limit=9))[0] == [living]


async def test_first_key_is_claimed_by_one(store: Store) -> None:
    """Who names the one before is the next; whoever comes late is not."""
    assert await store.api_keys.first() == ""
    assert await store.api_keys.claim_first("key_a", after="")
    assert await store.api_keys.claim_first("key_a", after="")
    assert not await store.api_keys.claim_first("key_b", after="")
    assert await store.api_keys.claim_first("key_b", after="key_a")
    assert await store.api_keys.first() == "key_b"


async def test_token_is_nowhere_in_the_store(store: Store) -> None:
    """What is stored of a key does not open: neither the token nor its secret."""
    token, record = api_key(Scope.ADMIN)
    await store.api_keys.create(record)
    stored = await store.api_keys._connection.hgetall(keys.api_key(record.id))
    secret = token.split("_")[2].encode()
    assert all(secret not in value for value in stored.values())
