"""Sessions: a person gives a key once, and the browser keeps a token that stands for it.

The key itself is not kept, in the browser or here. A session can do what its key can, for as long
as the key opens.
"""

import hmac
from typing import Final

from msgspec import Struct

from reteval.contract.audit import AuditEvent
from reteval.contract.tokens import SESSION, read_token, spell_token
from service.core.api_keys import new_secret
from service.core.audit import record
from service.core.backend import Backend
from service.core.keyring import digest_token
from service.store.keys import new_id
from service.store.sessions import SessionRecord

LIFETIME_S: Final = 12 * 3_600
_NOBODY: Final = bytes(32)


class NewSession(Struct, frozen=True, kw_only=True):
    """A session that just began; its token leaves once, in a cookie."""

    token: str
    lifetime_s: int


async def begin_session(backend: Backend, key: str) -> NewSession:
    """Begin a session of the caller, who was let in by `key`."""
    session_id = new_id(SESSION)
    token = spell_token(SESSION, session_id.removeprefix(f"{SESSION}_"), new_secret())
    now_ms = backend.now_ms()
    await backend.store.sessions.create(
        SessionRecord(
            id=session_id,
            digest=digest_token(token),
            key=backend.identity.key,
            key_digest=digest_token(key),
            created_ms=now_ms,
            expires_ms=now_ms + LIFETIME_S * 1_000,
        )
    )
    await record(backend, AuditEvent.SIGNED_IN, target=session_id)
    return NewSession(token=token, lifetime_s=LIFETIME_S)


async def find_session(backend: Backend, token: str) -> SessionRecord | None:
    """Return the session of a token, if there is one that has not ended."""
    read = read_token(token)
    if read is None or read.prefix != SESSION:
        return None
    found = await backend.store.sessions.find(f"{SESSION}_{read.id}")
    known = hmac.compare_digest(digest_token(token), found.digest if found else _NOBODY)
    return found if known and found and found.expires_ms > backend.now_ms() else None


async def end_session(backend: Backend) -> None:
    """End the caller's session, if it has one."""
    session_id = backend.identity.session
    if session_id:
        await backend.store.sessions.delete(session_id)
        await record(backend, AuditEvent.SIGNED_OUT, target=session_id)
