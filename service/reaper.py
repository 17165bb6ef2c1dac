"""Closes the gap between the record and the queue: a job nobody works on is woken again.

Also deletes, a few a round, what is older than the operator keeps it.

Any API or worker process may run it; one at a time does.
"""

import asyncio
import secrets

import structlog

from service.errors import CorruptRecordError, NotFoundError, ServiceError
from service.queue import JobQueue
from service.store.counters import Tally
from service.store.keys import REAPER
from service.store.records import Unit
from service.store.store import Store

COUNTER = "reaper"
"""The counter of what is done here; a wake-up call that waits already is not made again."""
_log = structlog.get_logger("reteval.reaper")
_LEAD_ROUNDS = 3
"""A leader that misses this many rounds is replaced."""
_CALLS = 64
"""Wake-up calls made sure of for one job: more workers than may share it have no use."""


async def reap_forever(
    store: Store, queue: JobQueue, *, interval_s: float, retention_days: int = 0
) -> None:
    """Run rounds until cancelled; a round that fails is logged and the next one tries again."""
    owner, tally = secrets.token_hex(8), Tally(store.counters)
    while True:
        try:
            if await store.lead(REAPER, owner, seconds=interval_s * _LEAD_ROUNDS):
                await store.birth_ms()
                await reap(store, queue, tally)
                await expire(store, days=retention_days)
                tally.count(COUNTER, "round")
                await tally.flush()
        except ServiceError as exc:
            _log.warning("reaper.failed", error=str(exc))
            tally.count(COUNTER, "failed")
        await asyncio.sleep(interval_s)


async def reap(store: Store, queue: JobQueue, tally: Tally | None = None) -> list[str]:
    """Wake a worker for what nobody holds of the jobs that have not ended; return their ids."""
    count = (tally or Tally(store.counters)).count
    woken: list[str] = []
    for name, tenant, job_id in await store.jobs.active():
        try:
            units = await _find_idle(store, tenant, job_id)
        except CorruptRecordError:
            await store.damage.condemn(name, tenant, job_id)
            continue
        if units is None:
            await store.jobs.forget(name, tenant, job_id)
            count(COUNTER, "forgotten")
        elif units:
            calls = [unit.name_call(job_id) for unit in units[:_CALLS]]
            count(COUNTER, "woken", amount=await queue.enqueue(calls, queue=name))
            woken.append(job_id)
    return woken


async def _find_idle(store: Store, tenant: str, job_id: str) -> list[Unit] | None:
    """Return the units of a job that nobody holds; None if it is gone or has ended.

    Raises:
        CorruptRecordError: what is stored of it cannot be read.
    """
    try:
        state = await store.jobs.state(tenant, job_id)
    except NotFoundError:
        return None
    if state.status.terminal:
        return None
    return [] if await store.jobs.waits(state) else await store.jobs.unheld(tenant, job_id)


async def expire(store: Store, *, days: int) -> list[str]:
    """Delete some of what ended over `days` ago, log each and return the ids; 0 keeps all."""
    expired = await store.retention.sweep(days=days)
    for gone in expired:
        _log.info(
            "retention.deleted",
            tenant=gone.tenant,
            id=gone.id,
            bytes=gone.bytes,
            finished_ms=gone.finished_ms,
            retention_days=days,
        )
    return [gone.id for gone in expired]
