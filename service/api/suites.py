"""Routes of `/v1/suites` and `/v1/suite-runs`."""

from typing import Final

from litestar import Response
from litestar.params import FromPath

from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditEvent
from reteval.contract.suites import (
    Suite,
    SuitePage,
    SuiteRequest,
    SuiteRun,
    SuiteRunPage,
    SuiteRunRequest,
)
from service import errors
from service.api.bodies import AnyRequest, NoParameters, check_media, read_body, read_query
from service.api.idempotency import ANSWER_HEADERS, REQUEST_HEADERS, create_once
from service.api.idempotency import ERRORS as KEY_ERRORS
from service.api.operations import JSON, Answer, Operation, creates, deletes, reads
from service.api.parameters import PageParameters, WaitParameters
from service.api.responses import POLL_HEADERS, answer, answer_nothing, pace
from service.api.runs import Deployed
from service.core import suite_runs, suites
from service.core.decoding import decode
from service.core.idempotency import Idempotency

_TAG: Final = "suites"
_BODY_ERRORS: Final = (
    errors.MalformedJsonError,
    errors.NotFoundError,
    errors.TooLargeError,
    errors.UnsupportedMediaTypeError,
    errors.InvalidError,
    *KEY_ERRORS,
    errors.StorageFullError,
)
_READ_ERRORS: Final = (errors.NotFoundError, errors.InvalidError)


