"""The route of `/v1/power`: how many queries it takes."""

from typing import Final

from litestar import Response

from reteval.contract.api_keys import Scope
from reteval.contract.power import PowerAnswer, PowerRequest
from service import errors
from service.api.bodies import AnyRequest, NoParameters, check_media, read_body, read_query
from service.api.operations import JSON, Answer, Operation, creates
from service.api.responses import answer
from service.api.runs import Deployed
from service.core.decoding import decode
from service.core.power import answer_power


@creates(
    "/power",
    Operation(
        id="planPower",
        tag="comparisons",
        scope=Scope.RESULTS_READ,
        summary="Tell how many queries show a difference",
        about=(
            "From the standard deviation of paired differences, given as `sigma` or measured on "
            "two runs over one test set."
        ),
        answers={200: Answer(about="The answer", media={JSON: PowerAnswer})},
        body={JSON: PowerRequest},
        errors=(
            errors.MalformedJsonError,
            errors.NotFoundError,
            errors.NotTerminalError,
            errors.NotComparableError,
            errors.TooLargeError,
            errors.UnsupportedMediaTypeError,
            errors.InvalidError,
        ),
    ),
)
async def plan_power(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Answer from a spread or from two runs."""
    check_media(request, (JSON,))
    read_query(request, NoParameters)
    asked = decode(await read_body(request), PowerRequest)
    return answer(await answer_power(backend, asked))


HANDLERS: Final = (plan_power,)
