"""Sessions of people who signed in with a key; each ends by itself."""

import msgspec
from msgspec import Struct

from service.store import keys
from service.store.connection import Connection


class SessionRecord(Struct, frozen=True, kw_only=True):
    """A session: a digest of its token, and the key it stands for. Times are milliseconds.

    `key_digest` is of the key as it was given, so that a session ends with the key it began with.
    """

    id: str
    digest: bytes
    key: str
    key_digest: bytes
    created_ms: int
    expires_ms: int


class Sessions:
    """All sessions of a deployment."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def create(self, record: SessionRecord) -> None:
        """Write a session; the store forgets it when it ends."""
        await self._connection.set(
            keys.session(record.id),
            msgspec.json.encode(record),
            lifetime_ms=record.expires_ms - record.created_ms,
        )

    async def find(self, session_id: str) -> SessionRecord | None:
        """Return a session that has not ended."""
        stored = await self._connection.get(keys.session(session_id))
        return msgspec.json.decode(stored, type=SessionRecord) if stored else None

    async def delete(self, session_id: str) -> None:
        """End a session; one that has ended is none."""
        await self._connection.unlink(keys.session(session_id))
