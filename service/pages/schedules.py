"""Schedules and alerts: what starts by itself, what is watched, and what became of it."""

from typing import Final

from litestar import Response
from litestar.params import FromPath

from reteval.contract.api_keys import Scope
from reteval.contract.limits import MAX_PAGE
from service.api.bodies import AnyRequest, NoParameters
from service.api.parameters import PageParameters
from service.core import alerts, schedules
from service.pages.forms import read_fields
from service.pages.rendering import show
from service.pages.routing import Deployed, shows


@shows("/schedules", "showSchedules", scope=Scope.RUNS_READ)
async def show_schedules(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Show what starts by itself and when, and what is watched and how it is."""
    read_fields(request, NoParameters)
    return await show(
        request,
        "schedules.html",
        schedules=(await schedules.list_schedules(backend, cursor="", limit=MAX_PAGE)).items,
        alerts=(await alerts.list_alerts(backend, cursor="", limit=MAX_PAGE)).items,
    )


@shows("/schedules/{schedule_id:str}", "showSchedule", scope=Scope.RUNS_READ, query=PageParameters)
async def show_schedule(
    request: AnyRequest, backend: Deployed, schedule_id: FromPath[str]
) -> Response[bytes]:
    """Show a schedule, and each time that came with what became of it."""
    sent = read_fields(request, PageParameters)
    schedule = await schedules.get_schedule(backend, schedule_id)
    page = await schedules.list_fires(backend, schedule_id, cursor=sent.cursor, limit=sent.limit)
    return await show(request, "schedule.html", schedule=schedule, page=page)


@shows("/alerts/{alert_id:str}", "showAlert", scope=Scope.RUNS_READ, query=PageParameters)
async def show_alert(
    request: AnyRequest, backend: Deployed, alert_id: FromPath[str]
) -> Response[bytes]:
    """Show an alert, and each run that was held against its gate."""
    sent = read_fields(request, PageParameters)
    alert = await alerts.get_alert(backend, alert_id)
    page = await alerts.list_evaluations(backend, alert_id, cursor=sent.cursor, limit=sent.limit)
    return await show(request, "alert.html", alert=alert, page=page)


HANDLERS: Final = (show_schedules, show_schedule, show_alert)
