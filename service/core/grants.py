"""Grants: let other teams read a run, a test set or a label, and read by what was granted."""

from collections.abc import Sequence
from typing import Final

from msgspec import structs

from reteval.contract import limits
from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditEvent
from reteval.contract.grants import EVERYONE, Grant, GrantList, GrantRequest
from reteval.contract.problems import ProblemItem
from service.core.audit import record
from service.core.backend import Backend, to_iso
from service.core.idempotency import Idempotency
from service.core.identity import READING
from service.core.texts import check_text
from service.errors import ForbiddenError, InvalidError, NotFoundError
from service.store.keys import new_id

_SUBJECTS: Final = ("run", "test_set", "label")
RUN: Final = "run_id"
TEST_SET: Final = "test_set"
"""Path parameters whose object may be another team's."""


async def create_grant(
    backend: Backend, request: GrantRequest, *, idempotency: Idempotency | None = None
) -> Grant:
    """Let a team, or everyone, read something of the caller's team.

    Raises:
        InvalidError: not exactly one thing, or to the team itself.
        ForbiddenError: a test set is granted by who may write test sets.
        NotFoundError: no such run, test set or team.
        IdempotencyConflictError: another process took the key over.
    """
    _check(backend, request)
    if request.run is not None:
        await backend.store.runs.get(backend.tenant, request.run)
    test_set = None
    if request.test_set is not None:
        test_set = (await backend.store.test_sets.get(backend.tenant, request.test_set)).id
    if request.to != EVERYONE and not await backend.store.teams.has(request.to):
        raise NotFoundError(f"There is no team {request.to!r}.")
    granted = await backend.store.grants.put(
        Grant(
            id=new_id("gr"),
            team=backend.tenant,
            to=request.to,
            run=request.run,
            test_set=test_set,
            label=request.label,
            created_at=to_iso(backend.now()),
            created_by=backend.identity.key,
        ),
        idempotency=idempotency,
    )
    await _note(backend, AuditEvent.GRANT_CREATED, granted)
    return granted


async def list_grants(backend: Backend, *, received: bool) -> GrantList:
    """Return what the caller's team granted, or what it was granted by others."""
    if not received:
        return GrantList(items=tuple(await backend.store.grants.given(backend.tenant)))
    found = await backend.store.grants.received(backend.tenant)
    return GrantList(items=tuple(grant for grant in found if grant.team != backend.tenant))


async def delete_grant(backend: Backend, grant_id: str) -> None:
    """Take a grant back; what was read stays read.

    Raises:
        NotFoundError: the caller's team gave no such grant.
    """
    taken = await backend.store.grants.delete(backend.tenant, grant_id)
    await _note(backend, AuditEvent.GRANT_DELETED, taken)


async def find_view(backend: Backend, kind: str, object_id: str) -> Backend | None:
    """Return the backend through which the caller may read an object that is not its own.

    The same is done for what is another team's and for what is nowhere.
    """
    if backend.identity.via:
        return None
    grants = backend.store.grants
    find = grants.for_run if kind == RUN else grants.for_test_set
    grant = await find(backend.tenant, object_id)
    return None if grant is None else await read_through(backend, grant, object_id)


async def read_through(backend: Backend, grant: Grant, object_id: str) -> Backend:
    """Return the backend that reads what a grant is about, and note that it is used."""
    caller = backend.identity
    reader = structs.replace(
        caller, tenant=grant.team, scopes=caller.scopes & READING, via=grant.id
    )
    view = backend.of(reader)
    await record(view, AuditEvent.GRANT_USED, target=object_id)
    return view


async def _note(backend: Backend, event: AuditEvent, grant: Grant) -> None:
    subject = next(name for name in _SUBJECTS if getattr(grant, name) is not None)
    detail = f"{subject} {getattr(grant, subject)} to {grant.to}"
    await record(backend, event, target=grant.id, detail=detail)


def _check(backend: Backend, request: GrantRequest) -> None:
    given = [name for name in _SUBJECTS if getattr(request, name) is not None]
    items: Sequence[ProblemItem] = check_text(
        request.label or "", pointer="/label", max_bytes=limits.MAX_NAME_BYTES
    )
    if len(given) != 1:
        items = [_item("/run", "one thing is granted at a time", "Give run, test_set or label.")]
    elif request.to == backend.tenant:
        items = [_item("/to", "that is the team itself", "Name another team, or `*`.")]
    if items:
        raise InvalidError("The grant breaks a rule.", errors=items)
    if request.test_set is not None and not backend.identity.may(Scope.TEST_SETS_WRITE):
        raise ForbiddenError(f"The key lacks the scope {Scope.TEST_SETS_WRITE.value!r}.")


def _item(pointer: str, message: str, fix: str) -> ProblemItem:
    return ProblemItem(pointer=pointer, message=message, fix=fix)
