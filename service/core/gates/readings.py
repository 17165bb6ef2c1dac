"""Finding the number that a rule is about in a report, or saying why it is not there."""

from collections.abc import Iterator, Mapping
from itertools import islice
from math import isfinite
from typing import Final

from msgspec import UNSET, Struct

from reteval.contract.adversarial import Drop, KindReport
from reteval.contract.comparisons import (
    ComparisonReport,
    Difference,
    MetricComparison,
    Verdict,
)
from reteval.contract.gates import (
    DropLimit,
    Floor,
    GateReason,
    GateRun,
    KindLimit,
    UnjudgedCap,
)
from reteval.contract.results import MetricSummary, Results

NO_VARIATION: Final = "no_variation"
MIN_EQUAL: Final = 6
"""Differences that must all be equal before that is evidence: 2 ** (1 - 6) < 0.05, sign flips."""


class Gap(Struct, frozen=True):
    """Why a number is missing."""

    reason: GateReason
    message: str


class Reading(Struct, frozen=True, kw_only=True):
    """A number with its interval over `n` queries; `of` says whose it is."""

    value: float
    interval: tuple[float, float] | None
    n: int
    of: str = ""


class Against(Struct, frozen=True, kw_only=True):
    """What drops are measured against; `gap` says why there is nothing."""

    run: GateRun | None = None
    reports: tuple[ComparisonReport, ...] = ()
    gap: Gap | None = None


def read_floor(results: Results, rule: Floor) -> Reading | Gap:
    """Return the mean that a floor is about."""
    metrics = results.metrics or {}
    if rule.slice is not None:
        found = results.slices.get(rule.slice)
        if found is None:
            return _no_slice(rule.slice, results.slices)
        metrics = found.metrics
    summary = metrics.get(rule.metric)
    return _no_metric(rule.metric, metrics) if summary is None else _of_summary(summary)


def read_drop(against: Against, rule: DropLimit) -> Reading | Gap:
    """Return the paired difference, run minus baseline, that a limit on drops is about."""
    if against.gap is not None:
        return against.gap
    for report in against.reports:
        if rule.metric in report.metrics and rule.slice is None:
            return _of_comparison(report.metrics[rule.metric])
        if rule.metric == report.primary and rule.slice is not None:
            return _of_slice(report, rule.slice)
    return Gap(
        GateReason.METRIC_NOT_MEASURED,
        f"the comparison has no {rule.metric!r}"
        f"{'' if rule.slice is None else ' by slice'}; measure it in both runs",
    )


def read_kind(results: Results, rule: KindLimit) -> list[Reading | Gap]:
    """Return the loss at each severity that a limit on a kind is about; never empty."""
    if results.adversarial is UNSET:
        return [Gap(GateReason.KIND_NOT_RUN, "the run sent no changed queries; add `adversarial`")]
    wanted = [
        kind
        for kind in results.adversarial.kinds
        if kind.kind == rule.kind and rule.severity in (None, kind.severity)
    ]
    if wanted:
        return [_of_kind(kind) for kind in wanted]
    run = sorted({f"{kind.kind}@{kind.severity}" for kind in results.adversarial.kinds})
    return [Gap(GateReason.KIND_NOT_RUN, f"the run has only {', '.join(run) or 'no kind'}")]


def read_error_rate(results: Results) -> Reading | Gap:
    """Return the share of clean requests that have no answer."""
    counts = results.counts
    if not counts.planned:
        return Gap(GateReason.NO_VALUE, "no request was planned")
    lost = counts.failed + counts.skipped
    return Reading(value=lost / counts.planned, interval=None, n=counts.planned)


def read_p95(results: Results) -> Reading | Gap:
    """Return the 95th percentile of latency in milliseconds."""
    latency = results.latency_ms
    return _reading(latency.p95, None, latency.n, latency.reason)


def read_unjudged(results: Results, cap: UnjudgedCap) -> Reading | Gap:
    """Return the mean share of unjudged documents in the top k."""
    metrics = results.metrics or {}
    name = f"judged@{cap.k}"
    summary = metrics.get(name)
    if summary is None:
        return _no_metric(name, metrics)
    share = None if summary.mean is None else 1.0 - summary.mean
    return _reading(share, None, summary.n, summary.reason)


def count_scored(results: Results) -> int:
    """Return how many queries the run's metrics stand on."""
    return max((summary.n for summary in (results.metrics or {}).values()), default=0)


def _of_summary(summary: MetricSummary) -> Reading | Gap:
    """Count what failed as 0: an outage must not lift a run over its floor."""
    mean, interval = summary.mean, summary.ci
    if summary.bounds is not None and mean is not None:
        mean = min(mean, summary.bounds[0])
        interval = None if interval is None else (min(interval[0], mean), interval[1])
    return _reading(mean, interval, summary.n, summary.reason)


def _of_comparison(compared: MetricComparison) -> Reading | Gap:
    return _overruled(compared) or _of_difference(compared.difference, compared.n)


def _of_slice(report: ComparisonReport, name: str) -> Reading | Gap:
    part = report.slices.get(name)
    if part is None:
        return _no_slice(name, report.slices)
    whole = report.metrics.get(report.primary)
    return (_overruled(whole) if whole else None) or _of_difference(part.difference, part.n)


def _overruled(compared: MetricComparison) -> Gap | None:
    """Say why a comparison gives no verdict although it has numbers, such as `low_overlap`."""
    reason = compared.reason
    if compared.verdict is not Verdict.INCONCLUSIVE or not isinstance(reason, str):
        return None
    if reason == compared.difference.reason:
        return None
    return Gap(GateReason.NOT_COMPARABLE, f"the comparison draws no conclusion: {reason}")


def _of_difference(difference: Difference, n: int) -> Reading | Gap:
    interval = _paired_interval(difference, n)
    return _reading(difference.mean, interval, n, difference.reason)


def _of_kind(kind: KindReport) -> Reading | Gap:
    drop = kind.drop
    of = f"severity {kind.severity}: "
    interval = _paired_interval(drop, kind.needs)
    return _reading(drop.mean, interval, kind.needs, drop.reason, of=of)


def _paired_interval(paired: Difference | Drop, n: int) -> tuple[float, float] | None:
    """Return the interval; of enough differences that are all equal, the value they share."""
    equal = paired.reason == NO_VARIATION and n >= MIN_EQUAL
    if paired.ci is None and equal and paired.mean is not None:
        return paired.mean, paired.mean
    return paired.ci


def _reading(
    value: float | None,
    interval: tuple[float, float] | None,
    n: int,
    reason: object,
    *,
    of: str = "",
) -> Reading | Gap:
    if value is None or not isfinite(value):
        why = reason if isinstance(reason, str) else "no reason given"
        return Gap(GateReason.NO_VALUE, f"{of}there is no value: {why}")
    known = interval is not None and all(map(isfinite, interval))
    return Reading(value=value, interval=interval if known else None, n=n, of=of)


def _no_metric(name: str, metrics: Mapping[str, object]) -> Gap:
    has = ", ".join(_first(metrics)) or "no metric"
    return Gap(GateReason.METRIC_NOT_MEASURED, f"{name!r} was not measured; there is {has}")


def _no_slice(name: str, slices: Mapping[str, object]) -> Gap:
    has = ", ".join(_first(slices)) or "no slice"
    return Gap(GateReason.SLICE_NOT_FOUND, f"there is no slice {name!r}; there is {has}")


def _first(names: Mapping[str, object], most: int = 8) -> Iterator[str]:
    yield from islice(names, most)
    if len(names) > most:
        yield "…"
