"""The list of runs, which is where the service begins for people."""

from typing import Any, Final

from litestar import Response

from reteval.contract.api_keys import Scope
from reteval.contract.runs import RunStatus
from service.api.bodies import AnyRequest
from service.api.operations import Access
from service.api.parameters import RunListParameters
from service.core import runs
from service.pages.forms import read_fields
from service.pages.rendering import show
from service.pages.routing import Deployed, lead_to, shows


@shows("/", "showStart", scope=Access.ANY_KEY)
async def show_start() -> Response[Any]:
    """Lead to the runs."""
    return lead_to("/runs")


@shows("/runs", "showRuns", scope=Scope.RUNS_READ, query=RunListParameters)
async def show_runs(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Show the runs, newest first, those of a test set, label or status."""
    sent = read_fields(request, RunListParameters)
    wanted = runs.RunFilter(test_set=sent.test_set, label=sent.label, status=sent.status)
    page = await runs.list_runs(backend, wanted, cursor=sent.cursor, limit=sent.limit)
    return await show(
        request, "runs.html", page=page, wanted=wanted, statuses=[str(one) for one in RunStatus]
    )


HANDLERS: Final = (show_start, show_runs)
