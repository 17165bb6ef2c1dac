"""Keys: their life from being made to being revoked."""

import msgspec
import pytest

from reteval.contract.api_keys import ApiKey, ApiKeyRequest, NewApiKey, Scope
from reteval.contract.tokens import KEY, Token, read_token
from service.core.api_keys import create_key, list_keys, revoke_key, rotate_key
from service.core.backend import Backend
from service.errors import BadCursorError, ForbiddenError, InvalidError, NotFoundError
from service.queue import JobQueue
from service.store.store import Store
from tests.factories import stored_key
from tests.unit.service.core.backends import Clock, a_backend, as_team

REQUEST = ApiKeyRequest(name="ci", scopes=[Scope.RUNS_WRITE, Scope.RUNS_WRITE])


@pytest.fixture
def clock() -> Clock:
    """Return the clock of the backend."""
    return Clock()


@pytest.fixture
async def backend(store: Store, queue: JobQueue, clock: Clock) -> Backend:
    """Return the backend of team `search`, beside team `others`."""
    for team in ("search", "others"):
        await stored_key(store, Scope.RUNS_READ, team=team)
    return as_team(a_backend(store, queue, clock), "search", Scope.KEYS_ADMIN)


async def opens(backend: Backend, key: NewApiKey) -> bool:
    """Tell whether a key opens now."""
    return (await backend.keyring.find(key.secret)).opens(backend.now_ms())


async def test_made_key_shows_its_secret_once(backend: Backend) -> None:
    """The answer has the secret; neither the list nor the store does."""
    made = await create_key(backend, REQUEST)
    assert read_token(made.secret) == Token(KEY, made.id.removeprefix("key_"))
    assert (made.team, made.scopes, made.created_by) == (
        "search",
        (Scope.RUNS_WRITE,),
        "key_of_search",
    )
    assert made.expires_at == "2027-02-28T12:00:00.000Z"
    shown = (await list_keys(backend, "", cursor="", limit=1)).items[0]
    given = {
        name: value for name, value in msgspec.structs.asdict(made).items() if name != "secret"
    }
    assert shown == ApiKey(**given)
    record = await backend.store.api_keys.find(made.id)
    assert record is not None
    assert made.secret.encode() not in msgspec.msgpack.encode(record)
    assert made.last4 == made.secret[-4:]


async def test_key_expires(backend: Backend, clock: Clock) -> None:
    """A key opens to the end of its last day, and not after."""
    made = await create_key(backend, msgspec.structs.replace(REQUEST, expires_in_days=2))
    clock.go(days=2, milliseconds=-1)
    assert await opens(backend, made)
    clock.go(milliseconds=1)
    assert not await opens(backend, made)


async def test_rotation_has_two_live_keys(backend: Backend, clock: Clock) -> None:
    """Old and new open together; when the overlap is over only the new one does."""
    old = await create_key(backend, REQUEST)
    new = await rotate_key(backend, old.id, overlap_hours=3)
    assert (new.name, new.scopes, new.team) == (old.name, old.scopes, old.team)
    assert new.secret != old.secret
    assert [await opens(backend, key) for key in (old, new)] == [True, True]
    clock.go(hours=3)
    assert [await opens(backend, key) for key in (old, new)] == [False, True]
    with pytest.raises(NotFoundError):
        await rotate_key(backend, old.id, overlap_hours=3)


async def test_rotation_never_prolongs(backend: Backend, clock: Clock) -> None:
    """An overlap beyond the old key's expiry ends with it."""
    old = await create_key(backend, msgspec.structs.replace(REQUEST, expires_in_days=1))
    await rotate_key(backend, old.id, overlap_hours=720)
    clock.go(days=1)
    assert not await opens(backend, old)


async def test_revoked_key_opens_nothing_at_once(backend: Backend) -> None:
    """The process that revokes a key forgets it; revoking it again changes nothing."""
    made = await create_key(backend, REQUEST)
    assert await opens(backend, made)
    await revoke_key(backend, made.id)
    assert not await opens(backend, made)
    await revoke_key(backend, made.id)
    with pytest.raises(NotFoundError):
        await rotate_key(backend, made.id, overlap_hours=1)


async def test_key_admin_stays_in_its_team_and_rank(backend: Backend) -> None:
    """Who is no admin makes no key for others and no admin, and touches none."""
    admin = as_team(backend, "search", Scope.ADMIN)
    ruling = await create_key(admin, ApiKeyRequest(name="boss", scopes=[Scope.ADMIN]))
    foreign = await create_key(admin, msgspec.structs.replace(REQUEST, team="others"))
    with pytest.raises(ForbiddenError):
        await create_key(backend, msgspec.structs.replace(REQUEST, team="others"))
    with pytest.raises(ForbiddenError):
        await create_key(backend, ApiKeyRequest(name="boss", scopes=[Scope.ADMIN]))
    with pytest.raises(ForbiddenError):
        await list_keys(backend, "others", cursor="", limit=9)
    with pytest.raises(ForbiddenError):
        await rotate_key(backend, ruling.id, overlap_hours=1)
    with pytest.raises(ForbiddenError):
        await revoke_key(backend, ruling.id)
    with pytest.raises(NotFoundError):
        await revoke_key(backend, foreign.id)
    listed = await list_keys(admin, "others", cursor="", limit=9)
    assert foreign.id in [key.id for key in listed.items]
    await revoke_key(admin, foreign.id)


async def test_key_needs_a_team_and_a_sound_name(backend: Backend) -> None:
    """An unknown team is missing, a name with control characters breaks a rule."""
    admin = as_team(backend, "search", Scope.ADMIN)
    with pytest.raises(NotFoundError, match="no team 'nobody'"):
        await create_key(admin, msgspec.structs.replace(REQUEST, team="nobody"))
    with pytest.raises(InvalidError) as refused:
        await create_key(backend, msgspec.structs.replace(REQUEST, name="a\u0000b"))
    assert [item.pointer for item in refused.value.errors] == ["/name"]


async def test_keys_are_paged_newest_first(backend: Backend) -> None:
    """Pages together hold every key once; a cursor of another team is refused."""
    made = [(await create_key(backend, REQUEST)).id for _ in range(5)]
    seen, cursor = [], ""
    while True:
        page = await list_keys(backend, "", cursor=cursor, limit=2)
        seen += [key.id for key in page.items]
        if page.next_cursor is None:
            break
        cursor = page.next_cursor
    assert seen[:5] == made[::-1]
    assert len(seen) == 6
    with pytest.raises(BadCursorError):
        await list_keys(as_team(backend, "others"), "", cursor=cursor, limit=2)
