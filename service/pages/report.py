"""The report of a run, as a page and as a file that opens without the service."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from typing import Annotated, Final

from litestar import Response
from litestar.params import FromPath
from msgspec import Meta, Struct

from reteval.contract.api_keys import Scope
from reteval.contract.definitions import FORMULAS
from reteval.contract.diagnostics import Diagnostic, Severity
from reteval.contract.limits import MAX_NAME_BYTES
from reteval.contract.metrics import UnknownMetricError, choose_headline, parse_metric
from reteval.contract.outcomes import QueryRow
from reteval.contract.problems import ProblemItem
from reteval.contract.results import MetricSummary, Results
from reteval.contract.runs import Run, RunStatus
from service.api.bodies import AnyRequest
from service.core import query_rows, reports, runs
from service.core.backend import Backend
from service.core.grants import RUN
from service.core.trends import hide_secrets
from service.errors import InvalidError
from service.pages.charts import curves, distributions
from service.pages.charts.drawing import Drawing, draw
from service.pages.forms import read_fields
from service.pages.rendering import render, show
from service.pages.routing import Deployed, shows

WORST: Final = 20
"""Queries that a report names as its worst."""
_OTHERS: Final = 50
"""Newest runs of the same test set among which one to compare with is offered."""
_WEIGHTS: Final = (Severity.BLOCK, Severity.WARN, Severity.INFO)
"""Heaviest first, as findings are listed."""


class ReportParameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a report is about; the headline metric by default."""

    metric: Annotated[str, Meta(max_length=MAX_NAME_BYTES)] = ""


class Card(Struct, frozen=True, kw_only=True):
    """A family of metrics: the one that is shown large, all its cut-offs, and what it means."""

    name: str
    summary: MetricSummary
    formula: str
    cuts: tuple[tuple[str, MetricSummary], ...]


class Report(Struct, frozen=True, kw_only=True):
    """Everything a report shows. `primary` is empty where nothing was measured.

    `coverage` is judged@k at the largest cut-off. `foreign`: it is read through a grant or a
    link, and leads only to what that opens.
    """

    run: Run
    results: Results
    primary: str
    endpoint: str
    cards: tuple[Card, ...]
    findings: tuple[Diagnostic, ...]
    severities: dict[str, int]
    coverage: tuple[str, MetricSummary] | None
    worst: tuple[QueryRow, ...]
    drawings: dict[str, Drawing]
    foreign: bool


@shows(
    "/runs/{run_id:str}",
    "showRun",
    scope=Scope.RESULTS_READ,
    shared=RUN,
    query=ReportParameters,
)
async def show_run(
    request: AnyRequest, backend: Deployed, run_id: FromPath[str]
) -> Response[bytes]:
    """Show the report of a run, or how far it is."""
    run = await runs.get_run(backend, run_id)
    if not run.status.terminal:
        return await show(request, "run_progress.html", run=run)
    sent = read_fields(request, ReportParameters)
    report = await gather(backend, run, metric=sent.metric)
    others = () if report.foreign else await _find_others(backend, run)
    return await show(request, "report.html", report=report, others=others)


async def export_html(backend: Backend, run_id: str) -> AsyncIterator[bytes]:
    """Return the report of a run as one file: style inside, no script, nothing to fetch.

    Raises:
        NotTerminalError: the run has not ended.
        NotFoundError: no such run.
    """
    run = await runs.get_run(backend, run_id)
    report = await gather(backend, run)
    text = await asyncio.to_thread(render, "report.html", inline=True, report=report, others=())
    return _give(text.encode())


