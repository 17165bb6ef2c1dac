"""An evaluation as Markdown, in blocks of whole lines: what matters most first."""

from collections.abc import Iterable, Iterator
from typing import Final

from reteval.ci.environment import Environment
from reteval.ci.evaluation import Evaluation
from reteval.contract.comparisons import Difference, Mover
from reteval.contract.gates import GateFormat, GateOutcome
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
    if evaluation.results is not None and evaluation.results.metrics:
        yield _metrics(evaluation)
    if evaluation.verdict is None:
        return
    rules = evaluation.forms.get(GateFormat.MARKDOWN, "").partition("\n| ")[2]
    if rules:
        yield _fold("Rules of the gate", f"| {rules}")
    if evaluation.worst:
        yield _fold(f"Worst queries by {evaluation.primary}", _worst(evaluation))
    fallen = _fallen(evaluation)
    if fallen:
        yield _fold(f"Fell most in {evaluation.primary}", _movers(fallen))


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


def _metrics(evaluation: Evaluation) -> str:
    results, comparison = evaluation.results, evaluation.comparison
    compared = comparison.metrics if comparison else {}
    rows = []
    for name, summary in ((results.metrics or {}) if results else {}).items():
        one = compared.get(name)
        change = f" ({_signed(one.difference)})" if one else ""
        wins, losses = (str(one.wins), str(one.losses)) if one else ("-", "-")
        rows.append(
            (
                escape_markdown(name),
                f"{_number(summary.mean)}{change}",
                wins,
                losses,
                str(summary.n),
            )
        )
    return _table(("Metric", "value (Δ)", "wins", "losses", "n"), rows)


def _worst(evaluation: Evaluation) -> str:
    rows = [
        (_text(row.query), _number(row.metrics.get(evaluation.primary)), row.reason or row.status)
        for row in evaluation.worst[:_SHOWN]
    ]
    return _table(("Query", evaluation.primary, ""), rows)


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
