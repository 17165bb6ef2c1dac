"""What is found on the way to the store."""

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

from worker.jobs.keeping import PAUSE_S, Keeper


async def test_end_waits_for_what_is_being_written() -> None:
    """A batch whose writing had begun when the end came is written once, and so is the rest."""
    written: list[str] = []
    begun = asyncio.Event()

    async def write(batch: Sequence[str]) -> None:
        written.extend(batch)  # the store has it before the answer is here
        begun.set()
        await asyncio.sleep(0.05)

    work = cast("Any", SimpleNamespace(hold=SimpleNamespace(reason=None)))
    async with Keeper(work, write) as keeper:
        keeper.take("first")
        async with asyncio.timeout(20 * PAUSE_S):
            await begun.wait()
        keeper.take("second")
    assert written == ["first", "second"]