@creates(
    "/suites",
    Operation(
        id="createSuite",
        tag=_TAG,
        scope=Scope.TEST_SETS_WRITE,
        event=AuditEvent.SUITE_CREATED,
        summary="Join test sets to be run as one",
        about="A set named by name stands for its newest version at the start of each run.",
        answers={
            201: Answer(
                about="Joined",
                media={JSON: Suite},
                headers={"Location": "The suite's address.", **ANSWER_HEADERS},
            )
        },
        headers=REQUEST_HEADERS,
        body={JSON: SuiteRequest},
        errors=(*_BODY_ERRORS, errors.NameTakenError),
    ),
)
async def create_suite(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Keep a suite."""
    check_media(request, (JSON,))
    read_query(request, NoParameters)
    asked = decode(await read_body(request), SuiteRequest)

    async def make(held: Idempotency | None) -> Response[bytes]:
        made = await suites.create_suite(backend, asked, idempotency=held)
        return answer(made, status=201, headers={"Location": f"/v1/suites/{made.id}"})

    return await create_once(request, backend, make)


@reads(
    "/suites",
    Operation(
        id="listSuites",
        tag=_TAG,
        scope=Scope.TEST_SETS_READ,
        summary="List suites, newest first",
        answers={200: Answer(about="A page", media={JSON: SuitePage})},
        query=PageParameters,
        errors=(errors.BadCursorError, errors.InvalidError),
    ),
)
async def list_suites(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Answer a page of suites."""
    sent = read_query(request, PageParameters)
    return answer(await suites.list_suites(backend, cursor=sent.cursor, limit=sent.limit))


@reads(
    "/suites/{suite:str}",
    Operation(
        id="getSuite",
        tag=_TAG,
        scope=Scope.TEST_SETS_READ,
        summary="Read a suite",
        about="By id or by name.",
        answers={200: Answer(about="The suite", media={JSON: Suite})},
        errors=_READ_ERRORS,
    ),
)
async def get_suite(
    request: AnyRequest, backend: Deployed, suite: FromPath[str]
) -> Response[bytes]:
    """Answer a suite."""
    read_query(request, NoParameters)
    return answer(await suites.get_suite(backend, suite))


@deletes(
    "/suites/{suite:str}",
    Operation(
        id="deleteSuite",
        tag=_TAG,
        scope=Scope.TEST_SETS_WRITE,
        event=AuditEvent.SUITE_DELETED,
        summary="Delete a suite",
        about="With what joins its runs. The runs themselves stay, and go on.",
        answers={204: Answer(about="Deleted")},
        errors=_READ_ERRORS,
    ),
)
async def delete_suite(
    request: AnyRequest, backend: Deployed, suite: FromPath[str]
) -> Response[bytes]:
    """Delete a suite."""
    read_query(request, NoParameters)
    await suites.delete_suite(backend, suite)
    return answer_nothing()


@creates(
    "/suites/{suite:str}/runs",
    Operation(
        id="startSuite",
        tag=_TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.SUITE_RUN_CREATED,
        summary="Start a run over each set of a suite",
        about=(
            "The body is that of a run without `test_set`; label and meta are those of all. All "
            "runs are made, or none is. The answer has their states, not their numbers."
        ),
        answers={
            202: Answer(
                about="Accepted",
                media={JSON: SuiteRun},
                headers={
                    "Location": "The suite run's address.",
                    **ANSWER_HEADERS,
                    **POLL_HEADERS,
                },
            )
        },
        headers=REQUEST_HEADERS,
        body={JSON: SuiteRunRequest},
        errors=(
            *_BODY_ERRORS,
            errors.EndpointNotAllowedError,
            errors.SecretsUnavailableError,
        ),
    ),
)
async def start_suite(
    request: AnyRequest, backend: Deployed, suite: FromPath[str]
) -> Response[bytes]:
    """Start the runs of a suite."""
    check_media(request, (JSON,))
    read_query(request, NoParameters)
    asked = decode(await read_body(request), SuiteRunRequest)

    async def make(held: Idempotency | None) -> Response[bytes]:
        made = await suite_runs.start_suite(backend, suite, asked, idempotency=held)
        location = {"Location": f"/v1/suite-runs/{made.id}"}
        return answer(made, status=202, headers=location | pace(made))

    return await create_once(request, backend, make)


@reads(
    "/suites/{suite:str}/runs",
    Operation(
        id="listSuiteRuns",
        tag=_TAG,
        scope=Scope.RUNS_READ,
        summary="List the runs over a suite, newest first",
        answers={200: Answer(about="A page", media={JSON: SuiteRunPage})},
        query=PageParameters,
        errors=(errors.BadCursorError, *_READ_ERRORS),
    ),
)
async def list_suite_runs(
    request: AnyRequest, backend: Deployed, suite: FromPath[str]
) -> Response[bytes]:
    """Answer a page of a suite's runs."""
    sent = read_query(request, PageParameters)
    return answer(
        await suite_runs.list_suite_runs(backend, suite, cursor=sent.cursor, limit=sent.limit)
    )


@reads(
    "/suite-runs/{suite_run:str}",
    Operation(
        id="getSuiteRun",
        tag=_TAG,
        scope=Scope.RESULTS_READ,
        summary="Read what a run over a suite has brought",
        about="A row a test set, and the macro means once all have ended; `wait` holds for that.",
        answers={
            200: Answer(about="State and numbers", media={JSON: SuiteRun}, headers=POLL_HEADERS)
        },
        query=WaitParameters,
        errors=_READ_ERRORS,
    ),
)
async def get_suite_run(
    request: AnyRequest, backend: Deployed, suite_run: FromPath[str]
) -> Response[bytes]:
    """Answer the state of a suite's run."""
    sent = read_query(request, WaitParameters)
    found = await suite_runs.get_suite_run(backend, suite_run, wait_s=sent.wait)
    return answer(found, headers=pace(found))


@creates(
    "/suite-runs/{suite_run:str}/cancel",
    Operation(
        id="cancelSuiteRun",
        tag=_TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.SUITE_RUN_CANCELLED,
        summary="Cancel all runs of a suite's run",
        about="The answer has their states, not their numbers.",
        answers={202: Answer(about="They will stop", media={JSON: SuiteRun}, headers=POLL_HEADERS)},
        errors=(errors.NotFoundError, errors.AlreadyTerminalError, errors.InvalidError),
    ),
)
async def cancel_suite_run(
    request: AnyRequest, backend: Deployed, suite_run: FromPath[str]
) -> Response[bytes]:
    """Ask the runs to stop."""
    read_query(request, NoParameters)
    found = await suite_runs.cancel_suite_run(backend, suite_run)
    return answer(found, status=202, headers=pace(found))


HANDLERS: Final = (
    create_suite,
    list_suites,
    get_suite,
    delete_suite,
    start_suite,
    list_suite_runs,
    get_suite_run,
    cancel_suite_run,
)
