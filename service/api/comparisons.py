"""Routes of `/v1/comparisons`: ask for one, watch it, read it, delete it."""

from typing import Final

from litestar import Response
from litestar.params import FromPath

from reteval.contract.api_keys import Scope
from reteval.contract.comparisons import Comparison, ComparisonRequest
from service import errors
from service.api.bodies import AnyRequest, NoParameters, check_media, read_body, read_query
from service.api.conditional import IF_NONE_MATCH, known_answers
from service.api.idempotency import ANSWER_HEADERS, REQUEST_HEADERS, create_once
from service.api.idempotency import ERRORS as KEY_ERRORS
from service.api.operations import JSON, Answer, Operation, creates, deletes, reads
from service.api.parameters import WaitParameters
from service.api.responses import POLL_HEADERS, accept_job, answer_job, answer_nothing
from service.api.runs import Deployed
from service.core import comparisons
from service.core.decoding import decode
from service.core.idempotency import Idempotency

_TAG: Final = "comparisons"


@creates(
    "/comparisons",
    Operation(
        id="createComparison",
        tag=_TAG,
        scope=Scope.RESULTS_READ,
        summary="Compare two runs",
        about=(
            "Paired over the queries that both runs answered. The same question is answered "
            "from the first time it was asked. With `wait`, the answer comes with the report."
        ),
        answers={
            200: Answer(
                about="It has ended",
                media={JSON: Comparison},
                headers={"Location": "The comparison's address.", **ANSWER_HEADERS},
            ),
            202: Answer(
                about="Accepted",
                media={JSON: Comparison},
                headers={
                    "Location": "The comparison's address.",
                    **ANSWER_HEADERS,
                    **POLL_HEADERS,
                },
            ),
        },
        headers=REQUEST_HEADERS,
        query=WaitParameters,
        body={JSON: ComparisonRequest},
        errors=(
            errors.MalformedJsonError,
            errors.NotFoundError,
            errors.NotComparableError,
            errors.TooLargeError,
            errors.UnsupportedMediaTypeError,
            errors.InvalidError,
            *KEY_ERRORS,
            errors.StorageFullError,
        ),
    ),
)
async def create_comparison(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Check the two runs, have them compared, and wait for it as long as asked."""
    check_media(request, (JSON,))
    sent = read_query(request, WaitParameters)
    asked = decode(await read_body(request), ComparisonRequest)

    async def make(held: Idempotency | None) -> Response[bytes]:
        found = await comparisons.open_comparison(
            backend, asked, wait_s=sent.wait, idempotency=held
        )
        return accept_job(found)

    return await create_once(request, backend, make)


@reads(
    "/comparisons/{comparison_id:str}",
    Operation(
        id="getComparison",
        tag=_TAG,
        scope=Scope.RESULTS_READ,
        summary="Read a comparison",
        about="With `wait`, the answer comes when it has ended or the time is over.",
        answers=known_answers("Its state; tagged once it has ended", Comparison, POLL_HEADERS),
        headers=IF_NONE_MATCH,
        query=WaitParameters,
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def get_comparison(
    request: AnyRequest, backend: Deployed, comparison_id: FromPath[str]
) -> Response[bytes]:
    """Answer a comparison's state, and its report once it has ended."""
    sent = read_query(request, WaitParameters)
    found = await comparisons.get_comparison(backend, comparison_id, wait_s=sent.wait)
    return answer_job(request, found)


@deletes(
    "/comparisons/{comparison_id:str}",
    Operation(
        id="deleteComparison",
        tag=_TAG,
        scope=Scope.RUNS_WRITE,
        summary="Delete a comparison that has ended",
        about="Its runs stay; asking the same again makes it anew.",
        answers={204: Answer(about="Deleted")},
        errors=(errors.NotFoundError, errors.RunActiveError, errors.InvalidError),
    ),
)
async def delete_comparison(
    request: AnyRequest, backend: Deployed, comparison_id: FromPath[str]
) -> Response[bytes]:
    """Delete a comparison."""
    read_query(request, NoParameters)
    await comparisons.delete_comparison(backend, comparison_id)
    return answer_nothing()


HANDLERS: Final = (create_comparison, get_comparison, delete_comparison)
