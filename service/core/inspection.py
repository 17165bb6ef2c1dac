"""Jobs as an operator sees them: what is left of each, who holds it, and what it waits for."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from msgspec import Struct

from service.errors import CorruptRecordError, NotFoundError
from service.queue import JobQueue
from service.store.intervention import ActiveJob
from service.store.records import JobRecord, RunRecord, Unit
from service.store.store import Store

_RUN: Final = "run_"


class Verdict(StrEnum):
    """What a job does or waits for; `docs/operations.md` says what to do about each."""

    WORKED_ON = "worked on"
    WAITS_FOR_A_WORKER = "waits for a worker"
    NO_WORKER = "no worker serves the queue"
    NO_CALL = "no wake-up call"
    WAITS_FOR_ITS_HOUR = "waits for its hour"
    NOTHING_LEFT = "stuck: nothing is left to do"
    UNREADABLE = "stuck: its record cannot be read"
    ENDED = "ended"


class UnitView(Struct, frozen=True, kw_only=True):
    """A unit: `free`, `held` by `owner` for `lease_left_s` more, or `lapsed` that long ago."""

    name: str
    state: str
    owner: str
    lease_left_s: float
    claims: int
    crashes: int


class JobView(Struct, frozen=True, kw_only=True):
    """A job that has not ended. `calls` are wake-up calls that name it."""

    id: str
    tenant: str
    queue: str
    status: str
    verdict: Verdict
    age_s: float
    attempts: int
    crashes: int
    cancel_requested: bool
    calls: int
    units: tuple[UnitView, ...]


async def list_jobs(store: Store, queue: JobQueue) -> list[JobView]:
    """Return every job that has not ended, oldest first."""
    calls, workers = await queue.calls(), await queue.workers()
    found = []
    for place in await store.jobs.active():
        job = ActiveJob(*place)
        try:
            found.append(await _view(store, job, calls.get(job.queue, []), workers))
        except NotFoundError:  # it ended and was deleted meanwhile
            continue
    return sorted(found, key=lambda view: -view.age_s)


async def show_job(store: Store, queue: JobQueue, job_id: str) -> JobView:
    """Return one job that has not ended.

    Raises:
        NotFoundError: there is none.
    """
    job = await _find(store, job_id)
    calls = await queue.calls()
    return await _view(store, job, calls.get(job.queue, []), await queue.workers())


async def wake_job(store: Store, queue: JobQueue, job_id: str) -> int:
    """Make the wake-up calls that a job lacks; return how many were missing.

    Raises:
        NotFoundError: there is no such job that has not ended.
    """
    job = await _find(store, job_id)
    units = await store.jobs.unheld(job.tenant, job_id)
    return await queue.enqueue([unit.name_call(job_id) for unit in units], queue=job.queue)


async def fail_job(store: Store, job_id: str, *, reason: str) -> bool:
    """End a job as failed, whoever works on it; False if it ended meanwhile.

    Raises:
        NotFoundError: there is no such job that has not ended.
    """
    job = await _find(store, job_id)
    return await store.intervention.fail(job, run=await _read_run(store, job), reason=reason)


async def _find(store: Store, job_id: str) -> ActiveJob:
    for place in await store.jobs.active():
        job = ActiveJob(*place)
        if job.job_id == job_id:
            return job
    raise NotFoundError(f"There is no job {job_id!r} that has not ended.")


async def _read_run(store: Store, job: ActiveJob) -> RunRecord | None:
    """Return the record, if it is a run's and can be read; a broken one may be why it is stuck."""
    if not job.job_id.startswith(_RUN):
        return None
    try:
        return await store.runs.get(job.tenant, job.job_id)
    except (NotFoundError, CorruptRecordError):
        return None


async def _view(
    store: Store, job: ActiveJob, calls: Sequence[str], workers: dict[str, int]
) -> JobView:
    now = await store.now_ms()
    units = [_view_unit(unit, now) for unit in await store.jobs.units(job.tenant, job.job_id)]
    own = sum(call.startswith(f"{job.job_id}-") for call in calls)
    try:
        record = await store.jobs.state(job.tenant, job.job_id)
    except CorruptRecordError:
        return _show_broken(job, units, own)
    waits = await store.jobs.waits(record)
    return JobView(
        id=job.job_id,
        tenant=job.tenant,
        queue=job.queue,
        status=record.status.value,
        verdict=_judge(record, units, calls=own, workers=workers.get(job.queue, 0), waits=waits),
        age_s=(now - record.created_ms) / 1_000,
        attempts=record.attempts,
        crashes=record.crash_count,
        cancel_requested=record.cancel_requested,
        calls=own,
        units=tuple(units),
    )


def _show_broken(job: ActiveJob, units: Sequence[UnitView], calls: int) -> JobView:
    return JobView(
        id=job.job_id,
        tenant=job.tenant,
        queue=job.queue,
        status="unknown",
        verdict=Verdict.UNREADABLE,
        age_s=0.0,
        attempts=0,
        crashes=sum(unit.crashes for unit in units),
        cancel_requested=False,
        calls=calls,
        units=tuple(units),
    )


def _view_unit(unit: Unit, now_ms: int) -> UnitView:
    left = unit.lease_until_ms - now_ms if unit.lease_until_ms else 0
    state = "held" if left > 0 else "lapsed" if unit.lease_until_ms else "free"
    return UnitView(
        name=unit.name,
        state=state,
        owner=unit.fence.partition(":")[2] if state != "free" else "",
        lease_left_s=left / 1_000,
        claims=unit.claims,
        crashes=unit.crashes,
    )


def _judge(
    record: JobRecord, units: Sequence[UnitView], *, calls: int, workers: int, waits: bool
) -> Verdict:
    verdicts = (
        (record.status.terminal, Verdict.ENDED),
        (not units, Verdict.NOTHING_LEFT),
        (any(unit.state == "held" for unit in units), Verdict.WORKED_ON),
        (waits, Verdict.WAITS_FOR_ITS_HOUR),
        (not workers, Verdict.NO_WORKER),
        (not calls, Verdict.NO_CALL),
        (True, Verdict.WAITS_FOR_A_WORKER),
    )
    return next(verdict for holds, verdict in verdicts if holds)
