"""The commands `split` and `suite`, and `--split` of others, against a scripted service."""

import json

import httpx
import msgspec
import pytest
from msgspec.structs import replace

from reteval import RunStatus
from reteval.cli.report import render
from reteval.cli.suites import render as render_suite
from reteval.contract.history import Trend, TrendSeries
from reteval.contract.splits import HoldoutLooks, SplitReport, SplitShare
from reteval.contract.suites import MacroMean, Suite, SuitePage, SuiteRun
from tests.unit.reteval.cli.test_command import SEARCH, command
from tests.unit.reteval.documents import a_report, a_run, answer
from tests.unit.reteval.suite_documents import SPLIT, SUITE, a_suite_run

RUN = a_suite_run()
REPORT = """\
srn_1 of suite search: completed_with_errors
k60

test set        run    status      n    mrr  note
docs version 2  run_1  completed  50  0.900
faq version 1   run_2  failed             -  no_answers

requests  50 planned: 49 ok, 1 empty, 0 failed, 0 skipped; 0 unscorable

macro mean  mean  interval  sets  note
mrr            -         -     1  no mean of faq: no_answers
"""


def test_split_prints_how_it_divided() -> None:
    """Each stratum, then all of them."""
    words = ["--holdout", "0.4", "--seed", "7", "--by", "source,length"]
    code, out, _, service = command("split", "docs", *words, answers=[answer(SPLIT)])
    assert json.loads(service.bodies[0]) == {
        "holdout": 0.4,
        "seed": 7,
        "stratify_by": ["source", "length"],
    }
    assert code == 0
    assert out == (
        "ts_1 docs version 2: 5 groups\n"
        "stratum      queries  tune  holdout\n"
        "source:log         3     2        1\n"
        "no source          2     1        1\n"
        "all of them        5     3        2\n"
    )


def test_split_as_json() -> None:
    """The document is all that is printed."""
    _, out, _, _ = command("split", "docs", "--json", answers=[answer(SPLIT)])
    assert msgspec.json.decode(out, type=SplitReport) == SPLIT


def test_create_sends_sets_and_weights() -> None:
    """Weights are left out where none are given."""
    words = ["suite", "create", "search", "docs", "ts_2"]
    _, out, _, service = command(*words, "--weights", "2,1", answers=[answer(SUITE, 201)])
    sent = {"name": "search", "test_sets": ["docs", "ts_2"], "weights": [2.0, 1.0]}
    assert json.loads(service.bodies[0]) == sent
    assert out.splitlines()[1].split() == ["su_1", "search", "docs,", "ts_2"]
    _, out, _, service = command(*words, "--json", answers=[answer(SUITE, 201)])
    assert "weights" not in json.loads(service.bodies[0])
    assert msgspec.json.decode(out, type=Suite) == SUITE
    code, _, err, _ = command(*words, "--weights", "2;1", answers=[])
    assert (code, err) == (2, "usage error: --weights '2;1': write numbers, such as 1,2,1\n")


def test_list_and_remove() -> None:
    """One line a suite; removing says that the runs stay."""
    _, out, _, _ = command("suite", "list", answers=[answer(SuitePage(items=(SUITE,)))])
    assert "su_1" in out
    gone = httpx.Response(204)
    assert command("suite", "remove", "search", answers=[gone])[1] == (
        "search is deleted; its runs stay\n"
    )
    assert command("suite", "remove", "search", "--json", answers=[gone])[1] == ""


