"""A verdict as Markdown for a pull request comment or a job summary."""

from typing import Final

from reteval.contract.gates import GateRun, GateVerdict, RuleResult, RuleStatus
from reteval.contract.texts import escape_markdown
from service.core.gates.numbers import show_number, show_observed

MARKER: Final = "<!-- reteval-gate -->"
"""First line of every comment, by which a later one finds and replaces it."""
MAX_CHARS: Final = 60_000
"""Forges cut comments at 65,536 characters."""
_SIGNS: Final = {
    RuleStatus.PASS: "✅ pass",
    RuleStatus.FAIL: "❌ fail",
    RuleStatus.BLOCKED: "⛔ blocked",
    RuleStatus.INCONCLUSIVE: "❔ inconclusive",
    RuleStatus.ERROR: "❗ error",
}


def render_markdown(verdict: GateVerdict) -> bytes:
    """Write the comment; names show as they are and do nothing."""
    head = [
        MARKER,
        f"### {escape_markdown(verdict.name)}: {verdict.verdict.replace('_', ' ')}",
        "",
        escape_markdown(verdict.sentence),
        "",
        "| | rule | observed | limit | n | |",
        "|---|---|---|---|---|---|",
    ]
    foot = ["", _run_line("Run", verdict.run)]
    if verdict.baseline is not None:
        foot.append(_run_line("Baseline", verdict.baseline))
    broken_first = sorted(verdict.rules, key=lambda rule: rule.status is RuleStatus.PASS)
    rows = [_row(rule) for rule in broken_first]
    return ("\n".join([*head, *_fit(rows), *foot]) + "\n").encode()


def _row(rule: RuleResult) -> str:
    cells = (
        _SIGNS[rule.status],
        escape_markdown(rule.rule),
        escape_markdown(show_observed(rule)),
        show_number(rule.threshold),
        "-" if rule.n is None else str(rule.n),
        ""
        if rule.status is RuleStatus.PASS
        else escape_markdown(f"{rule.message} ({rule.reason})"),
    )
    return f"| {' | '.join(cells)} |"


def _fit(rows: list[str]) -> list[str]:
    """Keep the rows that a comment can hold and say how many it cannot."""
    kept: list[str] = []
    room = MAX_CHARS
    for row in rows:
        room -= len(row) + 1
        if room < 0:
            return [*kept, f"| | {len(rows) - len(kept)} more rules | | | | |"]
        kept.append(row)
    return kept


def _run_line(name: str, run: GateRun) -> str:
    label = f" ({escape_markdown(run.label)})" if run.label else ""
    pinned = run.test_set
    return (
        f"{name} {escape_markdown(run.id)}{label}, {escape_markdown(run.status)}, "
        f"{escape_markdown(pinned.name)} version {pinned.version}.  "
    )
