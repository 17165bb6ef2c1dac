"""Lists cut into fixed chunks, each one compressed field of a hash: zstd over msgpack."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Sequence
from typing import Any, Final, TypeVar

import msgspec
import zstandard

from service.store.connection import Connection
from service.store.damage import reading

T = TypeVar("T")

SIZE: Final = 500
_LEVEL: Final = 3
_QUICK_BYTES: Final = 131_072


def pack(value: Any) -> bytes:
    """Encode a value as msgpack and compress it."""
    return _compress(msgspec.msgpack.encode(value))


async def pack_beside(value: Any) -> bytes:
    """Like `pack`; what takes long to compress is compressed beside other work."""
    encoded = msgspec.msgpack.encode(value)
    if len(encoded) <= _QUICK_BYTES:  # sooner done than handed to a thread
        return _compress(encoded)
    return await asyncio.to_thread(_compress, encoded)


def unpack(blob: bytes, kind: type[T]) -> T:
    """Reverse `pack`."""
    with reading("a list"):
        return msgspec.msgpack.decode(zstandard.decompress(blob), type=kind)


def _compress(encoded: bytes) -> bytes:
    return zstandard.compress(encoded, _LEVEL)


def split(items: Sequence[Any]) -> dict[str, bytes]:
    """Pack a whole list: field name to blob."""
    starts = range(0, len(items), SIZE)
    return {str(start // SIZE): pack(items[start : start + SIZE]) for start in starts}


async def regroup(parts: AsyncIterable[Sequence[T]]) -> AsyncIterator[list[T]]:
    """Yield the items of lists of any length in chunks."""
    waiting: list[T] = []
    async for part in parts:
        waiting += part
        while len(waiting) >= SIZE:
            yield waiting[:SIZE]
            del waiting[:SIZE]
    if waiting:
        yield waiting


async def read_slice(
    connection: Connection, key: str, kind: type[T], *, start: int, stop: int
) -> list[T]:
    """Return the items `start` to `stop` (exclusive) of a chunked list, as far as it goes."""
    if stop <= start:
        return []
    fields = [str(number) for number in range(start // SIZE, (stop - 1) // SIZE + 1)]
    blobs = await connection.hmget(key, fields)
    items = [item for blob in blobs if blob for item in _unpack_list(blob, kind)]
    offset = start - start // SIZE * SIZE
    return items[offset : offset + stop - start]


async def read_chunks(connection: Connection, key: str, kind: type[T]) -> AsyncIterator[list[T]]:
    """Yield the chunks of a list in order."""
    number = 0
    while blob := await connection.hget(key, str(number)):
        yield _unpack_list(blob, kind)
        number += 1


def _unpack_list(blob: bytes, kind: type[T]) -> list[T]:
    return unpack(blob, list[kind])  # type: ignore[valid-type]
