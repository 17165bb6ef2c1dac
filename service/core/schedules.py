"""Schedules: make, show, change, pause, delete, start by hand; see what became of their times."""

from datetime import UTC, datetime
from itertools import islice
from zoneinfo import ZoneInfo

from msgspec import structs

from reteval.contract.limits import MAX_NAME_BYTES
from reteval.contract.runs import Run, RunRequest
from reteval.contract.schedules import (
    Fire,
    FireOutcome,
    FirePage,
    FireTime,
    FireTimes,
    Schedule,
    SchedulePage,
    ScheduleRequest,
)
from service.core.admission import set_aside
from service.core.backend import Backend, to_iso
from service.core.cron import check_cron, times_after
from service.core.endpoints import strip_secrets
from service.core.idempotency import Idempotency
from service.core.jobs import wake
from service.core.model_checks import strip_model_secrets
from service.core.pointing import pointing_at
from service.core.preconditions import match_version
from service.core.runs import find_headers, prepare_run, show
from service.core.texts import check_text
from service.errors import InvalidError
from service.queue import RUNS
from service.store.bare_report import iso_time
from service.store.keys import new_id
from service.store.schedules import ScheduleRecord, Start, Step
from service.store.sealing import seal, split_headers, unseal
from service.store.versioned import NEW


async def create_schedule(
    backend: Backend, request: ScheduleRequest, *, idempotency: Idempotency | None = None
) -> Schedule:
    """Keep a new schedule; its run is checked as if it were started now.

    Raises:
        InvalidError, EndpointNotAllowedError, SecretsUnavailableError: the request is refused.
        IdempotencyConflictError: another process took the key over.
        NotFoundError: no such test set or saved endpoint.
    """
    return await _put(backend, new_id("sch"), request, version=NEW, idempotency=idempotency)


async def replace_schedule(
    backend: Backend, schedule_id: str, request: ScheduleRequest, if_match: str
) -> Schedule:
    """Put another schedule in the place of the one that the caller has read; it is not paused.

    Raises:
        ChangedError: it is not the one that `if_match` names.
        NotFoundError: there is none, or no such test set or saved endpoint.
        InvalidError, EndpointNotAllowedError, SecretsUnavailableError: as `create_schedule`.
    """
    record = await backend.store.schedules.get(backend.tenant, schedule_id)
    version = match_version(record.id, record.version, if_match)
    return await _put(backend, schedule_id, request, version=version)


async def list_schedules(backend: Backend, *, cursor: str, limit: int) -> SchedulePage:
    """Return a page of schedules, newest first.

    Raises:
        BadCursorError: the cursor belongs to another list.
    """
    cursors = await backend.cursors()
    scope = ("schedules", backend.tenant)
    found, position = await backend.store.schedules.page(
        backend.tenant, before=cursors.read(scope, cursor), limit=limit
    )
    return SchedulePage(items=tuple(map(_show, found)), next_cursor=cursors.issue(scope, position))


async def get_schedule(backend: Backend, schedule_id: str) -> Schedule:
    """Return a schedule without the header values of its run.

    Raises:
        NotFoundError: there is none.
    """
    return _show(await backend.store.schedules.get(backend.tenant, schedule_id))


async def pause_schedule(backend: Backend, schedule_id: str, *, paused: bool) -> Schedule:
    """Let a schedule be due no more, or again from now on; what it was already, it stays.

    Raises:
        NotFoundError: there is none.
    """
    store = backend.store.schedules
    record = await store.get(backend.tenant, schedule_id)
    if record.paused == paused:
        return _show(record)
    if paused:
        return _show(await store.pause(backend.tenant, schedule_id))
    next_ms = next_time(record.request, await backend.store.now_ms())
    return _show(await store.resume(backend.tenant, schedule_id, next_ms=next_ms))


async def delete_schedule(backend: Backend, schedule_id: str) -> None:
    """Delete a schedule; its runs stay, and what became of its times for a year.

    Raises:
        NotFoundError: there is none.
    """
    await backend.store.schedules.delete(backend.tenant, schedule_id)


async def list_fires(backend: Backend, schedule_id: str, *, cursor: str, limit: int) -> FirePage:
    """Return a page of what became of a schedule's times, newest first; of a deleted one, too.

    Raises:
        BadCursorError: the cursor belongs to another list.
        NotFoundError: there is no such schedule, nor was there one that was ever due.
    """
    cursors = await backend.cursors()
    scope = ("fires", backend.tenant, schedule_id)
    found, position = await backend.store.schedules.fires(
        backend.tenant, schedule_id, before=cursors.read(scope, cursor), limit=limit
    )
    return FirePage(items=tuple(found), next_cursor=cursors.issue(scope, position))


