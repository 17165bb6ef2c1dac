"""Saved endpoints: a description in the clear and header values sealed beside it."""

import msgspec

from reteval.contract.endpoints import Endpoint
from reteval.contract.saved_endpoints import SavedEndpoint
from service.errors import ChangedError, NameTakenError, NotFoundError
from service.store import keys
from service.store.bare_report import iso_time
from service.store.connection import Connection
from service.store.damage import reading
from service.store.idempotency import script_words, under_way
from service.store.records import EndpointDraft, Idempotency
from service.store.scripts import Scripts, text


class Endpoints:
    """All saved endpoints of a deployment."""

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts

    async def put(
        self,
        tenant: str,
        endpoint_id: str,
        draft: EndpointDraft,
        *,
        new: bool = False,
        version: int = 0,
        idempotency: Idempotency | None = None,
    ) -> SavedEndpoint:
        """Write a saved endpoint, `new` or in the place of `version` (0: of any).

        Raises:
            ChangedError: it has another version by now.
            IdempotencyConflictError: another process took the key over.
            NameTakenError: another one has the name.
            NotFoundError: it is not new and not there.
        """
        entry, token = script_words(idempotency)
        verdict, made = await self._scripts.run(
            "put_endpoint",
            [
                keys.endpoint(tenant, endpoint_id),
                keys.endpoints(tenant),
                keys.endpoint_names(tenant),
                entry,
            ],
            [
                endpoint_id,
                draft.name,
                draft.description,
                msgspec.json.encode(draft.endpoint),
                draft.sealed,
                int(new),
                version,
                token,
            ],
        )
        if text(verdict) == "lost":
            raise under_way()
        if text(verdict) == "changed":
            raise ChangedError(f"{draft.name!r} was changed meanwhile; read it again, then repeat.")
        if text(verdict) == "taken":
            raise NameTakenError(
                f"A saved endpoint is named {draft.name!r} already; change that one."
            )
        if text(verdict) == "missing":
            raise _missing(endpoint_id)
        return await self._read(tenant, text(made), draft.name)

    async def get(self, tenant: str, ref: str) -> SavedEndpoint:
        """Return a saved endpoint by id or name.

        Raises:
            NotFoundError: there is none.
        """
        return await self._read(tenant, await self._find(tenant, ref), ref)

    async def sealed(self, tenant: str, endpoint_id: str) -> bytes:
        """Return the sealed header values; empty where it has no headers."""
        return await self._connection.hget(keys.endpoint(tenant, endpoint_id), "secrets") or b""

    async def page(
        self, tenant: str, *, before: str | None, limit: int
    ) -> tuple[list[SavedEndpoint], str | None]:
        """Return saved endpoints, newest first, and where the next page begins."""
        rows = await self._connection.zrevrange(
            keys.endpoints(tenant), below=before, limit=limit + 1
        )
        found = [await self._read(tenant, member, member) for member, _ in rows[:limit]]
        return found, rows[limit - 1][1] if len(rows) > limit else None

    async def delete(self, tenant: str, ref: str) -> None:
        """Delete a saved endpoint; runs made with it keep their copy.

        Raises:
            NotFoundError: there is none.
        """
        endpoint_id = await self._find(tenant, ref)
        verdict = await self._scripts.run(
            "delete_endpoint",
            [
                keys.endpoint(tenant, endpoint_id),
                keys.endpoints(tenant),
                keys.endpoint_names(tenant),
            ],
            [endpoint_id],
        )
        if text(verdict) == "missing":
            raise _missing(ref)

    async def _find(self, tenant: str, ref: str) -> str:
        named = await self._connection.hget(keys.endpoint_names(tenant), ref)
        return named.decode() if named else ref

    async def _read(self, tenant: str, endpoint_id: str, ref: str) -> SavedEndpoint:
        fields = await self._connection.hgetall(keys.endpoint(tenant, endpoint_id))
        if not fields:
            raise _missing(ref)
        with reading(f"the endpoint {endpoint_id!r}"):
            return SavedEndpoint(
                id=endpoint_id,
                name=fields["name"].decode(),
                description=fields["description"].decode(),
                endpoint=msgspec.json.decode(fields["endpoint"], type=Endpoint),
                version=int(fields["version"]),
                created_at=iso_time(int(fields["created_ms"])),
                updated_at=iso_time(int(fields["updated_ms"])),
            )


def _missing(ref: str) -> NotFoundError:
    return NotFoundError(f"There is no saved endpoint {ref!r}; list them with GET /v1/endpoints.")
