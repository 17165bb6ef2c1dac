"""Closes the gap between the record and the queue: a job nobody works on is woken again.

Any API or worker process may run it; one at a time does.
"""

import asyncio
import secrets

import structlog

from service.errors import NotFoundError, ServiceError
from service.queue import JobQueue
from service.store.store import Store

_log = structlog.get_logger("reteval.reaper")
_LEAD_ROUNDS = 3
"""A leader that misses this many rounds is replaced."""
_CALLS = 64
"""Wake-up calls made sure of for one job: more workers than may share it have no use."""


async def reap_forever(store: Store, queue: JobQueue, *, interval_s: float) -> None:
    """Run rounds until cancelled; a round that fails is logged and the next one tries again."""
    owner = secrets.token_hex(8)
    while True:
        try:
            if await store.lead_reaping(owner, seconds=interval_s * _LEAD_ROUNDS):
                await reap(store, queue)
        except ServiceError as exc:
            _log.warning("reaper.failed", error=str(exc))
        await asyncio.sleep(interval_s)


async def reap(store: Store, queue: JobQueue) -> list[str]:
    """Wake a worker for what nobody holds of the jobs that have not ended; return their ids."""
    woken: list[str] = []
    for name, tenant, job_id in await store.jobs.active():
        try:
            state = await store.jobs.state(tenant, job_id)
        except NotFoundError:
            await store.jobs.forget(name, tenant, job_id)
            continue
        if state.status.terminal:
            await store.jobs.forget(name, tenant, job_id)
        elif await store.jobs.waits(state):
            continue
        elif units := await store.jobs.unheld(tenant, job_id):
            calls = [unit.name_call(job_id) for unit in units[:_CALLS]]
            await queue.enqueue(calls, queue=name)
            woken.append(job_id)
    return woken
