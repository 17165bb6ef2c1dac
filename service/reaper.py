"""Closes the gap between the record and the queue: a run nobody works on gets a job again.

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
    """Enqueue every run that has not ended and is leased to nobody; return their ids."""
    woken: list[str] = []
    for tenant, run_id in await store.runs.active():
        try:
            record = await store.runs.get(tenant, run_id)
        except NotFoundError:
            await store.runs.forget(tenant, run_id)
            continue
        if record.status.terminal:
            await store.runs.forget(tenant, run_id)
        elif not await store.runs.lease_left_ms(tenant, run_id):
            await queue.enqueue(tenant, run_id, record.epoch)
            woken.append(run_id)
    return woken
