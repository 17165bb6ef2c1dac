"""Rows that are too many to hold: tables in one temporary file, which small runs never touch."""

import weakref
from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

IN_MEMORY_BYTES: Final = 4_000_000
"""Written beyond this, the tables move to disk."""
BLOCK: Final = 256
"""Rows that a table gathers before it writes them."""

Rows = NDArray[Any]


class Spool:
    """The file that tables share; gone once nobody holds it or its tables any more."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(max_size=IN_MEMORY_BYTES)  # noqa: SIM115 - see below
        weakref.finalize(self, self._file.close)
        self._end = 0

    def write(self, blob: bytes | bytearray) -> int:
        """Append and return where it begins."""
        begin = self._end
        self._file.seek(begin)
        self._file.write(blob)
        self._end += len(blob)
        return begin

    def read(self, begin: int, size: int) -> bytes:
        """Return what was written."""
        self._file.seek(begin)
        return self._file.read(size)


class Table:
    """Rows of one type, appended in blocks and read back in the same order."""

    def __init__(self, spool: Spool, kind: DTypeLike) -> None:
        self._spool = spool
        self._kind = np.dtype(kind)
        self._written: list[tuple[int, int]] = []
        self._recent = bytearray()

    def append(self, rows: Rows) -> None:
        """Add rows at the end."""
        self._recent += rows.tobytes()
        if len(self._recent) >= BLOCK * self._kind.itemsize:
            self._written.append((self._spool.write(self._recent), len(self._recent)))
            self._recent = bytearray()

    def read(self) -> Rows:
        """Return all rows."""
        return np.frombuffer(b"".join(self._blobs()), dtype=self._kind)

    def blocks(self) -> Iterator[Rows]:
        """Yield the rows a block at a time."""
        for blob in self._blobs():
            yield np.frombuffer(blob, dtype=self._kind)

    def _blobs(self) -> Iterator[bytes]:
        for begin, size in self._written:
            yield self._spool.read(begin, size)
        if self._recent:
            yield bytes(self._recent)
