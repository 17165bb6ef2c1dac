"""Routes of `/v1/runs`: create, watch, cancel, delete."""

from typing import Final

from litestar import Response
from litestar.di import NamedDependency
from litestar.params import FromPath, SkipValidation

from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditEvent
from reteval.contract.runs import RescoreRequest, RetryRequest, Run, RunPage, RunRequest
from service import errors
from service.api.bodies import AnyRequest, NoParameters, check_media, read_body, read_query
from service.api.conditional import IF_NONE_MATCH, answer_tagged, know, known_answers
from service.api.hot import STATE, HotAnswers
from service.api.idempotency import ANSWER_HEADERS, REQUEST_HEADERS, create_once
from service.api.idempotency import ERRORS as KEY_ERRORS
from service.api.operations import JSON, Answer, Operation, creates, deletes, reads
from service.api.parameters import RunListParameters, WaitParameters
from service.api.responses import (
    LINK_HEADERS,
    POLL_HEADERS,
    accept_run,
    answer,
    answer_nothing,
    answer_page,
    pace,
)
from service.core import rescoring, retrying, runs
from service.core.backend import Backend
from service.core.decoding import decode
from service.core.grants import RUN
from service.core.idempotency import Idempotency

_TAG: Final = "runs"

Deployed = NamedDependency[SkipValidation[Backend]]


