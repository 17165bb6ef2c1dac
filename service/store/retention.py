"""Deleting what is older than the operator keeps it, a little at a time.

Age counts from the end of a run or comparison, or from when it was last used: rescored, compared
or restored. Pinned runs stay, and comparisons of two pinned runs.
"""

from collections.abc import AsyncIterator
from typing import Final

from msgspec import Struct

from service.errors import NotFoundError, RunActiveError
from service.store import keys
from service.store.comparisons import Comparisons
from service.store.connection import Connection
from service.store.records import JobRecord
from service.store.runs import Runs

TENANTS: Final = 10
"""Tenants looked at in a round."""
BATCH: Final = 50
"""Runs, and comparisons, of a tenant looked at in a round."""
_DAY_MS: Final = 86_400_000


class Expired(Struct, frozen=True, kw_only=True):
    """What was deleted."""

    tenant: str
    id: str
    bytes: int
    finished_ms: int


class Retention:
    """Walks over the oldest runs and comparisons of all tenants, on from where it was."""

    def __init__(self, connection: Connection, runs: Runs, comparisons: Comparisons) -> None:
        self._connection = connection
        self._runs = runs
        self._comparisons = comparisons
        self._waiting: list[str] = []
        self._positions: dict[str, str] = {}

    async def sweep(self, *, days: int) -> list[Expired]:
        """Delete some of what ended over `days` ago, and tell what; 0 days keep everything."""
        if not days:
            return []
        if not self._waiting:
            self._waiting = sorted(await self._connection.smembers(keys.TENANTS))
        now, self._waiting = self._waiting[:TENANTS], self._waiting[TENANTS:]
        before_ms = await self._connection.now_ms() - days * _DAY_MS
        return [gone for tenant in now async for gone in self._sweep(tenant, before_ms)]

    async def _sweep(self, tenant: str, before_ms: int) -> AsyncIterator[Expired]:
        for run_id in await self._next(keys.runs(tenant), before_ms):
            if run := await self._expire_run(tenant, run_id, before_ms):
                yield run
        for comparison_id in await self._next(keys.comparison_times(tenant), before_ms):
            if comparison := await self._expire_comparison(tenant, comparison_id, before_ms):
                yield comparison

    async def _next(self, index: str, before_ms: int) -> list[str]:
        """Return the next objects of an index that were made before a time."""
        rows = await self._connection.zrangebyscore(
            index, above=self._positions.get(index), below=f"{before_ms}000", limit=BATCH
        )
        self._positions.pop(index, None)
        if len(rows) == BATCH:
            self._positions[index] = rows[-1][1]
        return [member for member, _ in rows]

    async def _expire_run(self, tenant: str, run_id: str, before_ms: int) -> Expired | None:
        try:
            record = await self._runs.get(tenant, run_id)
            if record.pinned or max(record.finished_ms or 0, record.used_ms) >= before_ms:
                return None
            await self._runs.delete(tenant, run_id)
        except (NotFoundError, RunActiveError):  # deleted meanwhile, or it goes on for that long
            return None
        return _tell(record, run_id)

    async def _expire_comparison(
        self, tenant: str, comparison_id: str, before_ms: int
    ) -> Expired | None:
        try:
            record = await self._comparisons.get(tenant, comparison_id)
            request = record.spec.request
            if (record.finished_ms or 0) >= before_ms:
                return None
            if await self._runs.pinned(tenant, (request.baseline, request.candidate)):
                return None
            await self._comparisons.delete(tenant, comparison_id)
        except (NotFoundError, RunActiveError):
            return None
        return _tell(record, comparison_id)


def _tell(record: JobRecord, object_id: str) -> Expired:
    return Expired(
        tenant=record.tenant,
        id=object_id,
        bytes=record.bytes or 0,
        finished_ms=record.finished_ms or 0,
    )
