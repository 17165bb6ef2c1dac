"""Starting the runs that are due, each once: the step in the store that starts one goes on, too."""

from typing import Final

import structlog
from msgspec import structs

from reteval.contract.audit import AuditEvent
from reteval.contract.schedules import Fire, FireOutcome, MissedPolicy, OverlapPolicy
from service.core.audit import record
from service.core.backend import Backend
from service.core.cron import find_passed
from service.core.identity import Identity
from service.core.schedules import from_ms, next_time, start_run, to_ms
from service.errors import (
    ChangedError,
    CorruptRecordError,
    EndpointNotAllowedError,
    NotFoundError,
    ServiceError,
    StorageFullError,
    StoreUnavailableError,
)
from service.store.bare_report import iso_time
from service.store.damage import report_damage
from service.store.schedules import ScheduleRecord, Step

BATCH: Final = 100
"""Schedules that are gone through in a round."""
_MAX_DETAIL: Final = 500

_log = structlog.get_logger("reteval.schedules")


async def fire_due(backend: Backend, now_ms: int) -> list[str]:
    """Decide on every schedule that is due; return the ids of the runs that were started.

    Raises:
        StoreUnavailableError: the store does not answer; what is due stays so.
    """
    started = []
    for tenant, schedule_id in await backend.store.schedules.due(now_ms, limit=BATCH):
        served = serve_team(backend, tenant)
        try:
            run_id = await _fire(served, schedule_id, now_ms)
        except StoreUnavailableError:
            raise
        except (CorruptRecordError, NotFoundError):
            report_damage(schedule_id)
            await backend.store.schedules.forget(tenant, schedule_id)
        except Exception:  # noqa: BLE001 - one that nobody foresaw must not hold up all others
            _log.exception("schedule.not_decided", schedule=schedule_id)
        else:
            started += [run_id] if run_id else []
    return started


def serve_team(backend: Backend, tenant: str) -> Backend:
    """Return the backend in the service of a team without a caller."""
    return backend.of(Identity(tenant=tenant, team=tenant, key="", scopes=frozenset()))


async def _fire(backend: Backend, schedule_id: str, now_ms: int) -> str | None:
    known = await backend.store.schedules.get(backend.tenant, schedule_id)
    if known.next_ms is None or known.next_ms > now_ms:  # changed since it was listed
        return None
    request = known.request
    first, now = from_ms(known.next_ms), from_ms(now_ms)
    passed = find_passed(request.cron, request.zone, first, now)
    step = Step(
        schedule=known.id,
        version=known.version,
        due_ms=known.next_ms,
        next_ms=next_time(request, now_ms),
    )
    row = Fire(
        at=iso_time(to_ms(passed.last)),
        decided_at=iso_time(now_ms),
        outcome=FireOutcome.STARTED,
        missed=passed.before,
    )
    late = (now - passed.last).total_seconds() > request.grace_s
    if late and request.missed is MissedPolicy.SKIP:
        await _let_pass(backend, step, row, FireOutcome.MISSED)
        return None
    return await _start(backend, known, step, row)


async def _start(backend: Backend, known: ScheduleRecord, step: Step, row: Fire) -> str | None:
    overlapped = None
    if known.request.overlap is OverlapPolicy.SKIP:
        overlapped = structs.replace(row, outcome=FireOutcome.OVERLAPPED, run=known.last_run)
        if await backend.store.schedules.is_at_work(backend.tenant, known):
            await _let_pass(backend, step, overlapped, FireOutcome.OVERLAPPED)
            return None
    try:
        run_id = await start_run(backend, known, step, row, overlapped=overlapped)
    except (ChangedError, StoreUnavailableError):
        # Another process was first, or nobody knows: what is still due is so in the next round.
        return None
    except ServiceError as exc:
        await _refuse(backend, step, row, exc)
        return None
    if run_id is not None:
        await record(backend, AuditEvent.RUN_CREATED, target=run_id, detail=known.id)
    return run_id


async def _refuse(backend: Backend, step: Step, row: Fire, why: ServiceError) -> None:
    said = "; ".join(f"{item.pointer}: {item.message}" for item in why.errors)
    refused = structs.replace(
        row, code=why.code.value, detail=f"{why.detail} {said}".strip()[:_MAX_DETAIL]
    )
    await _let_pass(backend, step, refused, FireOutcome.REFUSED)
    if isinstance(why, EndpointNotAllowedError) and why.origin:
        told = f"{step.schedule}: {why.errors[0].message}"
        await record(backend, AuditEvent.EGRESS_DENIED, target=why.origin, detail=told)


async def _let_pass(backend: Backend, step: Step, row: Fire, outcome: FireOutcome) -> None:
    decided = structs.replace(row, outcome=outcome)
    try:
        if await backend.store.schedules.let_pass(backend.tenant, step, decided):
            _log.info("schedule.passed", schedule=step.schedule, outcome=outcome.value, at=row.at)
    except StorageFullError:  # not even that can be written: it is due again in the next round
        _log.warning("schedule.not_written", schedule=step.schedule, outcome=outcome.value)
