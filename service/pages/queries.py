"""The queries of a run: a list to sort and filter, and a page for each."""

from typing import Final
from urllib.parse import unquote

from litestar import Response
from litestar.params import FromPath

from reteval.contract.api_keys import Scope
from reteval.contract.definitions import FORMULAS
from reteval.contract.metrics import choose_headline, parse_metric
from reteval.contract.outcomes import OutcomeStatus
from service.api.bodies import AnyRequest
from service.api.parameters import RowParameters
from service.core import query_details, query_rows, reports, runs
from service.core.grants import RUN
from service.pages.forms import read_fields
from service.pages.rankings import rank
from service.pages.rendering import show
from service.pages.report import arrange
from service.pages.routing import Deployed, shows

_BEFORE_ID: Final = b"/queries/"


@shows(
    "/runs/{run_id:str}/queries",
    "showQueries",
    scope=Scope.RESULTS_READ,
    shared=RUN,
    query=RowParameters,
)
async def show_queries(
    request: AnyRequest, backend: Deployed, run_id: FromPath[str]
) -> Response[bytes]:
    """Show a page of a run's queries, with a metric of each family."""
    sent = read_fields(request, RowParameters)
    run = await runs.get_run(backend, run_id)
    results = await reports.read_results(backend, run_id)
    metrics = results.metrics or {}
    wanted = query_rows.RowQuery(sort=sent.sort, status=sent.status, slice=sent.slice)
    page = await query_rows.page_rows(backend, run_id, wanted, cursor=sent.cursor, limit=sent.limit)
    asked = sent.sort.removeprefix("-")
    primary = asked if asked in metrics else choose_headline(list(metrics)) if metrics else ""
    return await show(
        request,
        "queries.html",
        run=run,
        page=page,
        sent=sent,
        metrics=list(metrics),
        shown=[card.name for card in arrange(metrics, primary)],
        slices=list(results.slices),
        statuses=[str(status) for status in OutcomeStatus],
    )


@shows(
    "/runs/{run_id:str}/queries/{query_id:path}",
    "showQuery",
    scope=Scope.RESULTS_READ,
    shared=RUN,
)
async def show_query(
    request: AnyRequest, backend: Deployed, run_id: FromPath[str]
) -> Response[bytes]:
    """Show what one query brought: its ranking with the judgments, its metrics, its variants."""
    run = await runs.get_run(backend, run_id)
    details = await query_details.read_details(backend, run_id, read_query_id(request))
    families: dict[str, list[str]] = {}
    for name in details.row.metrics:
        families.setdefault(FORMULAS[parse_metric(name).name], []).append(name)
    return await show(
        request,
        "query.html",
        run=run,
        details=details,
        ranked=rank(details),
        families=families,
    )


def read_query_id(request: AnyRequest) -> str:
    """Return the id at the end of a path, which may hold slashes and anything else."""
    _, _, written = request.scope["raw_path"].partition(_BEFORE_ID)
    return unquote(written.decode("ascii", "replace"))


HANDLERS: Final = (show_queries, show_query)
