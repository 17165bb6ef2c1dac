"""The first key: once, then only by revoking it."""

import asyncio

import pytest

from reteval.contract.api_keys import NewApiKey, Scope
from reteval.contract.audit import AuditLog
from service.core.audit import page_audit
from service.core.backend import Backend
from service.core.bootstrap import make_first_key
from service.errors import ForbiddenError
from service.queue import JobQueue
from service.store.store import Store
from tests.unit.service.core.backends import Clock, a_backend


@pytest.fixture
def clock() -> Clock:
    """Return the clock of the backend."""
    return Clock()


@pytest.fixture
def backend(store: Store, queue: JobQueue, clock: Clock) -> Backend:
    """Return a backend of an empty store."""
    return a_backend(store, queue, clock)


async def test_first_key_is_an_admins(backend: Backend) -> None:
    """It belongs to the default team, has `admin`, expires, and its making is in the log."""
    made = await make_first_key(backend, days=30, again=False)
    assert (made.team, made.scopes) == ("default", (Scope.ADMIN,))
    assert made.expires_at == "2026-12-30T12:00:00.000Z"
    assert (await backend.keyring.find(made.secret)).id == made.id
    log = await page_audit(backend, AuditLog.CHANGES, cursor="", limit=9)
    assert [(row.event, row.key, row.target) for row in log.items] == [
        ("key_created", "operator", made.id)
    ]


async def test_second_time_is_refused(backend: Backend) -> None:
    """While the first key opens there is no second one; the message says which it is."""
    made = await make_first_key(backend, days=30, again=False)
    with pytest.raises(ForbiddenError, match=made.id):
        await make_first_key(backend, days=30, again=False)


async def test_lost_key_is_replaced(backend: Backend) -> None:
    """`again` revokes the one before, so that a lost key opens nothing."""
    lost = await make_first_key(backend, days=30, again=False)
    made = await make_first_key(backend, days=30, again=True)
    records = [await backend.store.api_keys.find(key.id) for key in (lost, made)]
    assert [record is not None and record.opens(backend.now_ms()) for record in records] == [
        False,
        True,
    ]


async def test_expired_key_is_replaced(backend: Backend, clock: Clock) -> None:
    """A deployment whose first key has expired is not locked."""
    await make_first_key(backend, days=1, again=False)
    clock.go(days=1)
    assert (await make_first_key(backend, days=1, again=False)).secret


@pytest.mark.parametrize("again", [False, True])
async def test_of_many_at_once_one_is_made(backend: Backend, *, again: bool) -> None:
    """Commands that race make one key that opens; who comes late is told so, or replaces it."""
    await asyncio.gather(*(backend.store.ping() for _ in range(8)))  # eight open connections
    made = await asyncio.gather(
        *(make_first_key(backend, days=1, again=again) for _ in range(8)), return_exceptions=True
    )
    keys, _ = await backend.store.api_keys.page("default", before=None, limit=20)
    living = [key.id for key in keys if key.opens(backend.now_ms())]
    assert living == [await backend.store.api_keys.first()]
    late = [one for one in made if isinstance(one, ForbiddenError)]
    assert len(late) + sum(isinstance(one, NewApiKey) for one in made) == 8
    assert any("Somebody else" in one.detail for one in late)
