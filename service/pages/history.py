"""History: how a metric of a test set went from run to run."""

from typing import Annotated, Final

from litestar import Response
from msgspec import Meta, Struct

from reteval.contract import limits
from reteval.contract.api_keys import Scope
from reteval.contract.history import DEFAULT_TREND, MAX_TREND, Trend
from service.api.bodies import AnyRequest
from service.core import reports, test_sets, trends
from service.core.backend import Backend
from service.pages.charts.drawing import draw
from service.pages.charts.trends import name_series, plot_trend
from service.pages.forms import read_fields
from service.pages.rendering import show
from service.pages.routing import Deployed, shows


class HistoryParameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which history: without a test set the page asks for one."""

    test_set: Annotated[str, Meta(max_length=limits.MAX_NAME_BYTES)] = ""
    metric: Annotated[str, Meta(max_length=64)] = ""
    label: Annotated[str, Meta(max_length=limits.MAX_NAME_BYTES)] = ""
    limit: Annotated[int, Meta(ge=1, le=MAX_TREND)] = DEFAULT_TREND


@shows("/history", "showHistory", scope=Scope.RESULTS_READ, query=HistoryParameters)
async def show_history(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Show the trend of a metric, a line for each version and endpoint."""
    sent = read_fields(request, HistoryParameters)
    names = await _list_names(backend)
    trend = None
    if sent.test_set:
        wanted = trends.Wanted(
            test_set=sent.test_set, metric=sent.metric, label=sent.label, limit=sent.limit
        )
        trend = await trends.read_trend(backend, wanted)
    drawn = trend is not None and any(
        point.mean is not None for series in trend.series for point in series.points
    )
    return await show(
        request,
        "history.html",
        sent=sent,
        names=names,
        trend=trend,
        metrics=await _list_metrics(backend, trend) if trend else [],
        drawings=await draw(plot_trend(trend)) if trend and drawn else {},
        name_series=name_series,
    )


async def _list_names(backend: Backend) -> list[str]:
    """Return names of test sets, newest first, for whoever may list them."""
    if not backend.identity.may(Scope.TEST_SETS_READ):
        return []
    page = await test_sets.list_test_sets(backend, name="", cursor="", limit=limits.MAX_PAGE)
    return list(dict.fromkeys(test_set.name for test_set in page.items))


async def _list_metrics(backend: Backend, trend: Trend) -> list[str]:
    """Return what the newest run with numbers measured."""
    points = [point for series in trend.series for point in series.points if point.n]
    newest = max(points, key=lambda point: point.timestamp, default=None)
    if newest is None:
        return []
    results = await reports.read_results(backend, newest.run)
    return list(results.metrics or {})


HANDLERS: Final = (show_history,)