async def gather(backend: Backend, run: Run, *, metric: str = "") -> Report:
    """Read all that a report shows of an ended run.

    Raises:
        InvalidError: the run did not measure the metric.
        NotTerminalError: the run has not ended.
    """
    results = await reports.read_results(backend, run.id)
    metrics = results.metrics or {}
    primary = _choose(metric, metrics)
    found = Counter(one.severity for one in results.diagnostics)
    worst, drawings = await asyncio.gather(
        _find_worst(backend, run.id, primary), _draw(backend, results, primary)
    )
    return Report(
        run=run,
        results=results,
        primary=primary,
        endpoint=hide_secrets(run.endpoint.url),
        cards=tuple(arrange(metrics, primary)),
        findings=tuple(sorted(results.diagnostics, key=lambda one: _WEIGHTS.index(one.severity))),
        severities={str(one): found[one] for one in _WEIGHTS if found[one]},
        coverage=_find_coverage(metrics),
        worst=worst,
        drawings=drawings,
        foreign=bool(backend.identity.via),
    )


def arrange(metrics: Mapping[str, MetricSummary], primary: str) -> list[Card]:
    """Make a card of each family, that of the primary metric first.

    A card shows the primary metric's cut-off large, or else its family's largest.
    """
    wanted = parse_metric(primary).k if primary else None
    families: dict[tuple[str, int | None, float | None], list[str]] = {}
    for name in metrics:
        metric = parse_metric(name)
        families.setdefault((metric.name, metric.rel, metric.p), []).append(name)
    cards = [_make_card(names, metrics, wanted) for names in families.values()]
    return sorted(cards, key=lambda card: primary not in (name for name, _ in card.cuts))


def _make_card(names: list[str], metrics: Mapping[str, MetricSummary], wanted: int | None) -> Card:
    cuts = sorted(names, key=lambda name: parse_metric(name).k or 0)
    shown = next((name for name in cuts if parse_metric(name).k == wanted), cuts[-1])
    return Card(
        name=shown,
        summary=metrics[shown],
        formula=FORMULAS[parse_metric(shown).name],
        cuts=tuple((name, metrics[name]) for name in cuts),
    )


def _choose(asked: str, metrics: Mapping[str, MetricSummary]) -> str:
    if not asked:
        return choose_headline(list(metrics)) if metrics else ""
    try:
        name = str(parse_metric(asked))
    except UnknownMetricError:
        name = asked
    if name not in metrics:
        item = ProblemItem(
            pointer="?metric",
            message=f"this run did not measure {asked!r}",
            fix=f"Take one of {', '.join(metrics) or 'no metrics'}, or leave it out.",
        )
        raise InvalidError("There is no report about that metric.", errors=[item])
    return name


def _find_coverage(
    metrics: Mapping[str, MetricSummary],
) -> tuple[str, MetricSummary] | None:
    found = [name for name in metrics if parse_metric(name).name == "judged"]
    name = max(found, key=lambda name: parse_metric(name).k or 0, default=None)
    return None if name is None else (name, metrics[name])


async def _find_worst(backend: Backend, run_id: str, primary: str) -> tuple[QueryRow, ...]:
    if not primary:
        return ()
    wanted = query_rows.RowQuery(sort=primary)
    page = await query_rows.page_rows(backend, run_id, wanted, cursor="", limit=WORST)
    return tuple(row for row in page.items if row.metrics[primary] is not None)


async def _draw(backend: Backend, results: Results, primary: str) -> dict[str, Drawing]:
    metrics = results.metrics or {}
    charts = [curves.trace(family, metrics) for family in ("recall", "ndcg")]
    if primary:
        values = await query_rows.read_values(backend, results.id, primary)
        charts.append(distributions.spread_scores(primary, values))
    charts.append(distributions.spread_latencies(results.latency_ms, results.counts))
    return await draw(*(chart for chart in charts if chart is not None))


async def _find_others(backend: Backend, run: Run) -> list[Run]:
    wanted = runs.RunFilter(test_set=run.test_set.id)
    page = await runs.list_runs(backend, wanted, cursor="", limit=_OTHERS)
    usable = (RunStatus.COMPLETED, RunStatus.COMPLETED_WITH_ERRORS)
    return [one for one in page.items if one.id != run.id and one.status in usable]


async def _give(body: bytes) -> AsyncIterator[bytes]:
    yield body


HANDLERS: Final = (show_run,)