def test_run_takes_the_options_of_a_run() -> None:
    """All but the test set, `--split` included; what to do next is printed."""
    words = ["--label", "k60", "--metrics", "mrr", "--split", "holdout", "--rate", "5"]
    started = a_suite_run(RunStatus.QUEUED, macro={})
    code, out, err, service = command(
        "suite", "run", "search", SEARCH, *words, answers=[answer(started, 202)]
    )
    assert json.loads(service.bodies[0]) == {
        "endpoint": {"url": SEARCH},
        "label": "k60",
        "metrics": ["mrr"],
        "limits": {"rate_per_s": 5.0},
        "split": "holdout",
    }
    assert (code, out) == (0, "srn_1 queued: 2 runs\n")
    assert err == "next: reteval suite results srn_1\n"
    _, out, _, _ = command("suite", "run", "search", SEARCH, "--json", answers=[answer(started)])
    assert msgspec.json.decode(out, type=SuiteRun) == started


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (RunStatus.COMPLETED, 0),
        (RunStatus.COMPLETED_WITH_ERRORS, 0),
        (RunStatus.FAILED, 3),
        (RunStatus.CANCELLED, 1),
        (RunStatus.RUNNING, 0),
    ],
)
def test_results_have_the_exit_code_of_the_end(status: RunStatus, code: int) -> None:
    """What has not ended is no failure."""
    found = command("suite", "results", "srn_1", answers=[answer(a_suite_run(status))])
    assert found[0] == code
    assert f"suite search: {status.value}" in found[1]


def test_waiting_ends_with_the_report() -> None:
    """Progress goes to standard error, the report to standard output."""
    started, done = answer(a_suite_run(RunStatus.QUEUED)), answer(RUN)
    words = ["suite", "run", "search", SEARCH, "--wait"]
    code, out, err, _ = command(*words, answers=[started, done])
    assert (code, out) == (0, REPORT)
    assert err.startswith("started srn_1\n")
    _, out, err, _ = command(*words, "--json", answers=[started, done])
    assert (msgspec.json.decode(out, type=SuiteRun), err) == (RUN, "")


def test_cancel_tells_the_state() -> None:
    """They will stop."""
    cancelled = answer(a_suite_run(RunStatus.RUNNING), 202)
    assert command("suite", "cancel", "srn_1", answers=[cancelled])[1].startswith("srn_1 running")


def test_a_report_of_a_suite() -> None:
    """Rows, sums, macro means with their interval; what was deleted has its row."""
    assert render_suite(RUN) == REPORT
    mean = MacroMean(mean=0.5, ci=(0.4, 0.6), level=0.95, sets=2)
    rows = (RUN.rows[0], replace(RUN.rows[1], status=None, reason="deleted"))
    text = render_suite(replace(RUN, rows=rows, macro={"mrr": mean}, label=""))
    assert "mrr         0.500  0.400 .. 0.600 (95 %)     2" in text
    assert text.splitlines()[4].endswith("deleted")
    assert "macro" not in render_suite(replace(RUN, macro={}))


def test_a_split_is_sent_with_a_run_and_a_rescoring() -> None:
    """By its name; an empty one asks a rescoring for all queries."""
    words = ["run", "docs", SEARCH, "--split", "tune"]
    service = command(*words, answers=[answer(a_run(), 202)])[3]
    assert json.loads(service.bodies[0])["split"] == "tune"
    service = command("rescore", "run_1", "--split", "", answers=[answer(a_run(), 202)])[3]
    assert json.loads(service.bodies[0])["split"] == ""
    service = command("rescore", "run_1", answers=[answer(a_run(), 202)])[3]
    assert "split" not in json.loads(service.bodies[0])


def test_reports_and_histories_name_the_split() -> None:
    """With how many queries are outside, and which look at the hold-out it was."""
    looks = HoldoutLooks(look=4, total=4)
    text = render(a_report(split=SplitShare(name="holdout", outside=70), holdout_looks=looks))
    assert "split     holdout (70 queries of the set are outside)\n" in text
    assert "hold-out  look 4\n" in text
    series = TrendSeries(
        test_set="ts_1", version=1, endpoint="http://a", relevant_from=1, points=(), split="tune"
    )
    trend = Trend(name="docs", metric="mrr", series=(series,))
    assert "http://a, split tune\n" in command("history", "docs", answers=[answer(trend)])[1]
