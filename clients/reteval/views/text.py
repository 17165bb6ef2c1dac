"""Structs as text, as the command line prints them."""

from functools import singledispatch

from reteval.cli.comparison import comparison_lines
from reteval.cli.progress import summary
from reteval.cli.report import diagnostic_lines
from reteval.cli.report import render as report_text
from reteval.cli.tables import interval, number, table
from reteval.contract.comparisons import Comparison
from reteval.contract.gates import GateVerdict
from reteval.contract.results import Results
from reteval.contract.runs import Run
from reteval.contract.testsets import TestSet

RULE_HEAD = ("status", "rule", "observed", "interval", "threshold", "n", "why")


@singledispatch
def render(shown: object) -> str:
    """Return a struct as text that ends in a newline."""
    raise TypeError(f"{type(shown).__name__} has no text")


@render.register
def _results(shown: Results) -> str:
    return report_text(shown)


@render.register
def _comparison(shown: Comparison) -> str:
    if shown.report is None:
        return _lines(f"{shown.id} {state_of(shown)}")
    return _lines(*comparison_lines(shown.report))


@render.register
def _run(shown: Run) -> str:
    pinned = shown.test_set
    return _lines(
        f"{shown.id} {run_state(shown)}",
        f"test set  {pinned.name} version {pinned.version}",
        *([f"label     {shown.label}"] if shown.label else []),
    )


@render.register
def _test_set(shown: TestSet) -> str:
    stats = shown.stats
    return _lines(
        f"{shown.name} version {shown.version} ({shown.id})",
        f"{stats.queries} queries: {stats.scorable} scorable, {stats.judgments} judgments",
        *diagnostic_lines(shown.warnings),
    )


@render.register
def _verdict(shown: GateVerdict) -> str:
    rows = rule_rows(shown)
    return _lines(
        f"{shown.name}: {shown.verdict.value} (exit code {shown.exit_code})",
        shown.sentence,
        *table(RULE_HEAD, rows, prose=("rule", "why")),
    )


def rule_rows(verdict: GateVerdict) -> list[tuple[str, ...]]:
    """Return a row for each rule of a gate, in the columns of `RULE_HEAD`."""
    return [
        (
            rule.status.value,
            rule.rule,
            number(rule.observed),
            interval(rule.interval),
            number(rule.threshold),
            "" if rule.n is None else str(rule.n),
            rule.message,
        )
        for rule in verdict.rules
    ]


def run_state(run: Run) -> str:
    """Say how far a run is, and why it failed if it did."""
    state = summary(run, None)
    return f"{state}: {run.error}" if run.error else state


def state_of(comparison: Comparison) -> str:
    """Say how a comparison without a report is."""
    state = comparison.status.value
    return f"{state}: {comparison.error}" if comparison.error else state


def _lines(*lines: str) -> str:
    return "\n".join(lines) + "\n"
