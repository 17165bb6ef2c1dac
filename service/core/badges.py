"""Badges: one number of a run, with how many queries it rests on, in two words."""

from typing import Final

import msgspec
from msgspec import Struct

from reteval.contract.badges import Badge
from reteval.contract.diagnostics import Diagnostic, Severity
from reteval.contract.results import MetricSummary
from service.core.backend import Backend
from service.core.latest import Wanted, find_newest
from service.core.reports import read_report
from service.core.trends import read_metric

PLAIN: Final = "blue"
GOOD: Final = "brightgreen"
BAD: Final = "red"
_NAMELESS: Final = "retrieval"


class BadgeWords(Struct, frozen=True, kw_only=True):
    """What a badge is to show. No `metric`: the report's first. No `title`: the metric's name.

    `floor` is the value from which on it is good; without one it is neither good nor bad.
    """

    metric: str = ""
    title: str = ""
    floor: float | None = None


class _Report(Struct, frozen=True, kw_only=True):
    # The part of a stored report that a badge needs.
    metrics: dict[str, MetricSummary] | None
    diagnostics: tuple[Diagnostic, ...] = ()


async def read_badge(backend: Backend, run_id: str, words: BadgeWords) -> Badge:
    """Return the badge of a run that has ended.

    Raises:
        InvalidError: no such metric.
        NotTerminalError, NotFoundError: as `read_report`.
    """
    metric = read_metric(words.metric)
    report = msgspec.json.decode(await read_report(backend, run_id), type=_Report)
    return _show(report, metric, words)


async def find_badge(backend: Backend, wanted: Wanted, words: BadgeWords) -> Badge:
    """Return the badge of the newest completed run that fits.

    Raises:
        InvalidError: no such metric.
        NotFoundError: there is none that the caller may read.
    """
    view, record = await find_newest(backend, wanted)
    return await read_badge(view, record.id, words)


def _show(report: _Report, metric: str | None, words: BadgeWords) -> Badge:
    if metric is None:
        metric = next(iter(report.metrics or ()), None)
    label = words.title or metric or _NAMELESS
    blocking = next((one for one in report.diagnostics if one.severity is Severity.BLOCK), None)
    if blocking is not None:
        return _broken(label, blocking.code.value.replace("_", " "))
    if report.metrics is None:
        return _broken(label, "run failed")
    found = report.metrics.get(metric or "")
    if found is None or found.mean is None:
        return _broken(label, "not measured")
    color = PLAIN
    if words.floor is not None:
        color = GOOD if found.mean >= words.floor else BAD
    return Badge(label=label, message=f"{found.mean:.3f} (n={found.n})", color=color)


def _broken(label: str, message: str) -> Badge:
    return Badge(label=label, message=message, color=BAD, is_error=True)
