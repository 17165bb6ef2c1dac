"""Comparisons: the form that asks for one, and the page of what was found."""

from typing import Any, Final

from litestar import Response
from litestar.params import FromPath
from msgspec import UNSET, Struct

from reteval.contract.api_keys import Scope
from reteval.contract.comparisons import ComparisonReport, ComparisonRequest, Mover
from reteval.contract.runs import Run, RunStatus
from service.api.bodies import AnyRequest
from service.core import comparisons, moves, runs
from service.core.backend import Backend
from service.core.decoding import read_parameters
from service.errors import NotFoundError
from service.pages.charts import forests
from service.pages.charts import moves as move_charts
from service.pages.charts.drawing import Chart, draw
from service.pages.forms import read_fields, read_form
from service.pages.rendering import frame, segment, show
from service.pages.routing import Deployed, lead_to, shows, takes

_AGAIN_S: Final = 1
"""After so many seconds the page of a comparison that is being made is asked for again."""
_RECENT: Final = 50
_COMPLETED: Final = (RunStatus.COMPLETED, RunStatus.COMPLETED_WITH_ERRORS)


class PairParameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the form begins with."""

    baseline: str = ""
    candidate: str = ""


@shows("/comparisons/new", "showComparisonForm", scope=Scope.RESULTS_READ, query=PairParameters)
async def show_form(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Show the form that asks for a comparison."""
    sent = read_fields(request, PairParameters)
    known = await _list_recent(backend)
    return await show(request, "comparison_form.html", sent=sent, runs=known)


@takes("/comparisons/new", "openComparison", scope=Scope.RESULTS_READ)
async def open_comparison(request: AnyRequest, backend: Deployed) -> Response[Any]:
    """Have two runs compared, and lead to what is found; a field left empty was not sent."""
    form = await read_form(request)
    filled = [(name, text.strip()) for name, text in form.items() if text.strip()]
    asked = read_parameters(filled, ComparisonRequest)
    made = await comparisons.open_comparison(backend, asked, wait_s=0.0)
    return lead_to(f"/comparisons/{made.id}")


@shows("/comparisons/{comparison_id:str}", "showComparison", scope=Scope.RESULTS_READ)
async def show_comparison(
    request: AnyRequest, backend: Deployed, comparison_id: FromPath[str]
) -> Response[bytes]:
    """Show what a comparison found; one that is being made is asked for again by itself."""
    found = await comparisons.get_comparison(backend, comparison_id, wait_s=0.0)
    if found.report is None:
        answer = await show(request, "comparison_pending.html", found=found)
        if not found.status.terminal:
            answer.headers["Refresh"] = str(_AGAIN_S)
        return answer
    moved = await _find_moves(backend, found.report)
    drawings = await draw(*_plot(request, found.report, moved))
    return await show(
        request, "comparison.html", found=found, report=found.report, drawings=drawings, moved=moved
    )


def name_query(comparison_id: str, query_id: str) -> str:
    """Return the path of the page of a query of a comparison."""
    return f"/comparisons/{comparison_id}/queries/{segment(query_id)}"


def _plot(request: AnyRequest, report: ComparisonReport, moved: list[Mover] | None) -> list[Chart]:
    link = frame(request)["link"]
    charts = [forests.plot_metrics(report), move_charts.plot_tally(report)]
    if moved:
        charts.append(
            move_charts.plot_moves(
                moved,
                metric=report.primary,
                address=lambda query_id: link(name_query(report.id, query_id)),
            )
        )
    if report.robustness is not UNSET and report.robustness.kinds:
        charts.append(forests.plot_changes(report.robustness))
    return charts


async def _find_moves(backend: Backend, report: ComparisonReport) -> list[Mover] | None:
    """Return the moves of all queries; None where a run has been deleted since."""
    try:
        return await moves.read_moves(backend, report)
    except NotFoundError:
        return None


async def _list_recent(backend: Backend) -> list[Run]:
    """Return the newest runs that can be compared, for whoever may list runs."""
    if not backend.identity.may(Scope.RUNS_READ):
        return []
    page = await runs.list_runs(backend, runs.RunFilter(), cursor="", limit=_RECENT)
    return [run for run in page.items if run.status in _COMPLETED]


HANDLERS: Final = (show_form, open_comparison, show_comparison)
