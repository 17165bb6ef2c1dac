"""The trend of a metric: a series for each test-set version, split, endpoint and threshold."""

import re
from collections.abc import AsyncIterator, Iterable
from typing import Final

import msgspec
from msgspec import UNSET, Struct, UnsetType

from reteval.contract.history import Trend, TrendPoint, TrendSeries
from reteval.contract.metrics import UnknownMetricError, parse_metric
from reteval.contract.problems import ProblemItem
from reteval.contract.results import MetricSummary
from reteval.contract.testsets import TestSet
from service.core.backend import Backend
from service.errors import CorruptRecordError, InvalidError, NotFoundError
from service.store.records import RunRecord

NOT_MEASURED: Final = "not_measured"
_BATCH: Final = 100
_USERINFO: Final = re.compile(r"(?<=//)[^/?#@]*@")
_SECRET: Final = re.compile(
    r"(?P<name>[?&][^=&]*(?:key|token|secret|passw|auth|sig|credential)[^=&]*=)(?!\{\{)[^&]*",
    re.IGNORECASE,
)


class Wanted(Struct, frozen=True, kw_only=True):
    """Which history. `test_set` is an id, or a name for all its versions; empty: any.

    `limit` is the number of newest ended runs of each version.
    """

    test_set: str
    metric: str = ""
    label: str = ""
    limit: int


class _Report(Struct, frozen=True, kw_only=True):
    # The part of a stored report that a point needs.
    timestamp: str
    metrics: dict[str, MetricSummary] | None
    reason: str | UnsetType = UNSET


_Ended = tuple[TestSet, RunRecord, _Report]


async def read_trend(backend: Backend, wanted: Wanted) -> Trend:
    """Return the series of a metric; by default the first metric of the newest run that has any.

    Raises:
        InvalidError: no such metric.
        NotFoundError: no such test set.
    """
    metric = read_metric(wanted.metric)
    versions = await backend.store.test_sets.versions(backend.tenant, wanted.test_set)
    ended = [row for test_set in versions async for row in _read_ended(backend, test_set, wanted)]
    metric = metric or _choose_metric(ended)
    return Trend(name=versions[0].name, metric=metric, series=tuple(arrange(ended, metric)))


def arrange(ended: Iterable[_Ended], metric: str | None) -> list[TrendSeries]:
    """Sort ended runs into series by version, endpoint and so on, points oldest first."""
    series: dict[tuple[int, str, str, int, str], list[tuple[int, TrendPoint]]] = {}
    for test_set, record, report in ended:
        rescore = record.spec.rescore
        key = (
            test_set.version,
            test_set.id,
            hide_secrets(record.spec.request.endpoint.url),
            rescore.relevant_from if rescore else test_set.relevant_from,
            record.spec.request.split,
        )
        point = _point(record, report, metric)
        series.setdefault(key, []).append((record.created_ms, point))
    return [
        TrendSeries(
            test_set=test_set_id,
            version=version,
            endpoint=endpoint,
            relevant_from=relevant_from,
            split=split,
            points=tuple(point for _, point in sorted(points, key=lambda row: row[0])),
        )
        for (version, test_set_id, endpoint, relevant_from, split), points in sorted(series.items())
    ]


def hide_secrets(url: str) -> str:
    """Return a URL without user and password, and with values that look like keys starred."""
    return _SECRET.sub(r"\g<name>***", _USERINFO.sub("", url))


def read_metric(text: str) -> str | None:
    """Return the canonical name of a metric in a query parameter; None where none is given.

    Raises:
        InvalidError: no such metric.
    """
    try:
        return str(parse_metric(text)) if text else None
    except UnknownMetricError as exc:
        item = ProblemItem(
            pointer="?metric",
            message=str(exc),
            fix="Take a name from a run's report, or leave it out for the first one there.",
        )
        raise InvalidError("There is no such metric.", errors=[item]) from exc


async def _read_ended(backend: Backend, test_set: TestSet, wanted: Wanted) -> AsyncIterator[_Ended]:
    """Yield the newest ended runs of a version with their reports, newest first."""
    left, position = wanted.limit, None
    while left:
        records, position = await backend.store.runs.page(
            backend.tenant,
            before=position,
            limit=min(left, _BATCH),
            test_set=test_set.id,
            label=wanted.label or None,
        )
        for record in [record for record in records if record.status.terminal][:left]:
            try:
                body = await backend.store.runs.results(backend.tenant, record.id)
            except (NotFoundError, CorruptRecordError):  # deleted since, or damaged
                continue
            yield test_set, record, msgspec.json.decode(body, type=_Report)
            left -= 1
        if position is None:
            return


def _point(record: RunRecord, report: _Report, metric: str | None) -> TrendPoint:
    found = (report.metrics or {}).get(metric or "")
    reason = report.reason if report.metrics is None else NOT_MEASURED
    if found is not None:
        reason = found.reason if found.mean is None else UNSET
    return TrendPoint(
        run=record.id,
        label=record.spec.request.label,
        timestamp=report.timestamp,
        status=record.status,
        mean=found.mean if found else None,
        ci=found.ci if found else None,
        n=found.n if found else 0,
        depth=record.spec.depth,
        reason=reason,
    )


def _choose_metric(ended: Iterable[_Ended]) -> str | None:
    """Return what the newest run with numbers measured first."""
    newest = sorted(ended, key=lambda row: row[1].created_ms, reverse=True)
    return next((name for _, _, report in newest for name in report.metrics or ()), None)
