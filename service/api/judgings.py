"""Routes of `/v1/judgings`: make, read, stop, close and delete."""

from typing import Final

from litestar import Response
from litestar.params import FromPath

from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditEvent
from reteval.contract.judgings import FreezeRequest, Judging, JudgingPage, JudgingRequest
from service import errors
from service.api.bodies import AnyRequest, NoParameters, check_media, read_body, read_query
from service.api.idempotency import ANSWER_HEADERS, REQUEST_HEADERS, create_once
from service.api.idempotency import ERRORS as KEY_ERRORS
from service.api.operations import JSON, Answer, Operation, creates, deletes, reads
from service.api.parameters import PageParameters, WaitParameters
from service.api.responses import (
    LINK_HEADERS,
    POLL_HEADERS,
    answer,
    answer_nothing,
    answer_page,
    pace,
)
from service.api.runs import Deployed
from service.core.decoding import decode
from service.core.idempotency import Idempotency
from service.core.judging import freezing, judgings

TAG: Final = "judgings"
BODY_ERRORS: Final = (
    errors.MalformedJsonError,
    errors.NotFoundError,
    errors.TooLargeError,
    errors.UnsupportedMediaTypeError,
    errors.InvalidError,
    errors.StorageFullError,
)


@creates(
    "/judgings",
    Operation(
        id="createJudging",
        tag=TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.JUDGING_CREATED,
        summary="Make a judging",
        about=(
            "Names the queries, and the endpoints and runs whose results are to be judged. "
            "Nothing is sent before `POST /v1/judgings/{id}/pool`."
        ),
        answers={
            201: Answer(
                about="A draft",
                media={JSON: Judging},
                headers={"Location": "The judging's address.", **ANSWER_HEADERS},
            )
        },
        headers=REQUEST_HEADERS,
        body={JSON: JudgingRequest},
        errors=(
            *BODY_ERRORS,
            *KEY_ERRORS,
            errors.EndpointNotAllowedError,
            errors.SecretsUnavailableError,
        ),
    ),
)
async def create_judging(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Accept a judging."""
    check_media(request, (JSON,))
    read_query(request, NoParameters)
    asked = decode(await read_body(request), JudgingRequest)

    async def make(held: Idempotency | None) -> Response[bytes]:
        made = await judgings.create_judging(backend, asked, idempotency=held)
        return answer(made, status=201, headers={"Location": made.links["self"]})

    return await create_once(request, backend, make)


@reads(
    "/judgings",
    Operation(
        id="listJudgings",
        tag=TAG,
        scope=Scope.TEST_SETS_READ,
        summary="List judgings, newest first",
        answers={200: Answer(about="A page", media={JSON: JudgingPage}, headers=LINK_HEADERS)},
        query=PageParameters,
        errors=(errors.BadCursorError, errors.InvalidError),
    ),
)
async def list_judgings(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Answer a page of judgings."""
    sent = read_query(request, PageParameters)
    page = await judgings.list_judgings(backend, cursor=sent.cursor, limit=sent.limit)
    return answer_page(request, page)


@reads(
    "/judgings/{judging_id:str}",
    Operation(
        id="getJudging",
        tag=TAG,
        scope=Scope.TEST_SETS_READ,
        summary="Read a judging",
        about="With `wait`, the answer comes when no job is at work on it or the time is over.",
        answers={
            200: Answer(
                about="Its state, and what it has come to",
                media={JSON: Judging},
                headers=POLL_HEADERS,
            )
        },
        query=WaitParameters,
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def get_judging(
    request: AnyRequest, backend: Deployed, judging_id: FromPath[str]
) -> Response[bytes]:
    """Answer a judging."""
    sent = read_query(request, WaitParameters)
    found = await judgings.get_judging(backend, judging_id, wait_s=sent.wait)
    return answer(found, headers=pace(found))


@creates(
    "/judgings/{judging_id:str}/cancel",
    Operation(
        id="cancelJudging",
        tag=TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.JUDGING_CANCELLED,
        summary="Stop the job that is at work on a judging",
        about="What it has found stays; the same request as before goes on where it was.",
        answers={202: Answer(about="Asked to stop", media={JSON: Judging})},
        errors=(errors.NotFoundError, errors.AlreadyTerminalError, errors.InvalidError),
    ),
)
async def cancel_judging(
    request: AnyRequest, backend: Deployed, judging_id: FromPath[str]
) -> Response[bytes]:
    """Ask the job to stop."""
    read_query(request, NoParameters)
    return answer(await judgings.cancel_judging(backend, judging_id), status=202)


@creates(
    "/judgings/{judging_id:str}/freeze",
    Operation(
        id="freezeJudging",
        tag=TAG,
        scope=Scope.TEST_SETS_WRITE,
        event=AuditEvent.JUDGING_FROZEN,
        summary="Make a test set of a judging",
        about=(
            "The grades that the votes come to, by the rule that is asked for, become a version "
            "of the queries' set. Pairs without a grade stand in the way, unless they are allowed."
        ),
        answers={200: Answer(about="Frozen", media={JSON: Judging}, headers=ANSWER_HEADERS)},
        headers=REQUEST_HEADERS,
        body={JSON: FreezeRequest},
        errors=(
            *BODY_ERRORS,
            *KEY_ERRORS,
            errors.JudgingBusyError,
            errors.JudgingFrozenError,
            errors.JudgingIncompleteError,
            errors.QuotaExceededError,
        ),
    ),
)
async def freeze_judging(
    request: AnyRequest, backend: Deployed, judging_id: FromPath[str]
) -> Response[bytes]:
    """Close a judging as a test set."""
    check_media(request, (JSON,))
    read_query(request, NoParameters)
    asked = decode(await read_body(request), FreezeRequest)

    async def make(_held: Idempotency | None) -> Response[bytes]:
        return answer(await freezing.freeze_judging(backend, judging_id, asked))

    return await create_once(request, backend, make)


@deletes(
    "/judgings/{judging_id:str}",
    Operation(
        id="deleteJudging",
        tag=TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.JUDGING_DELETED,
        summary="Delete a judging with its pool and its votes",
        about="The set it became stays.",
        answers={204: Answer(about="Deleted")},
        errors=(errors.NotFoundError, errors.JudgingBusyError, errors.InvalidError),
    ),
)
async def delete_judging(
    request: AnyRequest, backend: Deployed, judging_id: FromPath[str]
) -> Response[bytes]:
    """Delete a judging."""
    read_query(request, NoParameters)
    await judgings.delete_judging(backend, judging_id)
    return answer_nothing()


HANDLERS: Final = (
    create_judging,
    list_judgings,
    get_judging,
    cancel_judging,
    freeze_judging,
    delete_judging,
)
