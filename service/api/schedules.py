"""Routes of `/v1/schedules`: make, read, change, pause, start by hand, see what became of times."""

from datetime import UTC, datetime
from typing import Final

from litestar import Response
from litestar.params import FromPath

from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditEvent
from reteval.contract.runs import Run
from reteval.contract.schedules import FirePage, FireTimes, Schedule, SchedulePage, ScheduleRequest
from service import errors
from service.api.bodies import AnyRequest, NoParameters, check_media, read_body, read_query
from service.api.conditional import IF_MATCH, read_precondition
from service.api.idempotency import ANSWER_HEADERS, REQUEST_HEADERS, create_once
from service.api.idempotency import ERRORS as KEY_ERRORS
from service.api.operations import JSON, Answer, Operation, creates, deletes, reads, replaces
from service.api.parameters import PageParameters, TimesParameters
from service.api.responses import (
    LINK_HEADERS,
    POLL_HEADERS,
    VERSIONED,
    accept_run,
    answer,
    answer_nothing,
    answer_page,
    answer_version,
)
from service.api.runs import Deployed
from service.core import schedules
from service.core.decoding import decode
from service.core.idempotency import Idempotency

_TAG: Final = "schedules"
_RUN_ERRORS: Final = (
    errors.NotFoundError,
    errors.InvalidError,
    errors.EndpointNotAllowedError,
    errors.SecretsUnavailableError,
    errors.StorageFullError,
)
_BODY_ERRORS: Final = (
    errors.MalformedJsonError,
    errors.TooLargeError,
    errors.UnsupportedMediaTypeError,
    *_RUN_ERRORS,
)


