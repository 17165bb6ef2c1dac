"""Zip archives made on the way out: written to a spooled file, then read from it."""

import asyncio
import tempfile
import zipfile
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

_IN_MEMORY_BYTES: Final = 8_000_000
_READ_BYTES: Final = 65_536

Fill = Callable[[zipfile.ZipFile], Awaitable[None]]


async def stream_zip(fill: Fill) -> AsyncIterator[bytes]:
    """Yield the archive that `fill` writes; over eight megabytes of it stand in a file."""
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES) as spool:
        with zipfile.ZipFile(spool, "w", zipfile.ZIP_DEFLATED) as archive:
            await fill(archive)
        spool.seek(0)
        while block := await asyncio.to_thread(spool.read, _READ_BYTES):
            yield block


def add_text(archive: zipfile.ZipFile, name: str, text: str) -> None:
    """Add a short file, without a time of its own: the same content is the same bytes."""
    archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
