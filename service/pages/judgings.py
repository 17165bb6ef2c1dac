"""Judgings: the list, how far one is, and how well its judge agrees with people."""

from typing import Any, Final

from litestar import Response
from litestar.params import FromPath

from reteval.contract.api_keys import Scope
from service.api.bodies import AnyRequest, NoParameters
from service.api.parameters import PageParameters, WaitParameters
from service.core.judging import judgings, steps
from service.pages.forms import read_fields
from service.pages.rendering import show
from service.pages.routing import Deployed, lead_to, shows, takes

_PATIENCE_S: Final = 20.0


@shows("/judgings", "showJudgings", scope=Scope.TEST_SETS_READ, query=PageParameters)
async def show_judgings(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Show the judgings, newest first."""
    sent = read_fields(request, PageParameters)
    page = await judgings.list_judgings(backend, cursor=sent.cursor, limit=sent.limit)
    return await show(request, "judgings.html", page=page)


@shows("/judgings/{judging_id:str}", "showJudging", scope=Scope.TEST_SETS_READ)
async def show_judging(
    request: AnyRequest, backend: Deployed, judging_id: FromPath[str]
) -> Response[bytes]:
    """Show how far a judging is, and what comes next."""
    read_fields(request, NoParameters)
    judging = await judgings.get_judging(backend, judging_id)
    return await show(request, "judging.html", judging=judging)


@takes("/judgings/{judging_id:str}/measure", "measureFromPage", scope=Scope.TEST_SETS_READ)
async def measure(
    request: AnyRequest, backend: Deployed, judging_id: FromPath[str]
) -> Response[Any]:
    """Have agreement measured, and lead to what was found."""
    read_fields(request, NoParameters)
    job = await steps.begin_measure(backend, judging_id, wait_s=0)
    return lead_to(f"/judgings/{judging_id}/agreement/{job.id}")


@shows(
    "/judgings/{judging_id:str}/agreement/{job_id:str}",
    "showAgreement",
    scope=Scope.TEST_SETS_READ,
    query=WaitParameters,
)
async def show_agreement(
    request: AnyRequest, backend: Deployed, judging_id: FromPath[str], job_id: FromPath[str]
) -> Response[bytes]:
    """Show how far the judge agrees with people, and people among each other."""
    sent = read_fields(request, WaitParameters)
    judging = await judgings.get_judging(backend, judging_id)
    job = await steps.get_job(backend, judging_id, job_id, wait_s=sent.wait or _PATIENCE_S)
    return await show(request, "agreement.html", judging=judging, job=job)


HANDLERS: Final = (show_judgings, show_judging, measure, show_agreement)