@creates(
    "/runs",
    Operation(
        id="createRun",
        tag=_TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.RUN_CREATED,
        summary="Start a run",
        about=(
            "The answer says how many calls are planned. Header values are stored encrypted, "
            "never returned, and dropped when the run ends."
        ),
        answers={
            202: Answer(
                about="Accepted",
                media={JSON: Run},
                headers={
                    "Location": "The run's address.",
                    **ANSWER_HEADERS,
                    **POLL_HEADERS,
                },
            )
        },
        headers=REQUEST_HEADERS,
        body={JSON: RunRequest},
        errors=(
            errors.MalformedJsonError,
            errors.NotFoundError,
            errors.TooLargeError,
            errors.UnsupportedMediaTypeError,
            errors.InvalidError,
            errors.EndpointNotAllowedError,
            errors.SecretsUnavailableError,
            *KEY_ERRORS,
            errors.StorageFullError,
        ),
    ),
)
async def create_run(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Check the request, store the run, wake a worker."""
    check_media(request, (JSON,))
    read_query(request, NoParameters)
    asked = decode(await read_body(request), RunRequest)

    async def make(held: Idempotency | None) -> Response[bytes]:
        return accept_run(await runs.create_run(backend, asked, idempotency=held))

    return await create_once(request, backend, make)


@reads(
    "/runs",
    Operation(
        id="listRuns",
        tag=_TAG,
        scope=Scope.RUNS_READ,
        summary="List runs, newest first",
        answers={200: Answer(about="A page", media={JSON: RunPage}, headers=LINK_HEADERS)},
        query=RunListParameters,
        errors=(errors.BadCursorError, errors.NotFoundError, errors.InvalidError),
    ),
)
async def list_runs(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Answer a page of runs."""
    sent = read_query(request, RunListParameters)
    wanted = runs.RunFilter(
        test_set=sent.test_set, label=sent.label, status=sent.status, schedule=sent.schedule
    )
    page = await runs.list_runs(backend, wanted, cursor=sent.cursor, limit=sent.limit)
    return answer_page(request, page)


@reads(
    "/runs/{run_id:str}",
    Operation(
        id="getRun",
        tag=_TAG,
        scope=Scope.RUNS_READ,
        shared=RUN,
        kept=STATE,
        summary="Watch a run",
        about="With `wait`, the answer comes when the run has ended or the time is over.",
        answers=known_answers("Its state; tagged once it has ended", Run, POLL_HEADERS),
        headers=IF_NONE_MATCH,
        query=WaitParameters,
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def get_run(request: AnyRequest, backend: Deployed, run_id: FromPath[str]) -> Response[bytes]:
    """Answer a run's state."""
    sent = read_query(request, WaitParameters)
    hot: HotAnswers = request.app.state.hot
    part = f"shared {STATE}" if backend.identity.via else STATE  # they are shown less
    known = hot.find(backend.tenant, run_id, part)
    if known is None:
        run = await runs.get_run(backend, run_id, wait_s=sent.wait)
        if not run.status.terminal:
            return answer(run, headers=pace(run))
        known = hot.keep(backend.tenant, run_id, part, know(run))
    return answer_tagged(request, known)


@creates(
    "/runs/{run_id:str}/cancel",
    Operation(
        id="cancelRun",
        tag=_TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.RUN_CANCELLED,
        summary="Cancel a run",
        about="Requests under way end; none is begun. What was measured stays readable.",
        answers={202: Answer(about="It will stop", media={JSON: Run}, headers=POLL_HEADERS)},
        errors=(errors.NotFoundError, errors.AlreadyTerminalError, errors.InvalidError),
    ),
)
async def cancel_run(
    request: AnyRequest, backend: Deployed, run_id: FromPath[str]
) -> Response[bytes]:
    """Ask a run to stop."""
    read_query(request, NoParameters)
    run = await runs.cancel_run(backend, run_id)
    return answer(run, status=202, headers=pace(run))


@creates(
    "/runs/{run_id:str}/rescore",
    Operation(
        id="rescoreRun",
        tag=_TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.RUN_CREATED,
        summary="Score a run's rankings anew",
        about=(
            "Makes a child run with other metrics, another threshold or another test-set version "
            "over the stored rankings. The endpoint is not called."
        ),
        answers={
            202: Answer(
                about="Accepted",
                media={JSON: Run},
                headers={
                    "Location": "The child run's address.",
                    **ANSWER_HEADERS,
                    **POLL_HEADERS,
                },
            )
        },
        headers=REQUEST_HEADERS,
        body={JSON: RescoreRequest},
        errors=(
            errors.MalformedJsonError,
            errors.NotFoundError,
            errors.NotTerminalError,
            errors.NoRankingsError,
            errors.TooLargeError,
            errors.UnsupportedMediaTypeError,
            errors.InvalidError,
            *KEY_ERRORS,
            errors.StorageFullError,
        ),
    ),
)
async def rescore_run(
    request: AnyRequest, backend: Deployed, run_id: FromPath[str]
) -> Response[bytes]:
    """Accept a child run over stored rankings."""
    check_media(request, (JSON,))
    read_query(request, NoParameters)
    asked = decode(await read_body(request), RescoreRequest)

    async def make(held: Idempotency | None) -> Response[bytes]:
        return accept_run(await rescoring.rescore(backend, run_id, asked, idempotency=held))

    return await create_once(request, backend, make)


@creates(
    "/runs/{run_id:str}/retry",
    Operation(
        id="retryRun",
        tag=_TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.RUN_CREATED,
        summary="Send a run's unanswered requests again",
        about=(
            "Makes a child run that takes over every answer of the run and sends only the "
            "requests that failed or were skipped."
        ),
        answers={
            202: Answer(
                about="Accepted",
                media={JSON: Run},
                headers={
                    "Location": "The child run's address.",
                    **ANSWER_HEADERS,
                    **POLL_HEADERS,
                },
            )
        },
        headers=REQUEST_HEADERS,
        body={JSON: RetryRequest},
        errors=(
            errors.MalformedJsonError,
            errors.NotFoundError,
            errors.NotTerminalError,
            errors.NothingToRetryError,
            errors.TooLargeError,
            errors.UnsupportedMediaTypeError,
            errors.InvalidError,
            errors.EndpointNotAllowedError,
            errors.SecretsUnavailableError,
            *KEY_ERRORS,
            errors.StorageFullError,
        ),
    ),
)
async def retry_run(
    request: AnyRequest, backend: Deployed, run_id: FromPath[str]
) -> Response[bytes]:
    """Accept a child run that sends what has no answer."""
    check_media(request, (JSON,))
    read_query(request, NoParameters)
    asked = decode(await read_body(request), RetryRequest)

    async def make(held: Idempotency | None) -> Response[bytes]:
        return accept_run(await retrying.retry(backend, run_id, asked, idempotency=held))

    return await create_once(request, backend, make)


@deletes(
    "/runs/{run_id:str}",
    Operation(
        id="deleteRun",
        tag=_TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.RUN_DELETED,
        summary="Delete a run that has ended",
        answers={204: Answer(about="Deleted")},
        errors=(errors.NotFoundError, errors.RunActiveError, errors.InvalidError),
    ),
)
async def delete_run(
    request: AnyRequest, backend: Deployed, run_id: FromPath[str]
) -> Response[bytes]:
    """Delete a run."""
    read_query(request, NoParameters)
    await runs.delete_run(backend, run_id)
    hot: HotAnswers = request.app.state.hot
    hot.forget(backend.tenant, run_id)
    return answer_nothing()


HANDLERS: Final = (create_run, list_runs, get_run, cancel_run, rescore_run, retry_run, delete_run)
