"""The list of runs, which is where the service begins for people."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from litestar import Response

from reteval.contract.api_keys import Scope
from reteval.contract.runs import Run, RunStatus
from service.api.bodies import AnyRequest
from service.api.operations import Access
from service.api.parameters import RunListParameters
from service.core import runs
from service.core.headlines import Headline, read_headlines
from service.pages.charts.drawing import draw
from service.pages.charts.sparklines import Series, sketch
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
    readable = backend.identity.may(Scope.RESULTS_READ)
    headlines = await read_headlines(backend, page.items) if readable else {}
    series = join(page.items, headlines)
    return await show(
        request,
        "runs.html",
        page=page,
        wanted=wanted,
        headlines=headlines,
        drawings=await draw(sketch(series)) if series else {},
        counts=Counter(run.status for run in page.items),
        statuses=[str(one) for one in RunStatus],
    )


def join(listed: Iterable[Run], headlines: Mapping[str, Headline]) -> tuple[Series, ...]:
    """Join runs, newest first, into series: of one test-set version, label, split and metric.

    The series of the newest run comes first; what has been measured once is no series.
    """
    found: dict[str, list[float]] = {}
    for run in listed:
        headline = headlines.get(run.id)
        if headline is None or headline.summary is None or headline.summary.mean is None:
            continue
        pinned = run.test_set
        split = run.split.name if run.split else ""
        parts = (run.label, f"{pinned.name} v{pinned.version}", split, headline.metric)
        name = ", ".join(part for part in parts if part)
        found.setdefault(name, []).append(headline.summary.mean)
    return tuple(
        Series(name=name, means=tuple(reversed(means)))
        for name, means in found.items()
        if len(means) > 1
    )


HANDLERS: Final = (show_start, show_runs)
