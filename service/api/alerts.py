"""Routes of `/v1/alerts`: make, read, change, delete, and what each found of its runs."""

from typing import Final

from litestar import Response
from litestar.params import FromPath

from reteval.contract.alerts import Alert, AlertPage, AlertRequest, EvaluationPage
from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditEvent
from service import errors
from service.api.bodies import AnyRequest, NoParameters, check_media, read_body, read_query
from service.api.conditional import IF_MATCH, read_precondition
from service.api.gates import YAML_MEDIA
from service.api.idempotency import ANSWER_HEADERS, REQUEST_HEADERS, create_once
from service.api.idempotency import ERRORS as KEY_ERRORS
from service.api.operations import JSON, YAML, Answer, Operation, creates, deletes, reads, replaces
from service.api.parameters import PageParameters
from service.api.responses import (
    LINK_HEADERS,
    VERSIONED,
    answer_nothing,
    answer_page,
    answer_version,
)
from service.api.runs import Deployed
from service.core import alerts
from service.core.decoding import decode
from service.core.gates.files import read_yaml_as
from service.core.idempotency import Idempotency

_TAG: Final = "alerts"
_BODY_ERRORS: Final = (
    errors.MalformedJsonError,
    errors.MalformedTextError,
    errors.TooLargeError,
    errors.UnsupportedMediaTypeError,
    errors.NotFoundError,
    errors.InvalidError,
    errors.StorageFullError,
)


@creates(
    "/alerts",
    Operation(
        id="createAlert",
        tag=_TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.ALERT_CREATED,
        summary="Be told when runs stop passing a gate, and when they pass again",
        about="Each run that ends from now on is held to the gate, once.",
        answers={
            201: Answer(
                about="Made",
                media={JSON: Alert},
                headers={"Location": "The alert's address.", **ANSWER_HEADERS, **VERSIONED},
            )
        },
        headers=REQUEST_HEADERS,
        body={JSON: AlertRequest, YAML: None},
        errors=(*_BODY_ERRORS, *KEY_ERRORS),
    ),
)
async def create_alert(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Keep a new alert."""
    asked = await _read_alert(request)

    async def make(held: Idempotency | None) -> Response[bytes]:
        made = await alerts.create_alert(backend, asked, idempotency=held)
        return answer_version(made, status=201, headers={"Location": f"/v1/alerts/{made.id}"})

    return await create_once(request, backend, make)


@reads(
    "/alerts",
    Operation(
        id="listAlerts",
        tag=_TAG,
        scope=Scope.RUNS_READ,
        summary="List alerts and their state, newest first",
        answers={200: Answer(about="A page", media={JSON: AlertPage}, headers=LINK_HEADERS)},
        query=PageParameters,
        errors=(errors.BadCursorError, errors.InvalidError),
    ),
)
async def list_alerts(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Answer a page of alerts."""
    sent = read_query(request, PageParameters)
    page = await alerts.list_alerts(backend, cursor=sent.cursor, limit=sent.limit)
    return answer_page(request, page)


@reads(
    "/alerts/{alert_id:str}",
    Operation(
        id="getAlert",
        tag=_TAG,
        scope=Scope.RUNS_READ,
        summary="Read an alert and its state",
        answers={200: Answer(about="The alert", media={JSON: Alert}, headers=VERSIONED)},
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def get_alert(
    request: AnyRequest, backend: Deployed, alert_id: FromPath[str]
) -> Response[bytes]:
    """Answer an alert."""
    read_query(request, NoParameters)
    return answer_version(await alerts.get_alert(backend, alert_id))


@replaces(
    "/alerts/{alert_id:str}",
    Operation(
        id="replaceAlert",
        tag=_TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.ALERT_CHANGED,
        summary="Change an alert, or switch it on or off",
        about="It knows nothing of the runs before: its state is `unknown`, its counts are 0.",
        answers={200: Answer(about="Changed", media={JSON: Alert}, headers=VERSIONED)},
        headers=IF_MATCH,
        body={JSON: AlertRequest, YAML: None},
        errors=(*_BODY_ERRORS, errors.ChangedError, errors.PreconditionMissingError),
    ),
)
async def replace_alert(
    request: AnyRequest, backend: Deployed, alert_id: FromPath[str]
) -> Response[bytes]:
    """Put an alert in the place of the one that was read."""
    asked = await _read_alert(request)
    return answer_version(
        await alerts.replace_alert(backend, alert_id, asked, read_precondition(request))
    )


@deletes(
    "/alerts/{alert_id:str}",
    Operation(
        id="deleteAlert",
        tag=_TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.ALERT_DELETED,
        summary="Delete an alert with what it found",
        answers={204: Answer(about="Deleted")},
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def delete_alert(
    request: AnyRequest, backend: Deployed, alert_id: FromPath[str]
) -> Response[bytes]:
    """Delete an alert."""
    read_query(request, NoParameters)
    await alerts.delete_alert(backend, alert_id)
    return answer_nothing()


@reads(
    "/alerts/{alert_id:str}/evaluations",
    Operation(
        id="listEvaluations",
        tag=_TAG,
        scope=Scope.RUNS_READ,
        summary="List what an alert found, newest first",
        about="Of each run the verdict, the state after it, and what webhooks were told.",
        answers={200: Answer(about="A page", media={JSON: EvaluationPage}, headers=LINK_HEADERS)},
        query=PageParameters,
        errors=(errors.BadCursorError, errors.NotFoundError, errors.InvalidError),
    ),
)
async def list_evaluations(
    request: AnyRequest, backend: Deployed, alert_id: FromPath[str]
) -> Response[bytes]:
    """Answer a page of what an alert found."""
    sent = read_query(request, PageParameters)
    page = await alerts.list_evaluations(backend, alert_id, cursor=sent.cursor, limit=sent.limit)
    return answer_page(request, page)


async def _read_alert(request: AnyRequest) -> AlertRequest:
    media = check_media(request, (JSON, *YAML_MEDIA))
    read_query(request, NoParameters)
    body = await read_body(request)
    return decode(body, AlertRequest) if media == JSON else read_yaml_as(body, AlertRequest)


HANDLERS: Final = (
    create_alert,
    list_alerts,
    get_alert,
    replace_alert,
    delete_alert,
    list_evaluations,
)
