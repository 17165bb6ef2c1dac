"""A report as text for people. Rounds; the JSON document holds the numbers themselves."""

from collections.abc import Iterable
from typing import Final

import msgspec
from msgspec import UNSET

from reteval.cli.adversarial import adversarial_lines
from reteval.cli.tables import interval, number, table
from reteval.contract.diagnostics import Diagnostic
from reteval.contract.results import Counts, JudgmentOrigins, Latency, MetricSummary, Results

_TO_DAYS: Final = 10
"""Characters of a timestamp that are its date."""
METRIC_HEAD: Final = ("metric", "mean", "interval", "n", "failed as 0 .. 1", "note")


def render(results: Results) -> str:
    """Return the whole report, ending in a newline."""
    blocks = [
        _title(results),
        _metrics(results),
        [counts_line(results.counts), _latency_line(results.latency_ms)],
        _slices(results),
        _leakage(results),
        [] if results.adversarial is UNSET else adversarial_lines(results.adversarial),
        diagnostic_lines(results.diagnostics),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def diagnostic_lines(diagnostics: Iterable[Diagnostic]) -> list[str]:
    """Return what each finding is, what to do about it, and the patch if there is one."""
    lines: list[str] = []
    for found in diagnostics:
        lines.append(f"[{found.severity.value}] {found.code.value}: {found.message}")
        lines.append(f"       fix: {found.fix}")
        if found.patch is not UNSET:
            lines.append(f"       patch: {msgspec.json.encode(found.patch).decode()}")
    return lines


def counts_line(counts: Counts) -> str:
    """Return how the clean requests ended, on one line."""
    line = (
        f"requests  {counts.planned} planned: {counts.ok} ok, {counts.ok_empty} empty, "
        f"{counts.failed} failed, {counts.skipped} skipped; {counts.unscorable} unscorable"
    )
    codes = ", ".join(f"{code} {n}" for code, n in sorted(counts.failed_by_code.items()))
    return f"{line} (failed: {codes})" if codes else line


def _title(results: Results) -> list[str]:
    pinned = results.test_set
    lines = [
        f"run       {results.id} {results.status.value}",
        f"test set  {pinned.name} version {pinned.version} ({results.num_queries} queries)",
    ]
    if pinned.judgments is not UNSET:
        lines.append(f"judged    {_origins(pinned.judgments)}")
    if results.split is not UNSET:
        split = results.split
        lines.append(f"split     {split.name} ({split.outside} queries of the set are outside)")
    if results.holdout_looks is not UNSET:
        lines.append(f"hold-out  look {results.holdout_looks.look}")
    if results.label:
        lines.append(f"label     {results.label}")
    lines.extend(f"meta      {name}={value}" for name, value in sorted(results.meta.items()))
    return lines


def _origins(judgments: JudgmentOrigins) -> str:
    shares = ", ".join(f"{share:.0%} {name}" for name, share in judgments.sources.items())
    text = f"{judgments.count:,} judgments" + (f" ({shares})" if shares else "")
    if judgments.oldest is None or judgments.newest is None:
        return f"{text}, none dated"
    ends = f"{judgments.oldest[:_TO_DAYS]} .. {judgments.newest[:_TO_DAYS]}"
    return f"{text}, {judgments.dated:,} dated {ends}"


def _metrics(results: Results) -> list[str]:
    if results.metrics is not None:
        return _metric_table(results.metrics)
    lines = [f"no metrics: {results.reason or 'no reason given'}"]
    if results.partial is not UNSET:
        lines.append(f"partial numbers, not a result: {results.partial.note}")
        lines.extend(_metric_table(results.partial.metrics))
    return lines


def _metric_table(metrics: dict[str, MetricSummary]) -> list[str]:
    rows = [
        (
            name,
            number(summary.mean),
            interval(summary.ci, summary.level),
            str(summary.n),
            _bounds(summary),
            summary.reason or "",
        )
        for name, summary in metrics.items()
    ]
    return table(METRIC_HEAD, rows, prose=("note",))


def _leakage(results: Results) -> list[str]:
    """Return the metrics without leaked queries, where some leaked."""
    leaked = results.leakage
    if leaked is UNSET or leaked.metrics_without is UNSET:
        return []
    share = f" ({leaked.share:.1%})" if leaked.share is not None else ""
    head = f"{leaked.queries} scored queries leaked{share}; without them:"
    return [head, *_metric_table(leaked.metrics_without)]


def _bounds(summary: MetricSummary) -> str:
    # Bounds that meet say that nothing failed; the mean says it already.
    if summary.bounds is None or summary.bounds[0] == summary.bounds[1]:
        return ""
    return interval(summary.bounds)


def _latency_line(latency: Latency) -> str:
    if latency.p50 is None:
        return f"latency   none: {latency.reason or 'no reason given'}"
    points = {"p50": latency.p50, "p95": latency.p95, "p99": latency.p99, "max": latency.max}
    shown = ", ".join(f"{name} {number(value, 1)}" for name, value in points.items())
    return f"latency   {shown} ms"


def _slices(results: Results) -> list[str]:
    if not results.slices:
        return []
    names = list(next(iter(results.slices.values())).metrics)
    rows = [
        (name, str(part.n), *(number(part.metrics[metric].mean) for metric in names))
        for name, part in results.slices.items()
    ]
    return table(("slice", "n", *names), rows)
