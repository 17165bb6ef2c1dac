"""Routes of `/v1/runs`: create, watch, cancel, delete."""

import math
import re
from typing import Final

from litestar import Response
from litestar.di import NamedDependency
from litestar.exceptions import ClientException
from litestar.params import FromPath, SkipValidation

from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditEvent
from reteval.contract.runs import RescoreRequest, RetryRequest, Run, RunPage, RunRequest
from service import errors
from service.api.bodies import AnyRequest, NoParameters, check_media, read_body, read_query
from service.api.operations import JSON, Answer, Operation, creates, deletes, reads
from service.api.parameters import RunListParameters, WaitParameters
from service.api.responses import POLL_HEADERS, answer, answer_nothing
from service.core import rescoring, retrying, runs
from service.core.backend import Backend
from service.core.decoding import decode
from service.core.grants import RUN

_TAG: Final = "runs"
_KEY: Final = re.compile(r"[\x21-\x7e]{1,255}")

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
                    "Idempotent-Replayed": "`true` when the key had made this run before.",
                    **POLL_HEADERS,
                },
            )
        },
        headers={
            "Idempotency-Key": "1 to 255 visible ASCII characters. The same key with the same "
            "body answers the same run for 24 hours."
        },
        body={JSON: RunRequest},
        errors=(
            errors.MalformedJsonError,
            errors.NotFoundError,
            errors.TooLargeError,
            errors.UnsupportedMediaTypeError,
            errors.InvalidError,
            errors.EndpointNotAllowedError,
            errors.SecretsUnavailableError,
            errors.IdempotencyMismatchError,
            errors.StorageFullError,
        ),
    ),
)
async def create_run(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Check the request, store the run, wake a worker."""
    check_media(request, (JSON,))
    read_query(request, NoParameters)
    key = _read_key(request)
    body = await read_body(request)
    run, created = await runs.create_run(
        backend, decode(body, RunRequest), body=body, idempotency_key=key
    )
    headers = {"Location": f"/v1/runs/{run.id}"}
    if not created:
        headers["Idempotent-Replayed"] = "true"
    return show_run(run, status=202, headers=headers)


@reads(
    "/runs",
    Operation(
        id="listRuns",
        tag=_TAG,
        scope=Scope.RUNS_READ,
        summary="List runs, newest first",
        answers={200: Answer(about="A page", media={JSON: RunPage})},
        query=RunListParameters,
        errors=(errors.BadCursorError, errors.NotFoundError, errors.InvalidError),
    ),
)
async def list_runs(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Answer a page of runs."""
    sent = read_query(request, RunListParameters)
    wanted = runs.RunFilter(test_set=sent.test_set, label=sent.label, status=sent.status)
    return answer(await runs.list_runs(backend, wanted, cursor=sent.cursor, limit=sent.limit))


@reads(
    "/runs/{run_id:str}",
    Operation(
        id="getRun",
        tag=_TAG,
        scope=Scope.RUNS_READ,
        shared=RUN,
        summary="Watch a run",
        about="With `wait`, the answer comes when the run has ended or the time is over.",
        answers={200: Answer(about="Its state", media={JSON: Run}, headers=POLL_HEADERS)},
        query=WaitParameters,
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def get_run(request: AnyRequest, backend: Deployed, run_id: FromPath[str]) -> Response[bytes]:
    """Answer a run's state."""
    sent = read_query(request, WaitParameters)
    return show_run(await runs.get_run(backend, run_id, wait_s=sent.wait))


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
    return show_run(await runs.cancel_run(backend, run_id), status=202)


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
                headers={"Location": "The child run's address.", **POLL_HEADERS},
            )
        },
        body={JSON: RescoreRequest},
        errors=(
            errors.MalformedJsonError,
            errors.NotFoundError,
            errors.NotTerminalError,
            errors.NoRankingsError,
            errors.TooLargeError,
            errors.UnsupportedMediaTypeError,
            errors.InvalidError,
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
    run = await rescoring.rescore(backend, run_id, asked)
    return show_run(run, status=202, headers={"Location": f"/v1/runs/{run.id}"})


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
                headers={"Location": "The child run's address.", **POLL_HEADERS},
            )
        },
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
    run = await retrying.retry(backend, run_id, asked)
    return show_run(run, status=202, headers={"Location": f"/v1/runs/{run.id}"})


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
    return answer_nothing()


def show_run(
    run: Run, *, status: int = 200, headers: dict[str, str] | None = None
) -> Response[bytes]:
    """Answer a run, with the pause before it is worth asking again."""
    pace = {} if run.poll_after_s is None else {"Retry-After": str(math.ceil(run.poll_after_s))}
    return answer(run, status=status, headers={**pace, **(headers or {})})


def _read_key(request: AnyRequest) -> str | None:
    """Return the idempotency key, which may come quoted as structured fields do."""
    sent = request.headers.get("Idempotency-Key")
    if sent is None:
        return None
    key = sent[1:-1] if len(sent) > 1 and sent[0] == sent[-1] == '"' else sent
    if not _KEY.fullmatch(key):
        raise ClientException("Idempotency-Key is 1 to 255 visible ASCII characters.")
    return key


HANDLERS: Final = (create_run, list_runs, get_run, cancel_run, rescore_run, retry_run, delete_run)
