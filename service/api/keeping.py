"""Routes about what is kept, and for how long: usage, pins."""

from typing import Final

from litestar import Response
from litestar.params import FromPath

from reteval.contract.api_keys import Scope
from reteval.contract.runs import Run
from reteval.contract.usage import Usage
from service import errors
from service.api.bodies import AnyRequest, NoParameters, read_query
from service.api.hot import HotAnswers
from service.api.operations import JSON, Answer, Operation, creates, deletes, reads
from service.api.responses import answer, answer_nothing, pace
from service.api.runs import Deployed
from service.core import runs
from service.core.backend import Backend
from service.core.usage import get_usage


@reads(
    "/usage",
    Operation(
        id="getUsage",
        tag="operations",
        scope=Scope.RUNS_READ,
        summary="Tell what is kept, how long, and what is left",
        about=(
            "Bytes are lengths of what is stored; the memory of the server is larger by its own "
            "overhead, and shared by all who use it."
        ),
        answers={200: Answer(about="What is kept", media={JSON: Usage})},
        errors=(errors.InvalidError,),
    ),
)
async def read_usage(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Answer what is kept."""
    read_query(request, NoParameters)
    return answer(await get_usage(backend))


@creates(
    "/runs/{run_id:str}/pin",
    Operation(
        id="pinRun",
        tag="runs",
        scope=Scope.RUNS_WRITE,
        summary="Keep a run from expiring",
        about="For baselines. It can still be deleted. Pinning it again changes nothing.",
        answers={200: Answer(about="Pinned", media={JSON: Run})},
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def pin_run(request: AnyRequest, backend: Deployed, run_id: FromPath[str]) -> Response[bytes]:
    """Pin a run."""
    read_query(request, NoParameters)
    run = await runs.pin_run(backend, run_id, pinned=True)
    _forget(request, backend, run_id)
    return answer(run, headers=pace(run))


@deletes(
    "/runs/{run_id:str}/pin",
    Operation(
        id="unpinRun",
        tag="runs",
        scope=Scope.RUNS_WRITE,
        summary="Let a run expire",
        about="Where the operator lets runs expire, after so many days from its end or last use.",
        answers={204: Answer(about="Not pinned")},
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def unpin_run(
    request: AnyRequest, backend: Deployed, run_id: FromPath[str]
) -> Response[bytes]:
    """Unpin a run."""
    read_query(request, NoParameters)
    await runs.pin_run(backend, run_id, pinned=False)
    _forget(request, backend, run_id)
    return answer_nothing()


def _forget(request: AnyRequest, backend: Backend, run_id: str) -> None:
    hot: HotAnswers = request.app.state.hot
    hot.forget(backend.tenant, run_id)


HANDLERS: Final = (read_usage, pin_run, unpin_run)
