"""How fast a body must come: a client that hardly sends holds a connection and nothing else."""

import asyncio
from collections.abc import AsyncIterator

from msgspec import Struct

from service.errors import TooSlowError


class Pace(Struct, frozen=True, kw_only=True):
    """Seconds that a body may take besides those its bytes take at the least rate."""

    grace_s: float
    bytes_per_s: int

    async def hold(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """Yield the chunks of a body for as long as they come fast enough.

        The time the reader takes between two chunks does not count.

        Raises:
            TooSlowError: too few bytes in the time since the first was awaited.
        """
        loop = asyncio.get_running_loop()
        left = self.grace_s
        while True:
            began = loop.time()
            try:
                async with asyncio.timeout(left):
                    chunk = await anext(chunks, None)
            except TimeoutError as exc:
                raise TooSlowError(
                    f"A body must come at {self.bytes_per_s:,} bytes a second or faster, "
                    f"with pauses of {self.grace_s:g} seconds in all."
                ) from exc
            if chunk is None:
                return
            left = min(self.grace_s, left - (loop.time() - began) + len(chunk) / self.bytes_per_s)
            yield chunk
