"""Structs as small pieces of HTML for notebooks.

What users typed is text wherever it stands. No colours and no styles but the notebook's own, so
that a dark one stays readable; signs tell how something came out.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import singledispatch
from html import escape
from typing import Final

from reteval.cli.comparison import METRIC_HEAD as COMPARED_HEAD
from reteval.cli.comparison import metric_row
from reteval.cli.report import METRIC_HEAD, counts_line
from reteval.cli.tables import interval, number
from reteval.contract.comparisons import Comparison
from reteval.contract.diagnostics import Diagnostic
from reteval.contract.gates import GateOutcome, GateVerdict, RuleStatus
from reteval.contract.results import MetricSummary, Results
from reteval.contract.runs import Run, TestSetRef
from reteval.contract.testsets import TestSet
from reteval.views.text import RULE_HEAD, rule_rows, run_state, state_of

MOST_ROWS: Final = 30
"""Rows of a table; `to_frame` has them all."""
_MARKS: Final = {RuleStatus.PASS: "\u2713", RuleStatus.FAIL: "\u2717"}


@singledispatch
def render(shown: object) -> str:
    """Return a struct as HTML."""
    raise TypeError(f"{type(shown).__name__} has no HTML")


@render.register
def _run(shown: Run) -> str:
    return _card(
        f"run {shown.id}",
        {"state": run_state(shown), **_where(shown.test_set, shown.label)},
        {"endpoint": shown.endpoint.url},
    )


@render.register
def _test_set(shown: TestSet) -> str:
    stats = shown.stats
    facts = {
        "id": shown.id,
        "queries": f"{stats.queries} ({stats.scorable} scorable)",
        "judgments": str(stats.judgments),
        "grades": ", ".join(f"{grade}: {n}" for grade, n in stats.grades.items()),
    }
    title = f"test set {shown.name} version {shown.version}"
    return _card(title, facts, findings=shown.warnings)


@render.register
def _results(shown: Results) -> str:
    facts = {**_where(shown.test_set, shown.label), "requests": _counts(shown)}
    metrics = shown.metrics
    if metrics is None:
        facts["no metrics"] = str(shown.reason or "no reason given")
    return _card(
        f"run {shown.id} {shown.status.value}",
        facts,
        table=(METRIC_HEAD[:4], [_metric_row(*one) for one in (metrics or {}).items()]),
        findings=shown.diagnostics,
    )


@render.register
def _comparison(shown: Comparison) -> str:
    report = shown.report
    if report is None:
        return _card(f"comparison {shown.id}", {"state": state_of(shown)})
    return _card(
        f"{report.verdict.value.replace('_', ' ')} ({report.primary})",
        {
            "": report.sentence,
            "baseline": f"{report.baseline.run} {report.baseline.label}",
            "candidate": f"{report.candidate.run} {report.candidate.label}",
            "warnings": " ".join(report.warnings),
        },
        table=(COMPARED_HEAD, [metric_row(*one) for one in report.metrics.items()]),
    )


@render.register
def _verdict(shown: GateVerdict) -> str:
    mark = _MARKS[RuleStatus.PASS if shown.verdict is GateOutcome.PASS else RuleStatus.FAIL]
    rows = [
        (f"{_MARKS.get(rule.status, '?')} {row[0]}", *row[1:])
        for rule, row in zip(shown.rules, rule_rows(shown), strict=True)
    ]
    return _card(
        f"{mark} {shown.name}: {shown.verdict.value}",
        {"": shown.sentence, "run": f"{shown.run.id} {shown.run.label}"},
        table=(RULE_HEAD, rows),
    )


def _card(
    title: str,
    *facts: Mapping[str, str],
    table: tuple[Sequence[str], Sequence[Sequence[str]]] = ((), ()),
    findings: Iterable[Diagnostic] = (),
) -> str:
    """Put a title, named facts, a table and findings one below the other, all of them as text."""
    named = [
        f"<br>{escape(f'{name} {value}'.strip())}"
        for part in facts
        for name, value in part.items()
        if value
    ]
    listed = [
        f"<li><b>{escape(found.severity.value)}</b> {escape(found.code.value)}: "
        f"{escape(found.message)} {escape(found.fix)}</li>"
        for found in findings
    ]
    notes = f"<ul>{''.join(listed)}</ul>" if listed else ""
    return f"<div><b>{escape(title)}</b>{''.join(named)}{_table(*table)}{notes}</div>"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    lines = [_line("th", head), *(_line("td", row) for row in rows[:MOST_ROWS])]
    rest = len(rows) - MOST_ROWS
    more = f"<p>{rest} more: <code>to_frame()</code> has them all</p>" if rest > 0 else ""
    return f"<table>{''.join(lines)}</table>{more}"


def _line(tag: str, cells: Sequence[str]) -> str:
    told = "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells)
    return f"<tr>{told}</tr>"


def _where(pinned: TestSetRef, label: str) -> dict[str, str]:
    return {"test set": f"{pinned.name} version {pinned.version}", "label": label}


def _counts(results: Results) -> str:
    return counts_line(results.counts).removeprefix("requests").strip()


def _metric_row(name: str, summary: MetricSummary) -> tuple[str, ...]:
    ends = interval(summary.ci, summary.level)
    return name, number(summary.mean), ends, str(summary.n)
