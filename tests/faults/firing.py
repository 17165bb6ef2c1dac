"""Processes that walk over the same minutes of a schedule, of which all but one are killed.

`python -m tests.faults.firing STORE_URL FIRST_MS MINUTES SEED`: the parent has no threads, so that
it may fork; each child connects for itself.
"""

import asyncio
import os
import random
import signal
import sys
import time

from service.core.firing import fire_due
from service.queue import JobQueue
from service.store.store import Store
from tests.scheduled import MINUTE_MS
from tests.unit.service.core.backends import a_backend

VICTIMS = 10
LIVES_S = 0.15
"""A victim is killed within this time."""


async def walk(url: str, first_ms: int, minutes: int) -> None:
    """Make a round at every minute."""
    store, queue = Store.connect(url), JobQueue.connect(url)
    backend = a_backend(store, queue)
    for minute in range(minutes):
        await fire_due(backend, first_ms + minute * MINUTE_MS)
    await store.close()
    queue.close()


def fork_walk(url: str, first_ms: int, minutes: int) -> int:
    """Let a child walk; return its process id."""
    pid = os.fork()
    if pid == 0:
        asyncio.run(walk(url, first_ms, minutes))
        os._exit(0)
    return pid


def main() -> None:
    """Kill victims at random moments while one process walks to the end; then another does."""
    url, first_ms, minutes, seed = sys.argv[1], *map(int, sys.argv[2:])
    rng = random.Random(seed)  # noqa: S311 - no secret
    survivor = fork_walk(url, first_ms, minutes)
    for _ in range(VICTIMS):
        victim = fork_walk(url, first_ms, minutes)
        time.sleep(rng.uniform(0.02, LIVES_S))
        os.kill(victim, signal.SIGKILL)
        os.waitpid(victim, 0)
    os.waitpid(survivor, 0)


if __name__ == "__main__":
    main()
