"""An evaluation as Markdown, in blocks of whole lines: what matters most first."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from reteval.ci.environment import Environment
from reteval.ci.evaluation import Evaluation
from reteval.contract.comparisons import Difference, MetricComparison, Mover
from reteval.contract.gates import Gate, GateFormat, GateOutcome
from reteval.contract.outcomes import QueryRow
from reteval.contract.results import MetricSummary
from reteval.contract.texts import escape_markdown

_SIGNS: Final = {
    GateOutcome.PASS: "✅",
    GateOutcome.FAIL: "❌",
    GateOutcome.RUN_FAILED: "❗",
    GateOutcome.BLOCKED: "⛔",
    GateOutcome.INCONCLUSIVE: "❔",
}
_SHOWN: Final = 10
_LONGEST_TEXT: Final = 200
_CUT: Final = "_More would not fit; see the report._"


def write_started(name: str, page: str) -> str:
    """Say that it has begun."""
    return f"### ⏳ reteval: {escape_markdown(name)} is in progress\n\n[Watch the run]({page})\n"


def write_interrupted(page: str) -> str:
    """Say that nobody waits for the run any more."""
    return f"### reteval: interrupted\n\nThe run goes on, [watch it]({page}).\n"


def write(evaluation: Evaluation, environment: Environment, *, room: int) -> str:
    """Return the blocks that fit into so many characters; the first always does."""
    first, *others = _blocks(evaluation, environment)
    kept = [first]
    room -= len(first) + len(_CUT) + 2
    for block in others:
        room -= len(block) + 1
        if room < 0:
            kept.append(_CUT + "\n")
            break
        kept.append(block)
    return "\n".join(kept)


def _blocks(evaluation: Evaluation, environment: Environment) -> Iterator[str]:
    yield _head(evaluation)
    yield _foot(evaluation, environment)
    measured = (evaluation.results.metrics or {}) if evaluation.results else {}
    named = _named(evaluation)
    if measured.keys() & named:
        yield _metrics(evaluation, [name for name in measured if name in named])
    rules = evaluation.forms.get(GateFormat.MARKDOWN, "").partition("\n| ")[2]
    if rules:
        yield _fold("Rules of the gate", f"| {rules}")
    worst = [row for row in evaluation.worst if _short_of_all(row, evaluation.primary)]
    if worst:
        yield _fold(f"Worst queries by {evaluation.primary}", _worst(worst, evaluation.primary))
    fallen = _fallen(evaluation)
    if fallen:
        yield _fold(f"Fell most in {evaluation.primary}", _movers(fallen))
    if measured.keys() - named:
        others = [name for name in measured if name not in named]
        yield _fold("Other metrics", _metrics(evaluation, others))


def _named(evaluation: Evaluation) -> set[str]:
    """Return the metrics that the gate is about, and the one that queries are sorted by."""
    gate = evaluation.verdict.gate if evaluation.verdict else Gate()
    floors = (rule.metric for rule in gate.floors)
    drops = (rule.metric for rule in gate.drops)
    return {evaluation.primary, *floors, *drops}


def _short_of_all(row: QueryRow, metric: str) -> bool:
    return (row.metrics.get(metric) or 0.0) < 1


def _head(evaluation: Evaluation) -> str:
    if evaluation.verdict is None:
        said = "\n".join(map(escape_markdown, evaluation.trouble.splitlines()))
        return f"### ❗ reteval: no verdict\n\n{said[: _LONGEST_TEXT * 10]}\n"
    verdict = evaluation.verdict
    word = verdict.verdict.value.replace("_", " ")
    return (
        f"### {_SIGNS[verdict.verdict]} {escape_markdown(verdict.name)}: {word}\n\n"
        f"{escape_markdown(verdict.sentence)}\n"
    )


def _foot(evaluation: Evaluation, environment: Environment) -> str:
    said = []
    if evaluation.page:
        said.append(f"[Report]({evaluation.page})")
    if evaluation.results is not None:
        pinned = evaluation.results.test_set
        said.append(f"test set {escape_markdown(pinned.name)} version {pinned.version}")
    if evaluation.comparison is not None:
        side = evaluation.comparison.baseline
        said.append(f"compared with {escape_markdown(side.label or side.run)}")
    if environment.commit:
        said.append(f"commit {escape_markdown(environment.commit[:12])}")
    return " · ".join(said) + "\n"


def _metrics(evaluation: Evaluation, names: Iterable[str]) -> str:
    measured = (evaluation.results.metrics or {}) if evaluation.results else {}
    compared = evaluation.comparison.metrics if evaluation.comparison else {}
    rows = [_metric_row(name, measured[name], compared.get(name)) for name in names]
    return _table(("Metric", "value (Δ)", "wins", "losses", "n"), rows)


def _metric_row(
    name: str, summary: MetricSummary, compared: MetricComparison | None
) -> tuple[str, ...]:
    value, wins, losses = _number(summary.mean), "-", "-"
    if compared is not None:
        value = f"{value} ({_signed(compared.difference)})"
        wins, losses = str(compared.wins), str(compared.losses)
    return escape_markdown(name), value, wins, losses, str(summary.n)


def _worst(rows: Iterable[QueryRow], metric: str) -> str:
    shown = [
        (_text(row.query), _number(row.metrics.get(metric)), row.reason or row.status)
        for row in islice(rows, _SHOWN)
    ]
    return _table(("Query", metric, ""), shown)


def _fallen(evaluation: Evaluation) -> list[Mover]:
    movers = evaluation.comparison.movers if evaluation.comparison else ()
    fallen = sorted((one for one in movers if one.difference < 0), key=lambda one: one.difference)
    return fallen[:_SHOWN]


def _movers(movers: Iterable[Mover]) -> str:
    rows = [
        (_text(one.query), _number(one.baseline), _number(one.candidate), f"{one.difference:+.3f}")
        for one in movers
    ]
    return _table(("Query", "before", "now", "Δ"), rows)


def _fold(title: str, body: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{body}\n</details>\n"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _text(text: str) -> str:
    cut = text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + "…"
    return escape_markdown(cut)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _signed(difference: Difference) -> str:
    return "-" if difference.mean is None else f"{difference.mean:+.3f}"
