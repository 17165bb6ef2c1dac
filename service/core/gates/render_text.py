"""A verdict as plain text for a terminal or a log."""

from reteval.contract.gates import GateRun, GateVerdict, RuleResult
from reteval.contract.texts import show_printable
from service.core.gates.numbers import show_observed


def render_text(verdict: GateVerdict) -> bytes:
    """Write the verdict first, then a line a rule; names cannot break a line."""
    lines = [
        f"{verdict.name}: {verdict.verdict.upper()} (exit code {verdict.exit_code})",
        verdict.sentence,
        _run_line("run", verdict.run),
    ]
    if verdict.baseline is not None:
        lines.append(_run_line("baseline", verdict.baseline))
    lines += [f"compared  {comparison}" for comparison in verdict.comparisons]
    lines.append("")
    lines += [_rule_line(rule) for rule in verdict.rules]
    return ("\n".join(map(show_printable, lines)) + "\n").encode()


def _run_line(name: str, run: GateRun) -> str:
    label = f" {run.label}" if run.label else ""
    pinned = run.test_set
    return f"{name:<9} {run.id}{label}, {run.status}, {pinned.name} version {pinned.version}"


def _rule_line(rule: RuleResult) -> str:
    numbers = "" if rule.n is None else f" [{show_observed(rule)}, n {rule.n}]"
    return f"{rule.status.upper():<12} {rule.rule}: {rule.message}{numbers} ({rule.reason})"
