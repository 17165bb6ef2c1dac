"""API keys: make, list, rotate, revoke. The secret leaves once, in the answer that made it."""

import secrets
from datetime import timedelta
from typing import Any, Final

from msgspec import structs

from reteval.contract import limits
from reteval.contract.api_keys import ApiKey, ApiKeyPage, ApiKeyRequest, NewApiKey, Scope
from reteval.contract.tokens import ALPHABET, KEY, SECRET_CHARS, spell_token
from service.core.backend import Backend
from service.core.idempotency import Idempotency
from service.core.keyring import digest_token
from service.core.texts import check_text
from service.errors import ForbiddenError, InvalidError, NotFoundError
from service.store.api_keys import ApiKeyRecord, Handover
from service.store.bare_report import iso_time
from service.store.keys import new_id

DAY_MS: Final = 86_400_000


async def create_key(
    backend: Backend, request: ApiKeyRequest, *, idempotency: Idempotency | None = None
) -> NewApiKey:
    """Make a key for the caller's team, or for another one where the caller is an admin.

    Raises:
        InvalidError: the name breaks a rule.
        ForbiddenError: only an admin makes keys of other teams, or admins.
        NotFoundError: there is no such team.
        IdempotencyConflictError, ShownOnceError: see `issue_key`.
    """
    items = check_text(request.name, pointer="/name", max_bytes=limits.MAX_NAME_BYTES)
    if items:
        raise InvalidError("The key breaks a rule.", errors=items)
    team = request.team or backend.tenant
    if not backend.identity.may(Scope.ADMIN) and (
        team != backend.tenant or Scope.ADMIN in request.scopes
    ):
        raise ForbiddenError("Only an admin makes keys for another team, or with `admin`.")
    now_ms = backend.now_ms()
    return await issue_key(
        backend,
        team=team,
        name=request.name,
        scopes=tuple(dict.fromkeys(request.scopes)),
        now_ms=now_ms,
        lifetime_ms=request.expires_in_days * DAY_MS,
        idempotency=idempotency,
    )


async def list_keys(backend: Backend, team: str, *, cursor: str, limit: int) -> ApiKeyPage:
    """Return a page of a team's keys, newest first; of the caller's where `team` is empty.

    Raises:
        BadCursorError: the cursor belongs to another list.
        ForbiddenError: only an admin sees the keys of other teams.
    """
    team = team or backend.tenant
    if team != backend.tenant and not backend.identity.may(Scope.ADMIN):
        raise ForbiddenError("Only an admin sees the keys of another team.")
    cursors = await backend.cursors()
    scope = ("keys", team)
    found, position = await backend.store.api_keys.page(
        team, before=cursors.read(scope, cursor), limit=limit
    )
    return ApiKeyPage(
        items=tuple(ApiKey(**_show(record)) for record in found),
        next_cursor=cursors.issue(scope, position),
    )


async def rotate_key(
    backend: Backend,
    key_id: str,
    *,
    overlap_hours: int,
    idempotency: Idempotency | None = None,
) -> NewApiKey:
    """Make a key like another one, which opens for some hours more.

    Raises:
        NotFoundError: no such key of the caller's team, or one that opens nothing any more.
        ForbiddenError: only an admin changes a key with `admin`.
        IdempotencyConflictError, ShownOnceError: see `issue_key`.
    """
    old = await _find(backend, key_id)
    now_ms = backend.now_ms()
    if not old.opens(now_ms):
        raise _missing(key_id)
    _check_rank(backend, old)
    ends_ms = now_ms + round(timedelta(hours=overlap_hours).total_seconds() * 1_000)
    made = await issue_key(
        backend,
        team=old.team,
        name=old.name,
        scopes=old.scopes,
        now_ms=now_ms,
        lifetime_ms=old.expires_ms - old.created_ms,
        handover=Handover(old=old.id, until_ms=min(old.expires_ms, ends_ms)),
        idempotency=idempotency,
    )
    backend.keyring.forget(old.id)
    return made


async def revoke_key(backend: Backend, key_id: str) -> None:
    """Let a key open nothing any more; one that is revoked already stays so.

    Raises:
        NotFoundError: no such key of the caller's team.
        ForbiddenError: only an admin changes a key with `admin`.
    """
    record = await _find(backend, key_id)
    _check_rank(backend, record)
    if record.revoked_ms is None:
        await backend.store.api_keys.revoke(record.id, backend.now_ms())
    backend.keyring.forget(record.id)


async def _find(backend: Backend, key_id: str) -> ApiKeyRecord:
    record = await backend.store.api_keys.find(key_id)
    mine = record is not None and record.team == backend.tenant
    if record is None or not (mine or backend.identity.may(Scope.ADMIN)):
        raise _missing(key_id)
    return record


def _check_rank(backend: Backend, record: ApiKeyRecord) -> None:
    if Scope.ADMIN in record.scopes and not backend.identity.may(Scope.ADMIN):
        raise ForbiddenError("Only an admin rotates or revokes a key with `admin`.")


async def issue_key(
    backend: Backend,
    *,
    team: str,
    name: str,
    scopes: tuple[Scope, ...],
    now_ms: int,
    lifetime_ms: int,
    handover: Handover | None = None,
    idempotency: Idempotency | None = None,
) -> NewApiKey:
    """Make a key, whoever may have asked for it.

    Raises:
        NotFoundError: there is no such team.
        IdempotencyConflictError: another process took the idempotency key over.
        ShownOnceError: it made a key before, whose secret nobody has.
    """
    key_id = new_id("key")
    secret = spell_token(KEY, key_id.removeprefix("key_"), new_secret())
    record = ApiKeyRecord(
        id=key_id,
        team=team,
        name=name,
        scopes=scopes,
        last4=secret[-4:],
        digest=digest_token(secret),
        created_ms=now_ms,
        created_by=backend.identity.key,
        expires_ms=now_ms + lifetime_ms,
    )
    await backend.store.api_keys.create(record, handover=handover, idempotency=idempotency)
    return NewApiKey(**_show(record), secret=secret)


def new_secret() -> str:
    """Return 256 random bits as letters and digits."""
    return "".join(secrets.choice(ALPHABET) for _ in range(SECRET_CHARS))


def _show(record: ApiKeyRecord) -> dict[str, Any]:
    kept = structs.asdict(record)
    moments = {
        f"{name.removesuffix('_ms')}_at": None if kept[name] is None else iso_time(kept[name])
        for name in ("created_ms", "expires_ms", "revoked_ms")
    }
    same = ("id", "team", "name", "scopes", "last4", "created_by")
    used = None if record.used_ms is None else iso_time(record.used_ms)
    return {name: kept[name] for name in same} | moments | {"last_used_at": used}


def _missing(key_id: str) -> NotFoundError:
    return NotFoundError(f"There is no key {key_id!r}; list them with GET /v1/keys.")
