"""Queries of an upload while it arrives, and of a stored set: written and read by the chunk."""

import asyncio
import secrets
from typing import Final

import msgspec
from msgspec import Struct

from reteval.contract.testsets import Query
from service.store import chunks, keys
from service.store.connection import Connection
from service.store.damage import reading

STAGING_MS: Final = 3_600_000
_TOGETHER_BYTES: Final = 65_536
"""Packed, that are written at once: the store takes each write to its disk."""


class StoredQuery(Struct, frozen=True):
    """A query as it is stored, decoded when that is wanted; equal bytes are equal queries."""

    id: str
    raw: msgspec.Raw

    def decode(self) -> Query:
        """Return the query."""
        with reading("a list"):
            return msgspec.msgpack.decode(self.raw, type=Query)


class QueryList:
    """The queries of a test set, or of one that is staged, a stored chunk at a time."""

    def __init__(self, connection: Connection, key: str) -> None:
        self._connection = connection
        self._key = key

    async def blob(self, number: int) -> bytes | None:
        """Return a chunk as it is stored; None past the last."""
        return await self._connection.hget(self._key, str(number))

    async def read(self, number: int) -> list[StoredQuery]:
        """Return the queries of a chunk; none past the last."""
        blob = await self.blob(number)
        return [] if blob is None else await asyncio.to_thread(_name_all, blob)


class Staging:
    """An upload in progress. What is not committed within an hour expires.

    Chunks are packed as they fill, and some written together while the next queries are read.
    """

    def __init__(self, connection: Connection, tenant: str) -> None:
        self._connection = connection
        self._pending: list[Query] = []
        self._packer = chunks.Packer()
        self._packed: dict[str, bytes] = {}
        self._packed_bytes = self._count = 0
        self._under_way: asyncio.Task[None] | None = None
        self.bytes = 0
        self.key = keys.staging(tenant, secrets.token_hex(16))

    async def write(self, queries: list[Query]) -> None:
        """Append queries; what is full goes to the store once what was before it is there."""
        self._pending.extend(queries)
        while len(self._pending) >= chunks.SIZE:
            await self._pack(self._pending[: chunks.SIZE])
            del self._pending[: chunks.SIZE]

    async def seal(self) -> None:
        """Write what is left of the last chunk, and wait until all is written."""
        if self._pending:
            await self._pack(self._pending)
            self._pending = []
        await self._send()
        await self._finish()

    def written(self) -> QueryList:
        """Return what was written; all of it once this was sealed."""
        return QueryList(self._connection, self.key)

    async def discard(self) -> None:
        """Drop everything written."""
        if self._under_way is not None:  # what is written after the deletion would stay
            await asyncio.gather(self._under_way, return_exceptions=True)
        await self._connection.unlink(self.key)

    async def _pack(self, queries: list[Query]) -> None:
        field, blob = str(self._count), await self._packer.pack(queries)
        self._count += 1
        self._packed[field] = blob
        self._packed_bytes += len(blob)
        self.bytes += len(field) + len(blob)
        if self._packed_bytes >= _TOGETHER_BYTES:
            await self._send()

    async def _send(self) -> None:
        await self._finish()
        if self._packed:
            packed, self._packed, self._packed_bytes = self._packed, {}, 0
            self._under_way = asyncio.create_task(self._write(packed))

    async def _finish(self) -> None:
        if self._under_way is not None:
            task, self._under_way = self._under_way, None
            await task

    async def _write(self, packed: dict[str, bytes]) -> None:
        await self._connection.hset_for(self.key, packed, lifetime_ms=STAGING_MS)


class _Named(Struct):
    # As much of a query as is read of all.
    id: str


def _name_all(blob: bytes) -> list[StoredQuery]:
    name = msgspec.msgpack.Decoder(_Named).decode
    raws = chunks.unpack(blob, list[msgspec.Raw])
    with reading("a list"):
        return [StoredQuery(name(raw).id, raw) for raw in raws]
