"""Opening with a key: what is remembered, and for how long."""

import pytest

from reteval.contract.api_keys import Scope
from service.core.keyring import REMEMBERED_S, Keyring, digest_token
from service.errors import UnauthorizedError
from service.store.store import Store
from tests.factories import api_key, stored_key


class Watch:
    """A clock that stands."""

    time = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self.time


async def test_revoked_key_is_seen_within_a_second(store: Store) -> None:
    """A key revoked by another process opens at most as long as it is remembered: half a second."""
    watch = Watch()
    keyring = Keyring(store.api_keys, clock=watch)
    token = await stored_key(store, Scope.RUNS_READ)
    found = await keyring.find(token)
    await store.api_keys.revoke(found.id, 5)
    assert (await keyring.find(token)).revoked_ms is None
    watch.time = REMEMBERED_S
    assert REMEMBERED_S < 1
    assert (await keyring.find(token)).revoked_ms == 5


async def test_forgotten_key_is_read_anew(store: Store) -> None:
    """What this process changed it sees at once; other keys stay remembered."""
    keyring = Keyring(store.api_keys, clock=Watch())
    tokens = [await stored_key(store, Scope.RUNS_READ) for _ in range(2)]
    found = [await keyring.find(token) for token in tokens]
    for record in found:
        await store.api_keys.revoke(record.id, 5)
    keyring.forget(found[0].id)
    assert [(await keyring.find(token)).revoked_ms for token in tokens] == [5, None]


@pytest.mark.parametrize("text", ["", "reteval_x", "schlüssel", "share_" + "a" * 73])
async def test_text_that_is_no_key_is_refused(store: Store, text: str) -> None:
    """Whatever is sent, the answer is the same, and it is not remembered."""
    with pytest.raises(UnauthorizedError, match="not valid here"):
        await Keyring(store.api_keys).find(text)


async def test_right_id_with_a_wrong_secret_is_refused(store: Store) -> None:
    """The id alone opens nothing: the digest of the whole token must be the stored one."""
    token, record = api_key(Scope.ADMIN, digest=digest_token("another"))
    await store.api_keys.create(record)
    with pytest.raises(UnauthorizedError, match="not valid here"):
        await Keyring(store.api_keys).find(token)


async def test_memory_is_bounded(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """More keys than are remembered push the others out, and each still opens."""
    monkeypatch.setattr("service.core.keyring._MAX_REMEMBERED", 1)
    keyring = Keyring(store.api_keys, clock=Watch())
    tokens = [await stored_key(store, Scope.RUNS_READ) for _ in range(3)]
    assert len({(await keyring.find(token)).id for token in tokens}) == 3
    assert len(keyring._seen) == 1
