"""The audit log: streams that are only ever appended to, and keep their newest events."""

import secrets
from collections.abc import Mapping
from typing import Final

from reteval.contract.audit import AuditEvent
from service.store import keys
from service.store.connection import Connection
from service.store.scripts import Scripts

MAX_EVENTS: Final = 100_000
"""Of each stream, roughly: the server drops whole blocks of the oldest."""

Entry = tuple[str, dict[str, str]]
"""An event: its id in the stream, which begins with the time in milliseconds, and its fields."""


class Audit:
    """What happened, in streams by name."""

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts

    async def append(self, log: str, fields: Mapping[str, str]) -> None:
        """Add an event."""
        words = [word for pair in fields.items() for word in pair]
        await self._scripts.run(
            "append_event",
            [keys.audit(log), keys.audit_seen(secrets.token_hex(16))],
            [MAX_EVENTS, *words],
        )

    async def deny(self, team: str, *, target: str, detail: str) -> None:
        """Add that a worker did not call an address that a team's `target` has."""
        event = AuditEvent.EGRESS_DENIED
        about = {"team": team, "target": target, "detail": detail}
        nobody = {"key": "", "ip": "", "request_id": ""}
        await self.append(event.log.value, {"event": event.value, **about, **nobody})

    async def page(
        self, log: str, *, before: str | None, limit: int
    ) -> tuple[list[Entry], str | None]:
        """Return events, newest first, and where the next page begins."""
        rows = await self._connection.xrevrange(keys.audit(log), below=before, limit=limit + 1)
        return rows[:limit], rows[limit - 1][0] if len(rows) > limit else None
