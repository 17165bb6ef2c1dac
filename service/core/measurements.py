"""What is measured of the whole deployment: queues, jobs, totals, the store, the workers."""

from msgspec import Struct

from service.core.backend import Backend
from service.errors import ServiceError
from service.store.counters import Series
from service.store.load import Backlog, QueueLoad
from service.store.sizes import Memory

__all__ = ["Measurements", "QueueLoad", "Series", "measure"]


class Measurements(Struct, frozen=True, kw_only=True):
    """One look at the store. `calls` are wake-up calls, `workers` living processes, by queue."""

    backlog: Backlog
    totals: dict[Series, int]
    memory: Memory
    findings: int
    calls: dict[str, int]
    workers: dict[str, int]


async def measure(backend: Backend) -> Measurements | None:
    """Look at the store and the queues; None while they do not answer."""
    try:
        return Measurements(
            backlog=await backend.store.load.backlog(),
            totals=await backend.store.counters.read(),
            memory=await backend.store.sizes.memory(),
            findings=len(await backend.store.findings()),
            calls=await backend.queue.depth(),
            workers=await backend.queue.workers(),
        )
    except ServiceError:
        return None
