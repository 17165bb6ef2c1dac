"""Headlines: the one number that stands for each run of a list."""

from collections.abc import Iterable

import msgspec
from msgspec import UNSET, Struct, UnsetType

from reteval.contract.metrics import choose_headline
from reteval.contract.results import MetricSummary
from reteval.contract.runs import Run
from service.core.backend import Backend
from service.core.reports import read_report
from service.errors import CorruptRecordError, NotFoundError


class Headline(Struct, frozen=True, kw_only=True):
    """A run's headline metric; of a run without numbers, why there are none."""

    metric: str = ""
    summary: MetricSummary | None = None
    reason: str = ""


class _Report(Struct, frozen=True, kw_only=True):
    # The part of a stored report that a headline needs.
    metrics: dict[str, MetricSummary] | None
    reason: str | UnsetType = UNSET


async def read_headlines(backend: Backend, runs: Iterable[Run]) -> dict[str, Headline]:
    """Return the headlines of those runs that have ended, by id."""
    found = {}
    for run in runs:
        if run.status.terminal:
            try:
                body = await read_report(backend, run.id)
            except (NotFoundError, CorruptRecordError):  # deleted since, or damaged
                continue
            found[run.id] = _condense(msgspec.json.decode(body, type=_Report))
    return found


def _condense(report: _Report) -> Headline:
    if not report.metrics:
        return Headline(reason=report.reason or "")
    name = choose_headline(list(report.metrics))
    return Headline(metric=name, summary=report.metrics[name])
