"""Watching a run: its state each time that something of it changes."""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

from reteval.contract.limits import MAX_WAIT_S
from reteval.contract.runs import Run
from service.core.backend import Backend
from service.core.runs import get_run

PAUSE_S: Final = 0.5


async def watch_run(
    backend: Backend, run_id: str, *, pause_s: float = PAUSE_S, for_s: float = MAX_WAIT_S
) -> AsyncIterator[Run]:
    """Yield a run now and whenever it has changed, until it has ended or `for_s` seconds are over.

    Raises:
        NotFoundError: no such run, or no longer.
    """
    loop = asyncio.get_running_loop()
    until = loop.time() + for_s
    seen: Run | None = None
    while True:
        run = await get_run(backend, run_id)
        if run != seen:
            yield run
        if run.status.terminal or loop.time() + pause_s > until:
            return
        seen = run
        await asyncio.sleep(pause_s)
