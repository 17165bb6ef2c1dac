"""Letting a caller in: by the operator's key, a team's key, a session, or a link to one run."""

import hmac
from collections.abc import Callable
from typing import Final

from msgspec import Struct, structs

from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditEvent
from reteval.contract.tokens import SHARE, read_token
from service.core.audit import record
from service.core.backend import Backend
from service.core.identity import EVERYTHING, NOBODY, OPERATOR, READING, Identity, widen
from service.core.keyring import digest_token
from service.core.limiter import Standing
from service.core.sessions import find_session
from service.errors import ForbiddenError, StorageFullError, UnauthorizedError
from service.store.api_keys import ApiKeyRecord
from service.store.keys import DEFAULT_TENANT, SYSTEM_TENANT
from service.store.runs import missing_run

_USED_EVERY_MS: Final = 60_000
_NO_LINK: Final = "The link has expired, or was closed."


class Visit(Struct, frozen=True, kw_only=True):
    """One request before it is known who sends it.

    `key` is the bearer key; `share` the token of a link, where the route is open to links, to
    `run_id`; `session` that of a person who signed in. An empty one was not sent. `scope` is what
    the route needs; None: any key will do.
    """

    key: str
    share: str
    session: str = ""
    run_id: str
    scope: Scope | None
    ip: str
    request_id: str


async def admit(
    backend: Backend,
    visit: Visit,
    *,
    operator_key: str,
    note: Callable[[Standing], None] = lambda _: None,
) -> Identity:
    """Return who a visitor is, if it may do what it asks for; `note` is told its rate.

    Raises:
        UnauthorizedError: no key, or one that opens nothing.
        ForbiddenError: the key lacks the scope.
        NotFoundError: a link to another run.
        RateLimitedError, QuotaExceededError: more requests come than may.
    """
    caller = structs.replace(NOBODY, ip=visit.ip, request_id=visit.request_id)
    try:
        if visit.share:
            caller = await _follow_link(backend, visit, caller)
        else:
            caller = await _open(backend, visit, caller, operator_key)
        _count(await backend.limiter.pass_key(caller.team or SYSTEM_TENANT, caller.key), note)
        check_scope(caller, visit.scope)
    except (UnauthorizedError, ForbiddenError) as exc:
        if not caller.key:  # a flood is cut off before the log
            _count(await backend.limiter.pass_stranger(visit.ip), note)
        named = read_token(visit.key)
        claimed = structs.replace(caller, key=caller.key or (f"key_{named.id}" if named else ""))
        await record(backend.of(claimed), AuditEvent.ACCESS_REFUSED, detail=exc.detail)
        raise
    return caller


def _count(standing: Standing, note: Callable[[Standing], None]) -> None:
    note(standing)
    if standing.error is not None:
        raise standing.error


def check_scope(caller: Identity, scope: Scope | None) -> None:
    """See that a caller has a scope; None asks for none.

    Raises:
        ForbiddenError: it lacks it.
    """
    if scope is not None and not caller.may(scope):
        raise ForbiddenError(f"The key lacks the scope {scope.value!r}.")


async def _open(backend: Backend, visit: Visit, caller: Identity, operator_key: str) -> Identity:
    if not visit.key:
        return await _resume(backend, visit, caller, operator_key)
    if operator_key and hmac.compare_digest(visit.key.encode(), operator_key.encode()):
        return _become_operator(caller)
    return await _take(backend, await backend.keyring.find(visit.key), caller)


async def _resume(backend: Backend, visit: Visit, caller: Identity, operator_key: str) -> Identity:
    """Return whom a session stands for: nobody, once its key opens nothing any more."""
    if not visit.session:
        raise UnauthorizedError("Send the header `Authorization: Bearer <key>`.")
    session = await find_session(backend, visit.session)
    if session is None:
        raise UnauthorizedError("The session has ended; sign in again.")
    caller = structs.replace(caller, session=session.id)
    if session.key == OPERATOR:
        if not operator_key or digest_token(operator_key) != session.key_digest:
            raise UnauthorizedError("The key of the session opens nothing any more.")
        return _become_operator(caller)
    key = await backend.store.api_keys.find(session.key)
    if key is None or key.digest != session.key_digest:
        raise UnauthorizedError("The key of the session opens nothing any more.")
    return await _take(backend, key, caller)


def _become_operator(caller: Identity) -> Identity:
    return structs.replace(
        caller, tenant=DEFAULT_TENANT, team=DEFAULT_TENANT, key=OPERATOR, scopes=EVERYTHING
    )


async def _take(backend: Backend, key: ApiKeyRecord, caller: Identity) -> Identity:
    now_ms = backend.now_ms()
    if key.revoked_ms is not None:
        raise UnauthorizedError("The API key was revoked.")
    if key.expires_ms <= now_ms:
        raise UnauthorizedError("The API key has expired.")
    await _note_use(backend, key, now_ms)
    return structs.replace(
        caller, tenant=key.team, team=key.team, key=key.id, scopes=widen(key.scopes)
    )


async def _note_use(backend: Backend, key: ApiKeyRecord, now_ms: int) -> None:
    if now_ms - (key.used_ms or 0) < _USED_EVERY_MS:
        return
    try:
        await backend.store.api_keys.touch(key.id, now_ms)
    except StorageFullError:  # a full store is still read
        return
    backend.keyring.forget(key.id)


async def _follow_link(backend: Backend, visit: Visit, caller: Identity) -> Identity:
    """Return the reader that a link makes: it sees one run of one team, and nothing else."""
    read = read_token(visit.share)
    if read is None or read.prefix != SHARE:
        raise UnauthorizedError("The share token is not valid here.")
    link = await backend.store.links.find(f"lnk_{read.id}")
    sent = digest_token(visit.share)
    known = hmac.compare_digest(sent, link.digest if link else bytes(len(sent)))
    if link is None or not known or link.expires_ms <= backend.now_ms():
        raise UnauthorizedError(_NO_LINK)
    if link.run != visit.run_id:
        raise missing_run(visit.run_id)
    reader = structs.replace(caller, tenant=link.team, key=link.id, scopes=READING, via=link.id)
    await record(backend.of(reader), AuditEvent.LINK_USED, target=link.run)
    return reader
