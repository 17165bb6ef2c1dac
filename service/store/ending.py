"""Ending tasks that talk to Redis.

On Python 3.11 `asyncio.wait_for`, which redis-py wraps around each command, drops a cancellation
that arrives just as the command completes. One `cancel()` is therefore not enough.
"""

import asyncio
from typing import Any, Final

AGAIN_S: Final = 0.05


async def end_task(task: "asyncio.Task[Any]") -> None:
    """Cancel a task until it is over; what it raised, other than the cancellation, is raised."""
    while not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=AGAIN_S)
    if not task.cancelled():
        task.result()
