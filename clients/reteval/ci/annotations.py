"""Workflow commands of GitHub: lines of a log that become marks on a change."""

from collections.abc import Iterable
from typing import Final

from reteval.ci.evaluation import Evaluation
from reteval.contract.diagnostics import Severity
from reteval.contract.gates import RuleStatus

MOST: Final = 10
"""Of a kind; a step shows no more."""
_TITLE: Final = "reteval"


def annotate(evaluation: Evaluation, *, file: str = "") -> list[str]:
    """Return what keeps the gate from passing as errors, and what to look at as warnings."""
    if evaluation.verdict is None:
        return _lines("error", [f"no verdict: {evaluation.trouble}"], file)
    rules = evaluation.verdict.rules
    undecided = (RuleStatus.PASS, RuleStatus.INCONCLUSIVE)
    broken = [f"{rule.rule}: {rule.message}" for rule in rules if rule.status not in undecided]
    unsure = [
        f"{rule.rule}: {rule.message}" for rule in rules if rule.status is RuleStatus.INCONCLUSIVE
    ]
    found = evaluation.results.diagnostics if evaluation.results else ()
    warned = [
        f"{one.code.value}: {one.message} {one.fix}"
        for one in found
        if one.severity is Severity.WARN
    ]
    return [*_lines("error", broken, file), *_lines("warning", [*unsure, *warned], file)]


def notice(message: str) -> str:
    """Return a line that says something without weight."""
    return _command("notice", message, "")


def _lines(kind: str, messages: list[str], file: str) -> list[str]:
    shown = messages if len(messages) <= MOST else messages[: MOST - 1]
    lines = [_command(kind, message, file) for message in shown]
    if len(messages) > len(shown):
        lines.append(_command(kind, f"and {len(messages) - len(shown)} more", file))
    return lines


def _command(kind: str, message: str, file: str) -> str:
    properties = {"title": _TITLE, **({"file": file} if file else {})}
    words = ",".join(f"{name}={_escape(text, ':,')}" for name, text in properties.items())
    return f"::{kind} {words}::{_escape(message)}"


def _escape(text: str, more: Iterable[str] = "") -> str:
    for char in ("%", "\r", "\n", *more):
        text = text.replace(char, f"%{ord(char):02X}")
    return text
