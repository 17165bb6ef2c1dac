"""Links that open one run to whoever has them, until they expire."""

from typing import Final

import msgspec
from msgspec import Struct

from service.errors import InvalidError, NotFoundError
from service.store import keys
from service.store.connection import Connection
from service.store.idempotency import refuse_second, script_words
from service.store.records import Idempotency
from service.store.runs import missing_run
from service.store.scripts import Scripts, text

MAX_LINKS: Final = 100
"""To one run, those that have expired included until they are listed."""


class LinkRecord(Struct, frozen=True, kw_only=True):
    """A link. Times are milliseconds."""

    id: str
    team: str
    run: str
    digest: bytes
    created_ms: int
    created_by: str
    expires_ms: int


class Links:
    """All links of a deployment."""

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts

    async def create(self, record: LinkRecord, *, idempotency: Idempotency | None = None) -> None:
        """Write a new link.

        Raises:
            NotFoundError: there is no such run.
            InvalidError: the run has as many links as it may.
            IdempotencyConflictError, ShownOnceError: see `refuse_second`.
        """
        entry, token = script_words(idempotency)
        verdict = text(
            await self._scripts.run(
                "create_link",
                [
                    keys.job(record.team, record.run),
                    keys.job_part(record.team, record.run, "links"),
                    keys.link(record.id),
                    entry,
                ],
                [
                    record.id,
                    msgspec.json.encode(record),
                    record.expires_ms - record.created_ms,
                    MAX_LINKS,
                    token,
                ],
            )
        )
        refuse_second(verdict)
        if verdict == "missing":
            raise missing_run(record.run)
        if verdict == "full":
            raise InvalidError(f"A run has at most {MAX_LINKS} links; delete some.")

    async def find(self, link_id: str) -> LinkRecord | None:
        """Return a link that has not expired, whoever's run it opens."""
        stored = await self._connection.get(keys.link(link_id))
        return msgspec.json.decode(stored, type=LinkRecord) if stored else None

    async def of_run(self, tenant: str, run_id: str, *, now_ms: int) -> list[LinkRecord]:
        """Return the links of a run, oldest first; those that have expired are dropped."""
        stored = await self._connection.hvals(keys.job_part(tenant, run_id, "links"))
        links = [msgspec.json.decode(value, type=LinkRecord) for value in stored]
        expired = [link.id for link in links if link.expires_ms <= now_ms]
        if expired:
            await self._drop(tenant, run_id, expired)
        living = [link for link in links if link.expires_ms > now_ms]
        return sorted(living, key=lambda link: (link.created_ms, link.id))

    async def delete(self, tenant: str, run_id: str, link_id: str) -> None:
        """Close a link.

        Raises:
            NotFoundError: the run has no such link.
        """
        if not await self._drop(tenant, run_id, [link_id]):
            raise NotFoundError(f"Run {run_id!r} has no link {link_id!r}.")

    async def _drop(self, tenant: str, run_id: str, ids: list[str]) -> int:
        dropped: int = await self._scripts.run(
            "delete_link",
            [keys.job_part(tenant, run_id, "links"), *map(keys.link, ids)],
            list(ids),
        )
        return dropped
