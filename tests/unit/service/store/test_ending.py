import asyncio
import contextlib

import pytest

from service.store.ending import end_task


async def test_task_that_drops_a_cancellation_is_ended() -> None:
    """A task that swallows its first cancellation, as redis-py can, still ends."""
    swallowed = 0

    async def stubborn() -> None:
        nonlocal swallowed
        while swallowed < 2:
            try:
                await asyncio.sleep(3_600)
            except asyncio.CancelledError:
                swallowed += 1
        await asyncio.sleep(3_600)

    task = asyncio.create_task(stubborn())
    await asyncio.sleep(0)
    await end_task(task)
    assert (task.cancelled(), swallowed) == (True, 2)


async def test_failure_of_the_task_is_raised() -> None:
    """What went wrong in the task is not lost by ending it."""

    async def broken() -> None:
        raise LookupError("gone")

    task = asyncio.create_task(broken())
    with contextlib.suppress(LookupError):
        await asyncio.wait({task})
    with pytest.raises(LookupError):
        await end_task(task)
