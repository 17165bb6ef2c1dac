"""Routes about a test set over all its runs: the trend of a metric, and what to label next."""

from typing import Any, Final

from litestar import Response
from litestar.di import NamedDependency
from litestar.params import FromPath, SkipValidation

from reteval.contract.api_keys import Scope
from reteval.contract.history import Trend
from reteval.contract.problems import ProblemItem
from reteval.contract.unjudged import MAX_PAIRS, UnjudgedPage
from service import errors
from service.api.bodies import AnyRequest, read_query
from service.api.operations import CSV, JSON, Answer, Operation, reads
from service.api.parameters import TrendParameters, UnjudgedParameters
from service.api.responses import LINK_HEADERS, answer, answer_page, answer_stream
from service.core import trends, unjudged
from service.core.backend import Backend
from service.errors import InvalidError

Deployed = NamedDependency[SkipValidation[Backend]]


@reads(
    "/history",
    Operation(
        id="getTrend",
        tag="reports",
        scope=Scope.RESULTS_READ,
        summary="Read the trend of a metric",
        about=(
            "A series for each version of the test set, endpoint and threshold of relevance; "
            "numbers of different series are not comparable. Runs that failed or were cancelled "
            "are in it, with a null mean and a reason."
        ),
        answers={200: Answer(about="The series", media={JSON: Trend})},
        query=TrendParameters,
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def get_trend(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Answer the trend of a metric."""
    sent = read_query(request, TrendParameters)
    wanted = trends.Wanted(
        test_set=sent.test_set, metric=sent.metric, label=sent.label, limit=sent.limit
    )
    return answer(await trends.read_trend(backend, wanted))


@reads(
    "/test-sets/{test_set:str}/unjudged",
    Operation(
        id="listUnjudged",
        tag="test sets",
        scope=Scope.RESULTS_READ,
        summary="List what to label next",
        about=(
            "Documents that the newest completed runs returned near the top and nobody judged, "
            f"most valuable first, at most {MAX_PAIRS:,}. `csv` is the whole list with an empty "
            "column `rating` to fill in."
        ),
        answers={
            200: Answer(
                about="A page, or the list",
                media={JSON: UnjudgedPage, CSV: None},
                headers=LINK_HEADERS,
            )
        },
        query=UnjudgedParameters,
        errors=(errors.BadCursorError, errors.NotFoundError, errors.InvalidError),
    ),
)
async def list_unjudged(
    request: AnyRequest, backend: Deployed, test_set: FromPath[str]
) -> Response[Any]:
    """Answer a page of unjudged pairs, or stream all of them."""
    sent = read_query(request, UnjudgedParameters)
    if sent.format == "json":
        page = await unjudged.page_unjudged(backend, test_set, cursor=sent.cursor, limit=sent.limit)
        return answer_page(request, page)
    if sent.cursor:
        item = ProblemItem(pointer="?cursor", message="csv has no pages", fix="Leave cursor out.")
        raise InvalidError("A query parameter is not valid.", errors=[item])
    chunks = await unjudged.export_unjudged(backend, test_set)
    return answer_stream(chunks, media=CSV, filename="unjudged.csv")


HANDLERS: Final = (get_trend, list_unjudged)
