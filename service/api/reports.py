"""Routes that read an ended run, and the history of a test set."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final, Literal

from litestar import Response
from litestar.di import NamedDependency
from litestar.params import FromPath, SkipValidation
from litestar.response import Stream
from msgspec import Struct

from reteval.contract.api_keys import Scope
from reteval.contract.outcomes import OutcomePage, QueryRowPage, VariantPage
from reteval.contract.results import Results
from service import errors
from service.api.bodies import AnyRequest, NoParameters, read_query
from service.api.conditional import (
    IF_NONE_MATCH,
    answer_tagged,
    known_answers,
)
from service.api.hot import RESULTS, HotAnswers, Known
from service.api.operations import (
    CSV,
    HTML,
    JSON_LINES,
    MARKDOWN,
    ZIP,
    Answer,
    Operation,
    reads,
)
from service.api.parameters import (
    HistoryParameters,
    PageParameters,
    RowParameters,
    VariantParameters,
)
from service.api.responses import LINK_HEADERS, answer_fixed_page, answer_stream
from service.core import history, query_rows, reports
from service.core.backend import Backend
from service.core.exports import run_rows, run_summary, run_trec
from service.core.grants import RUN

_TAG: Final = "reports"
_ENDED: Final = (errors.NotFoundError, errors.NotTerminalError, errors.InvalidError)
_PAGED: Final = (errors.BadCursorError, *_ENDED)

Deployed = NamedDependency[SkipValidation[Backend]]
Export = Callable[[Backend, str], Awaitable[AsyncIterator[bytes]]]


class ExportParameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The form of an exported run."""

    format: Literal["trec", "csv", "jsonl", "markdown", "html"] = "jsonl"


@reads(
    "/runs/{run_id:str}/results",
    Operation(
        id="getResults",
        tag=_TAG,
        scope=Scope.RESULTS_READ,
        shared=RUN,
        kept=RESULTS,
        summary="Read a run's report",
        answers=known_answers("The report", Results),
        headers=IF_NONE_MATCH,
        errors=_ENDED,
    ),
)
async def get_results(
    request: AnyRequest, backend: Deployed, run_id: FromPath[str]
) -> Response[bytes]:
    """Answer the stored report byte for byte."""
    read_query(request, NoParameters)
    hot: HotAnswers = request.app.state.hot
    known = hot.find(backend.tenant, run_id, RESULTS)
    if known is None:
        etag = f'"{await reports.read_tag(backend, run_id)}"'
        report = Known(await reports.read_report(backend, run_id), etag)
        known = hot.keep(backend.tenant, run_id, RESULTS, report)
    return answer_tagged(request, known)


@reads(
    "/runs/{run_id:str}/queries",
    Operation(
        id="listQueryRows",
        tag=_TAG,
        scope=Scope.RESULTS_READ,
        shared=RUN,
        summary="List a run's queries with their metrics",
        about=(
            "In upload order, or sorted by a metric: `sort=ndcg@10` shows the worst first, "
            "`sort=-ndcg@10` the best. Undefined values come last."
        ),
        answers=known_answers("A page", QueryRowPage, LINK_HEADERS),
        headers=IF_NONE_MATCH,
        query=RowParameters,
        errors=_PAGED,
    ),
)
async def list_query_rows(
    request: AnyRequest, backend: Deployed, run_id: FromPath[str]
) -> Response[bytes]:
    """Answer a page of query rows."""
    sent = read_query(request, RowParameters)
    wanted = query_rows.RowQuery(sort=sent.sort, status=sent.status, slice=sent.slice)
    page = await query_rows.page_rows(backend, run_id, wanted, cursor=sent.cursor, limit=sent.limit)
    return answer_fixed_page(request, page)


@reads(
    "/runs/{run_id:str}/outcomes",
    Operation(
        id="listOutcomes",
        tag=_TAG,
        scope=Scope.RESULTS_READ,
        shared=RUN,
        summary="List a run's raw rankings",
        about="Every request in plan order: the clean queries, then the variants.",
        answers=known_answers("A page", OutcomePage, LINK_HEADERS),
        headers=IF_NONE_MATCH,
        query=PageParameters,
        errors=_PAGED,
    ),
)
async def list_outcomes(
    request: AnyRequest, backend: Deployed, run_id: FromPath[str]
) -> Response[bytes]:
    """Answer a page of outcomes."""
    sent = read_query(request, PageParameters)
    page = await reports.page_outcomes(backend, run_id, cursor=sent.cursor, limit=sent.limit)
    return answer_fixed_page(request, page)


@reads(
    "/runs/{run_id:str}/variants",
    Operation(
        id="listVariants",
        tag=_TAG,
        scope=Scope.RESULTS_READ,
        shared=RUN,
        summary="List a run's adversarial variants",
        answers=known_answers("A page", VariantPage, LINK_HEADERS),
        headers=IF_NONE_MATCH,
        query=VariantParameters,
        errors=_PAGED,
    ),
)
async def list_variants(
    request: AnyRequest, backend: Deployed, run_id: FromPath[str]
) -> Response[bytes]:
    """Answer a page of variants."""
    sent = read_query(request, VariantParameters)
    page = await reports.page_variants(
        backend, run_id, kind=sent.kind, cursor=sent.cursor, limit=sent.limit
    )
    return answer_fixed_page(request, page)


@reads(
    "/runs/{run_id:str}/export",
    Operation(
        id="exportRun",
        tag=_TAG,
        scope=Scope.RESULTS_READ,
        shared=RUN,
        summary="Download a run",
        about=(
            "`trec` is a zip of run, qrels and a README, from which trec_eval recomputes the "
            "means; `csv` and `jsonl` hold a row for each clean query; `markdown` is a summary for "
            "a comment; `html` is the report as a page that opens without the service."
        ),
        answers={
            200: Answer(
                about="The run", media=dict.fromkeys((JSON_LINES, CSV, ZIP, MARKDOWN, HTML))
            )
        },
        query=ExportParameters,
        errors=_ENDED,
    ),
)
async def export_run(request: AnyRequest, backend: Deployed, run_id: FromPath[str]) -> Stream:
    """Stream a run in the format asked for."""
    sent = read_query(request, ExportParameters)
    writers: dict[str, tuple[Export, str, str]] = {
        "trec": (run_trec.export_trec, ZIP, "zip"),
        "csv": (run_rows.export_csv, CSV, "csv"),
        "jsonl": (run_rows.export_jsonl, JSON_LINES, "jsonl"),
        "markdown": (run_summary.export_markdown, MARKDOWN, "md"),
        "html": (request.app.state.export_html, HTML, "html"),  # that of the pages
    }
    export, media, ending = writers[sent.format]
    return answer_stream(await export(backend, run_id), media=media, filename=f"run.{ending}")


@reads(
    "/history.jsonl",
    Operation(
        id="getHistory",
        tag=_TAG,
        scope=Scope.RESULTS_READ,
        summary="Read the history of a test set",
        about=(
            "A flat JSON object a line for each ended run, oldest first: identity, then the mean "
            "of each metric."
        ),
        answers={200: Answer(about="The lines", media={JSON_LINES: None})},
        query=HistoryParameters,
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def get_history(request: AnyRequest, backend: Deployed) -> Stream:
    """Stream a test set's history."""
    sent = read_query(request, HistoryParameters)
    return answer_stream(await history.read_history(backend, sent.test_set), media=JSON_LINES)


HANDLERS: Final = (
    get_results,
    list_query_rows,
    list_outcomes,
    list_variants,
    export_run,
    get_history,
)
