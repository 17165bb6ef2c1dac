"""The packed record of an ended run, read back a stretch at a time."""

import math
from array import array
from collections.abc import Iterable, Sequence

import msgspec

from reteval.contract.outcomes import Outcome, OutcomeRow, PlannedRequest
from reteval.contract.unjudged import UnjudgedHits
from service.errors import NotTerminalError
from service.store import chunks, keys
from service.store.connection import Connection
from service.store.damage import reading
from service.store.packing import Columns, read_numbers, unpack_columns
from service.store.plans import PlanSize
from service.store.runs import missing_run


class Outcomes:
    """Reads what `Journal` packed. A run that never started has an empty record."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def plan_size(self, tenant: str, run_id: str) -> tuple[int, int]:
        """Return the number of clean requests, and of all.

        Raises:
            NotTerminalError: the run has not ended.
            NotFoundError: no such run.
        """
        size = await self._read_size(tenant, run_id)
        return size.clean, size.total

    async def variants(self, tenant: str, run_id: str) -> range:
        """Return the places of the variants in the plan.

        Raises:
            NotTerminalError, NotFoundError: as `plan_size`.
        """
        size = await self._read_size(tenant, run_id)
        return range(size.clean, size.clean + size.variants)

    async def requests(
        self, tenant: str, run_id: str, *, start: int, stop: int
    ) -> list[PlannedRequest]:
        """Return a stretch of the plan."""
        key = keys.job_part(tenant, run_id, "plan")
        return await chunks.read_slice(
            self._connection, key, PlannedRequest, start=start, stop=stop
        )

    async def rows(self, tenant: str, run_id: str, *, start: int, stop: int) -> list[OutcomeRow]:
        """Return a stretch of the outcomes with their requests, in plan order."""
        requests = await self.requests(tenant, run_id, start=start, stop=stop)
        outcomes = await self._outcomes(tenant, run_id, start, start + len(requests))
        with reading(f"the outcomes of {run_id!r}"):
            return [
                OutcomeRow(
                    query_id=request.query_id,
                    query=request.text,
                    kind=request.kind,
                    severity=request.severity,
                    replicate=request.replicate,
                    outcome=outcome,
                )
                for request, outcome in zip(requests, outcomes, strict=True)
            ]

    async def columns(
        self, tenant: str, run_id: str, names: Sequence[str] | None = None
    ) -> dict[str, "array[float]"]:
        """Return per-query metric values (float64, NaN: undefined) over the clean requests."""
        key = keys.job_part(tenant, run_id, "columns")
        blobs = await self._connection.hgetall(key)
        return {
            name: _floats(blob) for name, blob in blobs.items() if names is None or name in names
        }

    async def variant_values(
        self, tenant: str, run_id: str, *, start: int, stop: int
    ) -> list[tuple[float, float]]:
        """Return the headline metric of some variants, and of the queries they were made from.

        `start` and `stop` count variants. NaN where there is no value.
        """
        if stop <= start:
            return []
        key = keys.job_part(tenant, run_id, "variants")
        first, last = start // chunks.SIZE, (stop - 1) // chunks.SIZE
        blobs = await self._connection.hmget(key, [str(n) for n in range(first, last + 1)])
        rows = [row for blob in blobs if blob for row in _read_worth(blob)]
        offset = start - first * chunks.SIZE
        found = rows[offset : offset + stop - start]
        return found + [(math.nan, math.nan)] * (stop - start - len(found))

    async def statuses(self, tenant: str, run_id: str) -> bytes:
        """Return a byte for each clean request: its place in `OutcomeStatus`."""
        blob = await self._connection.hget(keys.job_part(tenant, run_id, "packed"), "statuses")
        return chunks.unpack(blob, bytes) if blob else b""

    async def tags(self, tenant: str, run_id: str) -> list[list[str]]:
        """Return the tags of the clean requests, in plan order."""
        blob = await self._connection.hget(keys.job_part(tenant, run_id, "packed"), "tags")
        return chunks.unpack(blob, list[list[str]]) if blob else []

    async def slices(self, tenant: str, run_id: str) -> list[list[str]]:
        """Return the slices of the clean requests; by tag alone for a run of an older release."""
        blob = await self._connection.hget(keys.job_part(tenant, run_id, "packed"), "slices")
        if blob:
            return chunks.unpack(blob, list[list[str]])
        return [[f"tag:{tag}" for tag in tags] for tags in await self.tags(tenant, run_id)]

    async def unjudged(self, tenant: str, run_id: str, *, chunk: int) -> list[UnjudgedHits]:
        """Return a chunk of the unjudged documents, parallel to the test set's queries."""
        blob = await self._connection.hget(keys.job_part(tenant, run_id, "unjudged"), str(chunk))
        return chunks.unpack(blob, list[UnjudgedHits]) if blob else []

    async def chunk(
        self, tenant: str, run_id: str, number: int, ids: Sequence[str]
    ) -> list[Outcome]:
        """Return a chunk of the outcomes; `ids` are the run's documents, by number."""
        key = keys.job_part(tenant, run_id, "packed")
        fields = [f"outcomes:{number}", f"scores:{number}"]
        columns, scores = await self._connection.hmget(key, fields)
        if columns is None:
            return []
        with reading(f"the outcomes of {run_id!r}"):
            return unpack_columns(chunks.unpack(columns, Columns), scores or b"", ids)

    async def _outcomes(self, tenant: str, run_id: str, start: int, stop: int) -> list[Outcome]:
        if stop <= start:
            return []
        key = keys.job_part(tenant, run_id, "packed")
        first, last = start // chunks.SIZE, (stop - 1) // chunks.SIZE
        numbers = range(first, last + 1)
        blobs = await self._connection.hmget(key, [f"outcomes:{n}" for n in numbers])
        scores = await self._connection.hmget(key, [f"scores:{n}" for n in numbers])
        columns = [chunks.unpack(blob, Columns) for blob in blobs if blob is not None]
        outcomes: list[Outcome] = []
        with reading(f"the outcomes of {run_id!r}"):
            ids = await self._ids(key, columns)
            for column, score in zip(columns, scores, strict=True):
                outcomes += unpack_columns(column, score or b"", ids)
        offset = start - first * chunks.SIZE
        return outcomes[offset : offset + stop - start]

    async def _ids(self, key: str, columns: Sequence[Columns]) -> dict[int, str]:
        """Return the dictionary entries that the columns name, reading only their chunks."""
        wanted = {number // chunks.SIZE for c in columns for number in read_numbers(c)}
        if not wanted:
            return {}
        parts = sorted(wanted)
        blobs = await self._connection.hmget(key, [f"ids:{part}" for part in parts])
        return {
            part * chunks.SIZE + place: doc
            for part, blob in zip(parts, blobs, strict=True)
            if blob is not None
            for place, doc in enumerate(chunks.unpack(blob, list[str]))
        }

    async def _read_size(self, tenant: str, run_id: str) -> PlanSize:
        await self._check_ended(tenant, run_id)
        blob = await self._connection.hget(keys.job_part(tenant, run_id, "plan"), "size")
        packed = await self._connection.exists(keys.job_part(tenant, run_id, "packed"))
        if blob is None or not packed:
            return PlanSize(clean=0, total=0, shard=1)
        with reading(f"the plan of {run_id!r}"):
            return msgspec.msgpack.decode(blob, type=PlanSize)

    async def _check_ended(self, tenant: str, run_id: str) -> None:
        finished, exists = await self._connection.hmget(
            keys.job(tenant, run_id), ["finished_ms", "created_ms"]
        )
        if exists is None:
            raise missing_run(run_id)
        if finished is None:
            raise NotTerminalError(
                f"Run {run_id!r} has not ended; wait with GET /v1/runs/{run_id}?wait=20."
            )


def _read_worth(blob: bytes) -> Iterable[tuple[float, float]]:
    values = _floats(blob)
    half = len(values) // 2
    return zip(values[:half], values[half:], strict=True)


def _floats(blob: bytes | None) -> "array[float]":
    values = array("d")
    if blob:
        with reading("a column"):
            values.frombytes(chunks.unpack(blob, bytes))
    return values
