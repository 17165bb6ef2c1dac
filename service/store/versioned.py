"""Records that people write and change, whoever has read them last: schedules and alerts."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

from service.errors import ChangedError, CorruptRecordError, InvalidError, NotFoundError
from service.store.connection import Connection
from service.store.damage import report_damage
from service.store.idempotency import script_words, under_way
from service.store.records import Idempotency
from service.store.scripts import Scripts, text

T = TypeVar("T")
NEW: Final = -1
ANY: Final = 0
"""In the place of the version that a record must have to be written."""

Word = str | bytes | int
Rows = tuple[list[T], str | None]


class Versioned(ABC, Generic[T]):
    """All records of one kind. A kind says what it is called and how its fields are read."""

    about: str
    """What one is called."""
    path: str
    most: int
    """Records that a team may have."""
    script: str
    record_key: Callable[[str, str], str]
    index_key: Callable[[str], str]
    log_key: Callable[[str, str], str]

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts

    async def get(self, tenant: str, record_id: str) -> T:
        """Return a record.

        Raises:
            NotFoundError: there is none.
            CorruptRecordError: it cannot be read.
        """
        fields = await self._connection.hgetall(type(self).record_key(tenant, record_id))
        if not fields:
            raise self._missing(record_id)
        return self._read(record_id, fields)

    async def page(self, tenant: str, *, before: str | None, limit: int) -> Rows[T]:
        """Return records, newest first, and where the next page begins."""
        index = type(self).index_key(tenant)
        rows = await self._connection.zrevrange(index, below=before, limit=limit + 1)
        found = [await self._find(tenant, member) for member, _ in rows[:limit]]
        following = rows[limit - 1][1] if len(rows) > limit else None
        return [record for record in found if record is not None], following

    async def log(
        self, tenant: str, record_id: str, *, before: str | None, limit: int
    ) -> Rows[bytes]:
        """Return rows of a record's log, newest first; an older one may outlive its record.

        Raises:
            NotFoundError: there is neither the record nor a log.
        """
        log = type(self).log_key(tenant, record_id)
        rows = await self._connection.zrevrange(log, below=before, limit=limit + 1)
        if not rows and not await self._connection.exists(log):
            await self.get(tenant, record_id)
        following = rows[limit - 1][1] if len(rows) > limit else None
        return [row.encode() for row, _ in rows[:limit]], following

    @abstractmethod
    def _read(self, record_id: str, fields: dict[str, bytes]) -> T:
        """Return a record as its fields say.

        Raises:
            CorruptRecordError: they cannot be read.
        """

    async def _put(
        self,
        tenant: str,
        record_id: str,
        version: int,
        idempotency: Idempotency | None,
        more_keys: list[str],
        words: list[Word],
    ) -> T:
        """Write a record: a new one, or in the place of a version.

        Raises:
            ChangedError: it has another version by now.
            IdempotencyConflictError: another process took the key over.
            InvalidError: the team has as many as it may.
            NotFoundError: it is not new and not there.
        """
        kind = type(self)
        entry, token = script_words(idempotency)
        verdict, made = await self._scripts.run(
            self.script,
            [kind.record_key(tenant, record_id), kind.index_key(tenant), entry, *more_keys],
            [record_id, self.most if version == NEW else 0, max(version, ANY), token, *words],
        )
        if text(verdict) == "lost":
            raise under_way()
        if text(verdict) == "changed":
            raise ChangedError(f"{record_id!r} was changed meanwhile; read it again, then repeat.")
        if text(verdict) == "full":
            raise InvalidError(f"There are {self.most} {self.about}s already; delete one.")
        if text(verdict) == "missing":
            raise self._missing(record_id)
        return await self.get(tenant, text(made))

    async def _delete(
        self, script: str, tenant: str, record_id: str, keys: list[str], words: list[Word]
    ) -> None:
        kind = type(self)
        verdict: Any = await self._scripts.run(
            script,
            [kind.record_key(tenant, record_id), kind.index_key(tenant), *keys],
            [record_id, *words],
        )
        if text(verdict) == "missing":
            raise self._missing(record_id)

    async def _find(self, tenant: str, record_id: str) -> T | None:
        try:
            return await self.get(tenant, record_id)
        except NotFoundError:  # deleted between the index and the record
            return None
        except CorruptRecordError:  # a list has no place for it
            report_damage(record_id)
            return None

    def _missing(self, record_id: str) -> NotFoundError:
        return NotFoundError(
            f"There is no {self.about} {record_id!r}; list them with GET /v1/{self.path}."
        )
