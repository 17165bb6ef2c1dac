"""What the API does with any job: wake a worker, and wait for the end."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import structlog

from service.core.backend import Backend
from service.errors import StorageFullError, StoreUnavailableError
from service.store.records import JobRecord
from service.tracing import current_traceparent, is_traced, note

R = TypeVar("R", bound=JobRecord)
_FIRST_PAUSE_S: Final = 0.1
_LONGEST_PAUSE_S: Final = 1.0

_log = structlog.get_logger("reteval.jobs")


async def wake(backend: Backend, job_id: str, record: JobRecord) -> None:
    """Tell a worker. A lost wake-up only costs time: the reaper repeats it."""
    note(**{"reteval.job": job_id})
    try:
        if is_traced():
            await backend.store.jobs.trace(record.tenant, job_id, current_traceparent())
        units = await backend.store.jobs.unheld(record.tenant, job_id)
        calls = [unit.name_call(job_id) for unit in units]
        await backend.queue.enqueue(calls, queue=record.queue)
    except (StoreUnavailableError, StorageFullError):
        _log.warning("job.wake_failed", job=job_id)


async def await_end(read: Callable[[], Awaitable[R]], *, wait_s: float) -> R:
    """Read a record until it has ended, or as it is after `wait_s` seconds."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + wait_s
    pause = _FIRST_PAUSE_S
    record = await read()
    while not record.status.terminal and (left := deadline - loop.time()) > 0:
        await asyncio.sleep(min(pause, left))
        pause = min(pause * 1.5, _LONGEST_PAUSE_S)
        record = await read()
    return record
