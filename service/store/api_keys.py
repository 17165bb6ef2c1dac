"""API keys as they are kept: everything about them but their secrets, of which only digests are."""

from typing import Any, Final

from msgspec import Struct

from reteval.contract.api_keys import Scope
from service.errors import NotFoundError
from service.store import keys
from service.store.connection import Connection
from service.store.idempotency import refuse_second, script_words
from service.store.records import Idempotency
from service.store.scripts import Scripts, text

KEPT_MS: Final = 30 * 86_400_000
"""How long a key is still listed after it has expired."""


class ApiKeyRecord(Struct, frozen=True, kw_only=True):
    """A key. Times are milliseconds; `used_ms` is right to the minute."""

    id: str
    team: str
    name: str
    scopes: tuple[Scope, ...]
    last4: str
    digest: bytes
    created_ms: int
    created_by: str
    expires_ms: int
    revoked_ms: int | None = None
    used_ms: int | None = None

    def opens(self, now_ms: int) -> bool:
        """Whether it is neither revoked nor expired."""
        return self.revoked_ms is None and now_ms < self.expires_ms


class Handover(Struct, frozen=True, kw_only=True):
    """The key that a new one replaces, and until when it still opens."""

    old: str
    until_ms: int


class ApiKeys:
    """All keys of a deployment."""

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts

    async def create(
        self,
        record: ApiKeyRecord,
        *,
        handover: Handover | None = None,
        idempotency: Idempotency | None = None,
    ) -> None:
        """Write a new key, and when the one that it replaces ends.

        Raises:
            NotFoundError: there is no such team.
            IdempotencyConflictError, ShownOnceError: see `refuse_second`.
        """
        entry, token = script_words(idempotency)
        team = "" if record.team == keys.DEFAULT_TENANT else record.team
        verdict = text(
            await self._scripts.run(
                "create_api_key",
                [
                    keys.api_key(record.id),
                    keys.api_keys(record.team),
                    keys.TEAMS,
                    entry,
                    keys.api_key(handover.old if handover else ""),
                ],
                [
                    record.id,
                    team,
                    record.expires_ms + KEPT_MS,
                    token,
                    handover.until_ms if handover else "",
                    *_write(record),
                ],
            )
        )
        refuse_second(verdict)
        if verdict == "no_team":
            raise NotFoundError(f"There is no team {record.team!r}; list them with GET /v1/teams.")

    async def first(self) -> str:
        """Return the id of the key that bootstrapping made; empty before."""
        return text(await self._connection.get(keys.FIRST_KEY) or b"")

    async def claim_first(self, key_id: str, *, after: str) -> bool:
        """Make a key the first one, in the place of `after`; False where another went ahead."""
        return bool(await self._scripts.run("claim_first_key", [keys.FIRST_KEY], [key_id, after]))

    async def find(self, key_id: str) -> ApiKeyRecord | None:
        """Return a key, whoever's it is and whatever became of it."""
        fields = await self._connection.hgetall(keys.api_key(key_id))
        return _read(key_id, fields) if fields else None

    async def page(
        self, tenant: str, *, before: str | None, limit: int
    ) -> tuple[list[ApiKeyRecord], str | None]:
        """Return keys of a team, newest first, and where the next page begins."""
        rows = await self._connection.zrevrange(
            keys.api_keys(tenant), below=before, limit=limit + 1
        )
        found = [await self.find(member) for member, _ in rows[:limit]]
        position = rows[limit - 1][1] if len(rows) > limit else None
        return [record for record in found if record is not None], position

    async def revoke(self, key_id: str, at_ms: int) -> None:
        """Let a key open nothing from now on."""
        await self._set(key_id, "revoked_ms", at_ms)

    async def touch(self, key_id: str, at_ms: int) -> None:
        """Note when a key was used last."""
        await self._set(key_id, "used_ms", at_ms)

    async def _set(self, key_id: str, field: str, number: int) -> None:
        await self._connection.hset(keys.api_key(key_id), field, str(number).encode())


def _write(record: ApiKeyRecord) -> list[str | bytes | int]:
    fields: list[str | bytes | int] = []
    for name in ("team", "name", "last4", "digest", "created_ms", "created_by", "expires_ms"):
        fields += [name, getattr(record, name)]
    return [*fields, "scopes", " ".join(record.scopes)]


def _read(key_id: str, fields: dict[str, bytes]) -> ApiKeyRecord:
    values: dict[str, Any] = {
        name: int(value) if name.endswith("_ms") else value.decode()
        for name, value in fields.items()
        if name != "digest"
    }
    values["scopes"] = tuple(Scope(word) for word in values["scopes"].split())
    return ApiKeyRecord(id=key_id, digest=fields["digest"], **values)