@creates(
    "/schedules",
    Operation(
        id="createSchedule",
        tag=_TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.SCHEDULE_CREATED,
        summary="Let a run start by itself, again and again",
        about="The run is checked as if it were started now. Header values are stored encrypted "
        "and never returned.",
        answers={
            201: Answer(
                about="Made",
                media={JSON: Schedule},
                headers={"Location": "The schedule's address.", **ANSWER_HEADERS, **VERSIONED},
            )
        },
        headers=REQUEST_HEADERS,
        body={JSON: ScheduleRequest},
        errors=(*_BODY_ERRORS, *KEY_ERRORS),
    ),
)
async def create_schedule(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Keep a new schedule."""
    check_media(request, (JSON,))
    read_query(request, NoParameters)
    asked = decode(await read_body(request), ScheduleRequest)

    async def make(held: Idempotency | None) -> Response[bytes]:
        made = await schedules.create_schedule(backend, asked, idempotency=held)
        return answer_version(made, status=201, headers={"Location": f"/v1/schedules/{made.id}"})

    return await create_once(request, backend, make)


@reads(
    "/schedules",
    Operation(
        id="listSchedules",
        tag=_TAG,
        scope=Scope.RUNS_READ,
        summary="List schedules, newest first",
        answers={200: Answer(about="A page", media={JSON: SchedulePage}, headers=LINK_HEADERS)},
        query=PageParameters,
        errors=(errors.BadCursorError, errors.InvalidError),
    ),
)
async def list_schedules(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Answer a page of schedules."""
    sent = read_query(request, PageParameters)
    page = await schedules.list_schedules(backend, cursor=sent.cursor, limit=sent.limit)
    return answer_page(request, page)


@reads(
    "/schedules/times",
    Operation(
        id="previewTimes",
        tag=_TAG,
        scope=Scope.RUNS_READ,
        summary="Tell when an expression is due next",
        about="By the clocks of the zone, so that what comes of a change of clocks is seen before.",
        answers={200: Answer(about="The times", media={JSON: FireTimes})},
        query=TimesParameters,
        errors=(errors.InvalidError,),
    ),
)
async def preview_times(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Answer the next times of an expression."""
    sent = read_query(request, TimesParameters)
    now = datetime.fromtimestamp(backend.now_ms() / 1_000, UTC)
    return answer(schedules.preview_times(sent.cron, sent.zone, sent.count, now))


@reads(
    "/schedules/{schedule_id:str}",
    Operation(
        id="getSchedule",
        tag=_TAG,
        scope=Scope.RUNS_READ,
        summary="Read a schedule and when it is due",
        answers={200: Answer(about="The schedule", media={JSON: Schedule}, headers=VERSIONED)},
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def get_schedule(
    request: AnyRequest, backend: Deployed, schedule_id: FromPath[str]
) -> Response[bytes]:
    """Answer a schedule without the header values of its run."""
    read_query(request, NoParameters)
    return answer_version(await schedules.get_schedule(backend, schedule_id))


@replaces(
    "/schedules/{schedule_id:str}",
    Operation(
        id="replaceSchedule",
        tag=_TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.SCHEDULE_CHANGED,
        summary="Change a schedule",
        about="Header values must be sent again. It is due from now on, also where it was paused.",
        answers={200: Answer(about="Changed", media={JSON: Schedule}, headers=VERSIONED)},
        headers=IF_MATCH,
        body={JSON: ScheduleRequest},
        errors=(*_BODY_ERRORS, errors.ChangedError, errors.PreconditionMissingError),
    ),
)
async def replace_schedule(
    request: AnyRequest, backend: Deployed, schedule_id: FromPath[str]
) -> Response[bytes]:
    """Put a schedule in the place of the one that was read."""
    check_media(request, (JSON,))
    read_query(request, NoParameters)
    asked = decode(await read_body(request), ScheduleRequest)
    precondition = read_precondition(request)
    return answer_version(
        await schedules.replace_schedule(backend, schedule_id, asked, precondition)
    )


@deletes(
    "/schedules/{schedule_id:str}",
    Operation(
        id="deleteSchedule",
        tag=_TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.SCHEDULE_DELETED,
        summary="Delete a schedule",
        about="Its runs stay, and what became of its times can be read for a year.",
        answers={204: Answer(about="Deleted")},
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def delete_schedule(
    request: AnyRequest, backend: Deployed, schedule_id: FromPath[str]
) -> Response[bytes]:
    """Delete a schedule and its secrets."""
    read_query(request, NoParameters)
    await schedules.delete_schedule(backend, schedule_id)
    return answer_nothing()


@creates(
    "/schedules/{schedule_id:str}/pause",
    Operation(
        id="pauseSchedule",
        tag=_TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.SCHEDULE_CHANGED,
        summary="Pause a schedule",
        about="What it started goes on. Pausing it again changes nothing.",
        answers={200: Answer(about="Paused", media={JSON: Schedule}, headers=VERSIONED)},
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def pause_schedule(
    request: AnyRequest, backend: Deployed, schedule_id: FromPath[str]
) -> Response[bytes]:
    """Let a schedule be due no more."""
    read_query(request, NoParameters)
    return answer_version(await schedules.pause_schedule(backend, schedule_id, paused=True))


@deletes(
    "/schedules/{schedule_id:str}/pause",
    Operation(
        id="resumeSchedule",
        tag=_TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.SCHEDULE_CHANGED,
        summary="End the pause of a schedule",
        about="It is due from now on; times that passed meanwhile are not made up for.",
        answers={204: Answer(about="Not paused")},
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def resume_schedule(
    request: AnyRequest, backend: Deployed, schedule_id: FromPath[str]
) -> Response[bytes]:
    """Let a schedule be due again."""
    read_query(request, NoParameters)
    await schedules.pause_schedule(backend, schedule_id, paused=False)
    return answer_nothing()


@creates(
    "/schedules/{schedule_id:str}/run",
    Operation(
        id="startSchedule",
        tag=_TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.RUN_CREATED,
        summary="Start the run of a schedule now",
        about="Paused or not, and beside a run that has not ended. When it is due next stays.",
        answers={
            202: Answer(
                about="Accepted",
                media={JSON: Run},
                headers={"Location": "The run's address.", **ANSWER_HEADERS, **POLL_HEADERS},
            )
        },
        headers=REQUEST_HEADERS,
        errors=(*_RUN_ERRORS, *KEY_ERRORS, errors.ChangedError),
    ),
)
async def start_schedule(
    request: AnyRequest, backend: Deployed, schedule_id: FromPath[str]
) -> Response[bytes]:
    """Start a run by hand."""
    read_query(request, NoParameters)

    async def make(held: Idempotency | None) -> Response[bytes]:
        return accept_run(await schedules.start_now(backend, schedule_id, idempotency=held))

    return await create_once(request, backend, make)


@reads(
    "/schedules/{schedule_id:str}/fires",
    Operation(
        id="listFires",
        tag=_TAG,
        scope=Scope.RUNS_READ,
        summary="List what became of a schedule's times, newest first",
        about="Runs that were started, and times without one and why; of a deleted schedule, too.",
        answers={200: Answer(about="A page", media={JSON: FirePage}, headers=LINK_HEADERS)},
        query=PageParameters,
        errors=(errors.BadCursorError, errors.NotFoundError, errors.InvalidError),
    ),
)
async def list_fires(
    request: AnyRequest, backend: Deployed, schedule_id: FromPath[str]
) -> Response[bytes]:
    """Answer a page of what became of a schedule's times."""
    sent = read_query(request, PageParameters)
    page = await schedules.list_fires(backend, schedule_id, cursor=sent.cursor, limit=sent.limit)
    return answer_page(request, page)


HANDLERS: Final = (
    create_schedule,
    list_schedules,
    preview_times,
    get_schedule,
    replace_schedule,
    delete_schedule,
    pause_schedule,
    resume_schedule,
    start_schedule,
    list_fires,
)
