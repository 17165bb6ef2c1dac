"""What teams let each other read: kept with the giver, found by the reader."""

from typing import Final

import msgspec

from reteval.contract.grants import Grant
from service.errors import InvalidError, NotFoundError
from service.store import keys
from service.store.connection import Connection
from service.store.idempotency import script_words, under_way
from service.store.records import Idempotency
from service.store.scripts import Scripts, text

MAX_GRANTS: Final = 1_000
"""That one team gives."""


class Grants:
    """All grants of a deployment."""

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts

    async def put(self, grant: Grant, *, idempotency: Idempotency | None = None) -> Grant:
        """Write a grant, or answer the one that says the same.

        Raises:
            InvalidError: the team has given as many as it may.
            NotFoundError: the key made one before, which was taken back.
            IdempotencyConflictError: another process took the key over.
        """
        entry, token = script_words(idempotency)
        verdict, stored = await self._scripts.run(
            "put_grant",
            [keys.grants(grant.team), keys.received(grant.to), entry],
            [grant.id, _subject(grant), msgspec.json.encode(grant), MAX_GRANTS, token],
        )
        if text(verdict) == "lost":
            raise under_way()
        if text(verdict) == "gone":
            raise NotFoundError("The grant that this Idempotency-Key made was taken back.")
        if text(verdict) == "full":
            raise InvalidError(
                f"A team gives at most {MAX_GRANTS:,} grants; delete some, or grant a label."
            )
        return msgspec.json.decode(stored, type=Grant)

    async def given(self, tenant: str) -> list[Grant]:
        """Return what a team granted, oldest first."""
        return _sorted(await self._connection.hvals(keys.grants(tenant)))

    async def received(self, tenant: str) -> list[Grant]:
        """Return what was granted to a team, by name or as one of all, oldest first."""
        named = await self._connection.hvals(keys.received(tenant))
        shared = await self._connection.hvals(keys.received(keys.EVERYONE))
        return _sorted([*named, *shared])

    async def delete(self, tenant: str, grant_id: str) -> Grant:
        """Take a grant back, and return it.

        Raises:
            NotFoundError: the team gave no such grant.
        """
        stored = await self._connection.hget(keys.grants(tenant), grant_id)
        if stored is None:
            raise NotFoundError(f"There is no grant {grant_id!r}; list them with GET /v1/grants.")
        grant = msgspec.json.decode(stored, type=Grant)
        await self._scripts.run(
            "delete_grant",
            [keys.grants(tenant), keys.received(grant.to)],
            [grant.id, _subject(grant)],
        )
        return grant

    async def for_run(self, reader: str, run_id: str) -> Grant | None:
        """Return the grant by which a team may read another team's run, if there is one."""
        return await self._find(reader, f"run:{run_id}", run_id)

    async def for_test_set(self, reader: str, test_set_id: str) -> Grant | None:
        """Return the grant by which a team may read another team's test set, if there is one."""
        return await self._find(reader, f"set:{test_set_id}", "")

    async def _find(self, reader: str, subject: str, run_id: str) -> Grant | None:
        stored = await self._scripts.run(
            "find_grant", [keys.received(reader), keys.received(keys.EVERYONE)], [subject, run_id]
        )
        return msgspec.json.decode(stored, type=Grant) if stored else None


def _subject(grant: Grant) -> str:
    if grant.run is not None:
        return f"run:{grant.run}"
    if grant.test_set is not None:
        return f"set:{grant.test_set}"
    return f"label:{grant.team}/{grant.label}"


def _sorted(stored: list[bytes]) -> list[Grant]:
    grants = [msgspec.json.decode(value, type=Grant) for value in stored]
    return sorted(grants, key=lambda grant: (grant.created_at, grant.id))
