"""Who is let in, what is noted of it, and what a store that cannot write has to do with it."""

import pytest
from msgspec import structs

from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditLog
from reteval.contract.grants import LinkRequest
from service.core.access import Visit, admit
from service.core.audit import page_audit
from service.core.backend import Backend
from service.core.links import create_link
from service.errors import (
    ForbiddenError,
    NotFoundError,
    StorageFullError,
    UnauthorizedError,
)
from service.queue import JobQueue
from service.store.store import Store
from tests.factories import query, run_spec, stored_key, stored_run, stored_test_set
from tests.unit.service.core.backends import Clock, a_backend

VISIT = Visit(key="", share="", run_id="", scope=Scope.RUNS_READ, ip="192.0.2.7", request_id="r1")


@pytest.fixture
def clock() -> Clock:
    """Return the clock of the backend."""
    return Clock()


@pytest.fixture
def backend(store: Store, queue: JobQueue, clock: Clock) -> Backend:
    """Return a backend of an empty store."""
    return a_backend(store, queue, clock)


async def refusals(backend: Backend) -> list[tuple[str, str, str]]:
    """Return what the log says about refused visitors, newest first."""
    page = await page_audit(backend, AuditLog.ACCESS, cursor="", limit=9)
    return [(row.key, row.ip, row.detail) for row in page.items if row.event == "access_refused"]


async def test_team_key_makes_an_identity(backend: Backend, store: Store) -> None:
    """A key is its team with its scopes; address and request go with it."""
    token = await stored_key(store, Scope.RUNS_WRITE, team="search")
    caller = await admit(backend, structs.replace(VISIT, key=token), operator_key="")
    assert (caller.tenant, caller.team, caller.via) == ("search", "search", "")
    assert caller.scopes == {Scope.RUNS_WRITE, Scope.RUNS_READ}
    assert (caller.ip, caller.request_id) == ("192.0.2.7", "r1")


async def test_operator_key_opens_everything(backend: Backend) -> None:
    """The key of the settings is the default team's admin; nothing else is, nor an empty one."""
    caller = await admit(backend, structs.replace(VISIT, key="s3cret"), operator_key="s3cret")
    assert (caller.tenant, caller.key) == ("default", "operator")
    assert all(caller.may(scope) for scope in Scope)
    for key, operator in (("s3cre", "s3cret"), ("ß", "s3cret"), ("", "")):
        with pytest.raises(UnauthorizedError):
            await admit(backend, structs.replace(VISIT, key=key), operator_key=operator)


async def test_refused_visitors_are_in_the_log(backend: Backend, store: Store) -> None:
    """Why, from where and with which key's id; never the key itself."""
    weak = await stored_key(store, Scope.RESULTS_READ)
    gone = await stored_key(store, Scope.ADMIN, revoked_ms=5)
    with pytest.raises(UnauthorizedError):
        await admit(backend, VISIT, operator_key="")
    with pytest.raises(ForbiddenError):
        await admit(backend, structs.replace(VISIT, key=weak), operator_key="")
    with pytest.raises(UnauthorizedError):
        await admit(backend, structs.replace(VISIT, key=gone), operator_key="")
    ip = "192.0.2.7"
    assert await refusals(backend) == [
        (f"key_{gone.split('_')[1]}", ip, "The API key was revoked."),
        (f"key_{weak.split('_')[1]}", ip, "The key lacks the scope 'runs:read'."),
        ("", ip, "Send the header `Authorization: Bearer <key>`."),
    ]


async def test_use_of_a_key_is_noted_once_a_minute(
    backend: Backend, store: Store, clock: Clock
) -> None:
    """`last_used_at` is right to the minute, and costs a write a minute."""
    token = await stored_key(store, Scope.RUNS_READ)
    used = []
    for seconds in (0, 59, 1, 30):
        clock.go(seconds=seconds)
        await admit(backend, structs.replace(VISIT, key=token), operator_key="")
        record = await store.api_keys.find(f"key_{token.split('_')[1]}")
        assert record is not None
        assert record.used_ms is not None
        used.append(record.used_ms)
    assert [moment - used[0] for moment in used] == [0, 0, 60_000, 60_000]


async def test_full_store_still_lets_in(
    backend: Backend, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing can be written any more, keys open and refusals refuse."""

    async def full(*_: object, **__: object) -> None:
        raise StorageFullError("The store is full.")

    token = await stored_key(store, Scope.RUNS_READ)
    monkeypatch.setattr(store.api_keys, "touch", full)
    monkeypatch.setattr(store.audit, "append", full)
    assert await admit(backend, structs.replace(VISIT, key=token), operator_key="")
    with pytest.raises(UnauthorizedError):
        await admit(backend, VISIT, operator_key="")


async def test_link_opens_its_run_until_it_expires(
    backend: Backend, store: Store, clock: Clock
) -> None:
    """A token is a reader of one run; the use is in the log, and it ends with its days."""
    run = await stored_run(store, run_spec(await stored_test_set(store, [query()])))
    link = await create_link(backend, run.spec.id, LinkRequest(expires_in_days=1))
    visit = structs.replace(VISIT, share=link.token, run_id=run.spec.id)
    caller = await admit(backend, visit, operator_key="")
    assert (caller.tenant, caller.team, caller.via) == ("default", "", link.id)
    assert not caller.may(Scope.RUNS_WRITE)
    page = await page_audit(backend, AuditLog.ACCESS, cursor="", limit=9)
    assert [(row.event, row.target, row.via) for row in page.items] == [
        ("link_used", run.spec.id, link.id)
    ]
    with pytest.raises(NotFoundError, match="run_other"):
        await admit(backend, structs.replace(visit, run_id="run_other"), operator_key="")
    clock.go(days=1)
    with pytest.raises(UnauthorizedError, match="expired"):
        await admit(backend, visit, operator_key="")


async def test_broken_share_token_is_refused(backend: Backend, store: Store) -> None:
    """Neither a text, nor a key, nor a token with another secret opens a run."""
    run = await stored_run(store, run_spec(await stored_test_set(store, [query()])))
    link = await create_link(backend, run.spec.id, LinkRequest())
    for share in ("share_x", await stored_key(store, Scope.ADMIN), link.token[:-1] + "!"):
        visit = structs.replace(VISIT, share=share, run_id=run.spec.id)
        with pytest.raises(UnauthorizedError):
            await admit(backend, visit, operator_key="")
