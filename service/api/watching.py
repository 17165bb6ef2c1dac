"""Route of a run's events: its state as it changes, for pages and whoever likes to listen."""

from collections.abc import AsyncIterator
from typing import Final

import msgspec
from litestar.di import NamedDependency
from litestar.params import FromPath, SkipValidation
from litestar.response import ServerSentEvent, ServerSentEventMessage

from reteval.contract.api_keys import Scope
from reteval.contract.runs import Run
from service import errors
from service.api.bodies import AnyRequest, NoParameters, read_query
from service.api.operations import EVENTS, Answer, Operation, reads
from service.core import runs
from service.core.backend import Backend
from service.core.grants import RUN
from service.core.watching import watch_run

AGAIN_MS: Final = 1_000
"""When a listener comes back after the stream has ended and the run has not."""

Deployed = NamedDependency[SkipValidation[Backend]]


@reads(
    "/runs/{run_id:str}/events",
    Operation(
        id="watchRun",
        tag="runs",
        scope=Scope.RUNS_READ,
        shared=RUN,
        summary="Hear of a run as it goes on",
        about=(
            "Server-sent events: `run` has the state as `GET /v1/runs/{run_id}` shows it, `end` is "
            "the last one. A stream lasts half a minute at most; then ask again."
        ),
        answers={200: Answer(about="The events", media={EVENTS: None})},
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def watch(request: AnyRequest, backend: Deployed, run_id: FromPath[str]) -> ServerSentEvent:
    """Stream the run's state whenever it has changed."""
    read_query(request, NoParameters)
    first = await runs.get_run(backend, run_id)  # a run that is nowhere is an error, no stream
    asked_for_head = request.method == "HEAD"
    return ServerSentEvent(_nothing() if asked_for_head else _tell(backend, first))


async def _tell(backend: Backend, first: Run) -> AsyncIterator[ServerSentEventMessage]:
    async for run in watch_run(backend, first.id):
        yield ServerSentEventMessage(
            event="end" if run.status.terminal else "run",
            data=msgspec.json.encode(run).decode(),
            retry=AGAIN_MS,
        )


async def _nothing() -> AsyncIterator[ServerSentEventMessage]:
    return
    yield


HANDLERS: Final = (watch,)
