"""The Markdown of a comment and a summary: what it shows, in what order, and how much of it."""

import msgspec
import pytest

from reteval.ci.environment import Environment
from reteval.ci.markdown import write, write_interrupted, write_started
from reteval.contract.gates import Floor, Gate, GateOutcome
from tests.unit.reteval.ci.evaluations import HOSTILE, a_row, an_evaluation, without_verdict
from tests.unit.reteval.decisions import a_comparison_report, a_verdict
from tests.unit.reteval.documents import a_report

NOWHERE = Environment()
ROOM = 65_000


def test_verdict_comes_first_then_metrics_then_what_is_folded() -> None:
    """The table has value, change, wins and losses; rules, worst and fallen queries are folded."""
    told = write(an_evaluation(), Environment(commit="0123456789abcdef"), room=ROOM)
    lines = told.splitlines()
    assert lines[0] == "### ❌ gate: fail"
    assert "[Report](http://service.example/runs/run_1)" in told
    assert "commit 0123456789ab\n" in told
    assert "| Metric | value (Δ) | wins | losses | n |" in lines
    (row,) = [line for line in lines if line.startswith("| recall@5 |")]
    assert "(-0.010) | 10 | 10" in row
    titles = [line for line in lines if line.startswith("<details>")]
    assert titles == [
        f"<details><summary>{title}</summary>"
        for title in (
            "Rules of the gate",
            "Worst queries by recall@5",
            "Fell most in recall@5",
            "Other metrics",
        )
    ]
    assert told.count("</details>") == 4
    head = told.partition("<details>")[0]
    assert [line.split(" ")[1] for line in head.splitlines() if line.startswith("| ")] == [
        "Metric",
        "---",
        "recall@5",
    ]


@pytest.mark.parametrize("outcome", list(GateOutcome))
def test_every_verdict_has_its_words(outcome: GateOutcome) -> None:
    """The heading says the verdict."""
    heading = write(an_evaluation(outcome), NOWHERE, room=ROOM).splitlines()[0]
    assert heading.endswith(f" gate: {outcome.value.replace('_', ' ')}")


def test_without_baseline_there_is_no_change_to_show() -> None:
    """Values stand alone, and nothing has fallen."""
    told = write(an_evaluation(comparison=None), NOWHERE, room=ROOM)
    assert "Δ)" in told
    assert "(-0.010)" not in told
    assert "Fell most" not in told


def test_metrics_of_the_gate_are_not_folded() -> None:
    """Whatever else was measured, the numbers that decide are seen at once."""
    gate = Gate(floors=(Floor(metric="mrr", at_least=0.5),))
    told = write(an_evaluation(verdict=a_verdict(gate=gate)), NOWHERE, room=ROOM)
    assert "| mrr |" in told.partition("<details>")[0]


def test_no_verdict_says_why() -> None:
    """What went wrong is told; there is nothing else."""
    told = write(without_verdict("no answer"), NOWHERE, room=ROOM)
    assert told.startswith("### ❗ reteval: no verdict\n\nno answer\n")


def test_failed_run_has_no_table() -> None:
    """A report without metrics shows none."""
    results = msgspec.structs.replace(a_report(), metrics=None)
    told = write(an_evaluation(results=results, worst=(), comparison=None), NOWHERE, room=ROOM)
    assert "| Metric |" not in told


def test_what_does_not_fit_is_left_out_whole() -> None:
    """However little room there is, no block is cut open, and the verdict is there."""
    whole = write(an_evaluation(), NOWHERE, room=ROOM)
    for room in range(0, len(whole) + 100, 50):
        told = write(an_evaluation(), NOWHERE, room=room)
        assert len(told) <= max(room, 250)
        assert told.startswith("### ❌ gate: fail")
        assert told.count("<details>") == told.count("</details>")
        assert told == whole or told.endswith("_More would not fit; see the report._\n")


def test_hostile_words_are_text() -> None:
    """Names of queries, labels and gates make no element, link, mention or second line."""
    comparison = a_comparison_report()
    side = msgspec.structs.replace(comparison.baseline, label=HOSTILE)
    mover = msgspec.structs.replace(comparison.movers[0], query=HOSTILE)
    told = write(
        an_evaluation(
            verdict=a_verdict(name=HOSTILE, sentence=HOSTILE),
            worst=(a_row("q1", 0.0, query=HOSTILE * 20),),
            comparison=msgspec.structs.replace(comparison, baseline=side, movers=(mover,)),
        ),
        NOWHERE,
        room=ROOM,
    )
    told += write_started(HOSTILE, "http://service.example/runs/run_1")
    for live in ("<img", "](http://evil", " @team", "\n::error"):
        assert live not in told


def test_while_it_goes_on() -> None:
    """The first comment leads to the run, and so does one that nobody waits for any more."""
    assert "docs is in progress" in write_started("docs", "http://x.example/runs/1")
    assert "(http://x.example/runs/1)" in write_interrupted("http://x.example/runs/1")