async def start_now(
    backend: Backend, schedule_id: str, *, idempotency: Idempotency | None = None
) -> Run:
    """Start the run of a schedule by hand, paused or not, whatever else it started.

    Raises:
        InvalidError, EndpointNotAllowedError, SecretsUnavailableError: the run is refused.
        ChangedError: the schedule was changed meanwhile.
        IdempotencyConflictError: another process took the key over.
        NotFoundError: no such schedule, or no such test set any more.
        QuotaExceededError, StorageFullError: there is no room for it.
    """
    record = await backend.store.schedules.get(backend.tenant, schedule_id)
    now = iso_time(await backend.store.now_ms())
    row = Fire(at=now, decided_at=now, outcome=FireOutcome.STARTED, by_hand=True)
    step = Step(schedule=record.id, version=record.version)
    with pointing_at("/run"):
        run_id = await start_run(backend, record, step, row, idempotency=idempotency)
    return show(await backend.store.runs.get(backend.tenant, str(run_id)), backend.now())


async def start_run(
    backend: Backend,
    record: ScheduleRecord,
    step: Step,
    row: Fire,
    *,
    overlapped: Fire | None = None,
    idempotency: Idempotency | None = None,
) -> str | None:
    """Start the run of a schedule with a step to its next time, and wake a worker.

    Return the run's id; None where it would overlap and there is an `overlapped` row for that.

    Raises:
        ServiceError: as `start_now`.
    """
    drafted, headers = await prepare_run(backend, _refill(backend, record))
    spec = structs.replace(drafted.spec, schedule=record.id)
    await set_aside(backend, spec, drafted.outlook)
    start = Start(
        spec=spec,
        secrets=seal(backend.secret_key, headers) if headers else b"",
        queue=RUNS,
        row=structs.replace(row, run=spec.id),
        overlapped=overlapped,
    )
    run_id = await backend.store.schedules.start(
        backend.tenant, step, start, quotas=backend.quotas, idempotency=idempotency
    )
    if run_id is not None:
        await wake(backend, run_id, await backend.store.runs.get(backend.tenant, run_id))
    return run_id


def preview_times(cron: str, zone: str, count: int, now: datetime) -> FireTimes:
    """Return when an expression is due after a moment.

    Raises:
        InvalidError: it is none, or there is no such zone.
    """
    items = [
        structs.replace(item, pointer=item.pointer.replace("/", "?"))
        for item in check_cron(cron, zone)
    ]
    if items:
        raise InvalidError("A query parameter is not valid.", errors=items)
    times = islice(times_after(cron, zone, now), count)
    return FireTimes(cron=cron, zone=zone, times=tuple(_show_time(time, zone) for time in times))


def next_time(request: ScheduleRequest, now_ms: int) -> int:
    """Return when a schedule is due after a moment, in milliseconds."""
    found = next(times_after(request.cron, request.zone, from_ms(now_ms)))
    return to_ms(found)


def from_ms(milliseconds: int) -> datetime:
    """Return a moment of the store's clock."""
    return datetime.fromtimestamp(milliseconds / 1_000, UTC)


def to_ms(moment: datetime) -> int:
    """Return a moment as the store writes it."""
    return round(moment.timestamp() * 1_000)


async def _put(
    backend: Backend,
    schedule_id: str,
    request: ScheduleRequest,
    *,
    version: int,
    idempotency: Idempotency | None = None,
) -> Schedule:
    items = [
        *check_text(request.name, pointer="/name", max_bytes=MAX_NAME_BYTES),
        *check_cron(request.cron, request.zone),
    ]
    if items:
        raise InvalidError("The schedule breaks a rule.", errors=items)
    with pointing_at("/run"):
        await prepare_run(backend, request.run)
    headers = find_headers(request.run)
    record = await backend.store.schedules.put(
        backend.tenant,
        schedule_id,
        structs.replace(request, run=_strip(request.run)),
        sealed=seal(backend.secret_key, headers) if headers else b"",
        next_ms=next_time(request, await backend.store.now_ms()),
        version=version,
        idempotency=idempotency,
    )
    return _show(record)


def _strip(run: RunRequest) -> RunRequest:
    return structs.replace(strip_model_secrets(run), endpoint=strip_secrets(run.endpoint))


def _refill(backend: Backend, record: ScheduleRecord) -> RunRequest:
    """Return what a schedule runs, with its header values.

    Raises:
        SecretsUnavailableError: there is no key, or not the one they were sealed with.
    """
    run = record.request.run
    if not record.sealed:
        return run
    own, model = split_headers(unseal(backend.secret_key, record.sealed))
    adversarial = run.adversarial
    if adversarial is not None and adversarial.model is not None:
        described = structs.replace(adversarial.model, headers=model)
        adversarial = structs.replace(adversarial, model=described)
    endpoint = structs.replace(run.endpoint, headers=own)
    return structs.replace(run, endpoint=endpoint, adversarial=adversarial)


def _show(record: ScheduleRecord) -> Schedule:
    own = f"/v1/schedules/{record.id}"
    return Schedule(
        **structs.asdict(record.request),
        id=record.id,
        paused=record.paused,
        next_at=None if record.next_ms is None else iso_time(record.next_ms),
        last_run=record.last_run,
        version=record.version,
        created_at=iso_time(record.created_ms),
        updated_at=iso_time(record.updated_ms),
        links={
            "self": own,
            "fires": f"{own}/fires",
            "runs": f"/v1/runs?schedule={record.id}",
        },
    )


def _show_time(time: datetime, zone: str) -> FireTime:
    return FireTime(
        at=to_iso(time), local=time.astimezone(ZoneInfo(zone)).isoformat(timespec="minutes")
    )
