"""Bounded gzip: never more in memory than a step, never more out than the body may have."""

import zlib
from collections.abc import AsyncIterator
from typing import Final

from service.errors import MalformedTextError, TooLargeError

_GZIP: Final = 31
_STEP_BYTES: Final = 1 << 20
_RATIO: Final = 100
"""No text of queries is smaller than a hundredth when packed; a bomb is."""


async def inflate(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Unpack a gzip body of one member as it arrives.

    Raises:
        MalformedTextError: it is not gzip, ends too early, or goes on behind its end.
        TooLargeError: it grows as no text does.
    """
    inflater = zlib.decompressobj(_GZIP)
    packed = unpacked = 0
    async for chunk in chunks:
        packed += len(chunk)
        rest = chunk
        while rest:
            piece = _step(inflater, rest)
            rest = inflater.unconsumed_tail
            unpacked += len(piece)
            if unpacked > _STEP_BYTES + _RATIO * packed:
                raise TooLargeError(
                    f"The gzip body grows more than {_RATIO}-fold; send it unpacked."
                )
            if inflater.unused_data:
                raise MalformedTextError("Something follows the end of the gzip body.")
            yield piece
    if not inflater.eof:
        raise MalformedTextError("The gzip body ends too early.")


def _step(inflater: "zlib._Decompress", packed: bytes) -> bytes:
    try:
        return inflater.decompress(packed, _STEP_BYTES)
    except zlib.error as exc:
        raise MalformedTextError("The body is not gzip, though Content-Encoding says so.") from exc
