"""Grants: what may be granted by whom, and what the log says of it."""

import pytest

from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditLog
from reteval.contract.grants import EVERYONE, GrantRequest
from service.core.audit import page_audit
from service.core.backend import Backend
from service.core.grants import RUN, TEST_SET, create_grant, delete_grant, find_view, list_grants
from service.core.identity import READING
from service.errors import ForbiddenError, InvalidError, NotFoundError
from service.queue import JobQueue
from service.store.store import Store
from tests.factories import query, run_spec, stored_key, stored_run, stored_test_set
from tests.unit.service.core.backends import a_backend, as_team


@pytest.fixture
async def others(store: Store, queue: JobQueue) -> Backend:
    """Return the backend of another team than the default one."""
    await stored_key(store, Scope.RUNS_READ, team="others")
    return as_team(a_backend(store, queue), "others")


@pytest.fixture
def mine(store: Store, queue: JobQueue) -> Backend:
    """Return the backend of the default team."""
    return as_team(a_backend(store, queue), "default")


async def a_run(store: Store, label: str = "") -> str:
    """Store a run of the default team and return its id."""
    test_set = await stored_test_set(store, [query()])
    return (await stored_run(store, run_spec(test_set, label=label))).spec.id


async def test_same_grant_twice_is_one(mine: Backend, others: Backend, store: Store) -> None:
    """Said again, a grant answers the first; the giver and the reader list it."""
    request = GrantRequest(to="others", run=await a_run(store))
    first, second = await create_grant(mine, request), await create_grant(mine, request)
    assert first == second
    assert (await list_grants(mine, received=False)).items == (first,)
    assert (await list_grants(others, received=True)).items == (first,)
    assert (await list_grants(others, received=False)).items == ()


async def test_grant_to_everyone_is_not_to_oneself(
    mine: Backend, others: Backend, store: Store
) -> None:
    """What a team grants to all, the others received, not the team itself."""
    made = await create_grant(mine, GrantRequest(to=EVERYONE, run=await a_run(store)))
    assert (await list_grants(others, received=True)).items == (made,)
    assert (await list_grants(mine, received=True)).items == ()


@pytest.mark.parametrize(
    ("request_", "pointer"),
    [
        (GrantRequest(to="others"), "/run"),
        (GrantRequest(to="others", run="run_1", label="x"), "/run"),
        (GrantRequest(to="default", label="x"), "/to"),
        (GrantRequest(to="others", label="a\u0000b"), "/label"),
    ],
)
async def test_unsound_grant_breaks_a_rule(
    mine: Backend, others: Backend, request_: GrantRequest, pointer: str
) -> None:
    """One thing at a time, to somebody else, with a sound label."""
    assert others.tenant == "others"
    with pytest.raises(InvalidError) as refused:
        await create_grant(mine, request_)
    assert [item.pointer for item in refused.value.errors] == [pointer]


@pytest.mark.parametrize(
    "request_",
    [
        GrantRequest(to="others", run="run_none"),
        GrantRequest(to="others", test_set="ts_none"),
        GrantRequest(to="nobody", label="x"),
    ],
)
async def test_grant_of_nothing_or_to_nobody_is_missing(
    mine: Backend, others: Backend, request_: GrantRequest
) -> None:
    """What is granted and who gets it must be there."""
    assert others.tenant == "others"
    with pytest.raises(NotFoundError):
        await create_grant(mine, request_)


async def test_test_set_is_granted_by_who_writes_them(
    mine: Backend, others: Backend, store: Store
) -> None:
    """`runs:write` grants runs, and no test set; its name stands for the newest version's id."""
    test_set = await stored_test_set(store, [query()])
    request = GrantRequest(to="others", test_set=test_set.name)
    with pytest.raises(ForbiddenError):
        await create_grant(as_team(mine, "default", Scope.RUNS_WRITE), request)
    assert (await create_grant(mine, request)).test_set == test_set.id
    assert await find_view(others, TEST_SET, test_set.id) is not None


async def test_view_reads_for_the_giver_and_is_noted(
    mine: Backend, others: Backend, store: Store
) -> None:
    """A reader works on the giver's objects, may only read, and each use is in the log."""
    run_id = await a_run(store, label="live")
    made = await create_grant(mine, GrantRequest(to="others", label="live"))
    view = await find_view(others, RUN, run_id)
    assert view is not None
    assert (view.tenant, view.identity.team, view.identity.via) == ("default", "others", made.id)
    assert view.identity.scopes == READING
    log = await page_audit(mine, AuditLog.ACCESS, cursor="", limit=9)
    row = log.items[0]
    assert (row.event, row.team, row.target, row.via) == ("grant_used", "others", run_id, made.id)
    assert await find_view(view, RUN, await a_run(store, label="live")) is None
    assert await find_view(others, RUN, await a_run(store, label="other")) is None
    assert await find_view(others, RUN, "run_none") is None


async def test_log_says_what_was_granted_to_whom(
    mine: Backend, others: Backend, store: Store
) -> None:
    """Giving and taking back are events that tell enough when the grant is gone."""
    assert store is others.store
    made = await create_grant(mine, GrantRequest(to="others", label="live"))
    await delete_grant(mine, made.id)
    with pytest.raises(NotFoundError):
        await delete_grant(mine, made.id)
    log = await page_audit(mine, AuditLog.CHANGES, cursor="", limit=9)
    assert [(row.event, row.target, row.detail, row.key) for row in log.items] == [
        ("grant_deleted", made.id, "label live to others", "key_of_default"),
        ("grant_created", made.id, "label live to others", "key_of_default"),
    ]


async def test_grant_is_taken_back_by_its_giver_only(mine: Backend, others: Backend) -> None:
    """To the reader it is missing, and it still opens."""
    made = await create_grant(mine, GrantRequest(to="others", label="live"))
    with pytest.raises(NotFoundError):
        await delete_grant(others, made.id)
    assert (await list_grants(others, received=True)).items == (made,)


async def test_grants_of_a_team_are_bounded(
    mine: Backend, others: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond the bound a team must take some back, or grant a label."""
    assert others.tenant == "others"
    monkeypatch.setattr("service.store.grants.MAX_GRANTS", 2)
    for label in ("a", "b"):
        await create_grant(mine, GrantRequest(to="others", label=label))
    with pytest.raises(InvalidError, match="at most 2"):
        await create_grant(mine, GrantRequest(to="others", label="c"))
