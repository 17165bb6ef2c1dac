import pytest

from reteval import cli
from reteval.cli.report import render as report_text
from reteval.contract.runs import RunStatus
from reteval.views.text import render
from tests.unit.reteval.decisions import a_comparison, a_pending_comparison, a_verdict
from tests.unit.reteval.documents import FEW, a_report, a_run, a_test_set


def test_report_is_what_the_command_line_prints() -> None:
    """A report has one text."""
    assert a_report().format() == report_text(a_report())
    assert callable(cli.main)


def test_run_says_how_far_it_is_and_why_it_failed() -> None:
    """State, test set and label; the error of a failed one."""
    assert a_run(label="").format() == "run_1 queued 0/10\ntest set  docs version 2\n"
    failed = a_run(status=RunStatus.FAILED, error="too many failures").format()
    assert failed.startswith("run_1 failed 0/10: too many failures\n")
    assert "label     baseline" in failed


def test_test_set_has_its_counts_and_warnings() -> None:
    """What it holds, and what is wrong with it."""
    text = a_test_set().format()
    assert "5 queries: 4 scorable, 9 judgments" in text
    assert FEW.fix in text


def test_comparison_has_its_report_or_its_state() -> None:
    """The verdict stands first; without one, the state and the error."""
    assert a_comparison().format().startswith("no change (recall@5): No change within 0.02.\n")
    assert a_pending_comparison().format() == "cmp_1 running\n"
    failed = a_comparison(status=RunStatus.FAILED, report=None, error="no run_0")
    assert failed.format() == "cmp_1 failed: no run_0\n"


def test_verdict_has_a_line_for_each_rule() -> None:
    """Verdict, sentence and table of the rules."""
    lines = a_verdict().format().splitlines()
    assert lines[:2] == ["gate: fail (exit code 1)", "The gate fails."]
    assert [line.split()[0] for line in lines[3:]] == ["pass", "fail"]
    assert "0.740 .. 0.880" in lines[4]


def test_plain_data_is_that_of_the_json() -> None:
    """Enums and nested structs become strings and dicts."""
    plain = a_verdict().to_dict()
    assert (plain["verdict"], plain["rules"][1]["threshold"]) == ("fail", 0.9)


def test_what_has_no_text_is_refused() -> None:
    """Only structs with a text have one."""
    with pytest.raises(TypeError, match="int has no text"):
        render(1)
