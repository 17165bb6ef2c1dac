"""`reteval ci` against a scripted service: what it asks, what it writes where, its exit code."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from reteval import RunStatus
from reteval.cli.place import Place
from reteval.contract.gates import GateFormat, GateOutcome, GateVerdict
from reteval.contract.outcomes import Outcome, OutcomePage, OutcomeRow, OutcomeStatus, QueryRowPage
from tests.forge import TOKEN, Forge, serve_forge
from tests.unit.reteval.ci.evaluations import a_row, an_evaluation
from tests.unit.reteval.cli.places import a_place
from tests.unit.reteval.cli.test_command import command
from tests.unit.reteval.decisions import a_comparison, a_verdict
from tests.unit.reteval.documents import URL, Handler, a_report, a_run, a_test_set, answer, problem

FORMS = {form: an_evaluation().forms[form] for form in GateFormat}
ENDED = answer(a_run(status=RunStatus.COMPLETED))
ROWS = answer(QueryRowPage(items=(a_row("q1", 0.0), a_row("q2", 0.5))))
FOUND = OutcomePage(
    items=tuple(
        OutcomeRow(query_id=f"q{n}", query="x", outcome=Outcome(status=OutcomeStatus.OK, ids=["d"]))
        for n in range(3)
    )
)


@pytest.fixture
def gate(tmp_path: Path) -> str:
    """Write a gate and return its path."""
    path = tmp_path / "gate.yaml"
    path.write_text("floors: [{metric: mrr, at_least: 0.5}]")
    return str(path)


def decided(verdict: GateVerdict) -> list[httpx.Response | Exception | Handler]:
    """Return the answers about a gate: its verdict, then each form of it."""

    def form(request: httpx.Request) -> httpx.Response:
        body = FORMS[GateFormat(request.url.params["format"])].encode()
        code = str(verdict.exit_code)
        return httpx.Response(200, content=body, headers={"X-Reteval-Exit-Code": code})

    first = answer(verdict, X_Reteval_Exit_Code=str(verdict.exit_code))
    return [first, form, form, form]


def begun() -> list[httpx.Response | Exception | Handler]:
    """Return the answers up to the end of a run over a known test set."""
    return [answer(a_test_set()), answer(a_run(), 202), ENDED]


def test_ci_asks_in_order_and_returns_the_verdicts_code(tmp_path: Path, gate: str) -> None:
    """Baseline before the run, then run, gate, report, comparison, worst queries, rankings."""
    words = ("ci", "--gate", gate, "--test-set", "docs", "http://search.example/q")
    junit, summary = tmp_path / "out.xml", tmp_path / "out.md"
    more = ("--junit", str(junit), "--junit-queries", "2", "--summary", str(summary))
    baseline = answer(a_run(id="run_0", status=RunStatus.COMPLETED))
    code, out, err, service = command(
        *words,
        *("--baseline-branch", "main", "--meta", "commit=mine", "--require-conclusive", *more),
        answers=[
            answer(a_test_set()),
            problem(404, "not_found"),
            baseline,
            *begun()[1:],
            *decided(a_verdict()),
            answer(a_report()),
            answer(a_comparison()),
            answer(a_comparison()),
            ROWS,
            answer(FOUND),
        ],
    )
    assert (code, err.splitlines()[0]) == (1, f"started run_1, see {URL}/runs/run_1")
    assert out.startswith("gate: FAIL (exit code 1)")
    assert out.endswith(f"report    {URL}/runs/run_1\n")
    asked = [f"{one.method} {one.url.path}" for one in service.requests]
    assert asked == [
        "GET /v1/test-sets/docs",
        "GET /v1/latest",
        "GET /v1/latest",
        "POST /v1/runs",
        "GET /v1/runs/run_1",
        *["POST /v1/gates/evaluate"] * 4,
        "GET /v1/runs/run_1/results",
        "POST /v1/comparisons",
        "GET /v1/comparisons/cmp_1",
        "GET /v1/runs/run_1/queries",
        "GET /v1/runs/run_1/outcomes",
    ]
    assert [dict(one.url.params) for one in service.requests[1:3]] == [
        {"test_set": "ts_1", "branch": "main"},
        {"test_set": "docs", "branch": "main"},
    ]
    assert json.loads(service.bodies[3])["meta"] == {"commit": "mine"}
    held = {"run": "run_1", "baseline": "run_0", "require_conclusive": "true"}
    for one in service.requests[5:9]:
        assert held.items() <= dict(one.url.params).items()
    assert "gate.queries" in junit.read_text()
    assert summary.read_text().startswith("### ❌ gate: fail")


def test_without_a_baseline_the_gate_is_told_whose_is_missing(gate: str) -> None:
    """So that it fails with its reason; nothing is compared."""
    verdict = a_verdict(baseline=None)
    code, _, _, service = command(
        *("ci", "--gate", gate, "--test-set", "docs", "http://search.example/q"),
        *("--baseline-label", "live"),
        answers=[
            answer(a_test_set()),
            problem(404, "not_found"),
            problem(404, "not_found"),
            *begun()[1:],
            *decided(verdict),
            answer(a_report()),
            ROWS,
        ],
    )
    assert code == 1
    assert service.requests[5].url.params["baseline_label"] == "live"
    assert "baseline" not in service.requests[5].url.params


def test_upload_names_the_test_set(gate: str, tmp_path: Path) -> None:
    """The set that a file became is the one that is run; runs that do not compare are left so."""
    file = tmp_path / "queries.csv"
    file.write_text("query,docid,rating\nx,d,1\n")
    code, _, _, service = command(
        *("ci", "--gate", gate, "--test-set", "docs", "--upload", str(file)),
        *("http://search.example/q", "--baseline", "run_0"),
        answers=[
            *begun(),
            *decided(a_verdict(verdict=GateOutcome.PASS, exit_code=0)),
            answer(a_report()),
            problem(409, "not_comparable"),
            ROWS,
        ],
    )
    assert code == 0
    assert service.requests[0].url.params["name"] == "docs"
    assert json.loads(service.bodies[1])["test_set"] == "ts_1"


@pytest.mark.parametrize(
    ("answers", "code", "said"),
    [
        ([problem(404, "not_found")], 2, "Something is wrong."),
        ([answer(a_test_set()), problem(422, "invalid")], 2, "Something is wrong."),
        ([httpx.ConnectError("refused")], 3, "no answer from"),
        ([*begun(), problem(422, "invalid")], 2, "Something is wrong."),
        ([*begun(), *[problem(500, "internal")] * 9], 3, "Something is wrong."),
    ],
)
def test_without_a_verdict_everyone_is_told_why(
    gate: str, tmp_path: Path, answers: Any, code: int, said: str
) -> None:
    """The exit code tells our fault from the service's; the files are written all the same."""
    junit, summary = tmp_path / "out.xml", tmp_path / "out.md"
    found, out, _, _ = command(
        *("ci", "--gate", gate, "--test-set", "docs", "http://search.example/q"),
        *("--junit", str(junit), "--summary", str(summary)),
        answers=answers,
    )
    assert (found, out.startswith("error: no verdict: ")) == (code, True)
    assert said in out
    assert 'errors="1"' in junit.read_text()
    assert "reteval: no verdict" in summary.read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "nothing to run"),
        (("--test-set", "docs"), "no endpoint"),
        (("--test-set", "docs", "--baseline", "a", "--baseline-branch", "b"), "write either"),
        (("--test-set", "docs", "--gate", "gone.yaml"), "gone.yaml"),
    ],
)
def test_wrong_words_start_nothing(gate: str, words: tuple[str, ...], said: str) -> None:
    """What cannot be is refused before the service is asked, a gate that is not there, too."""
    code, _, err, service = command("ci", "--gate", gate, *words, answers=[])
    assert (code, service.requests) == (2, [])
    assert said in err


def test_log_of_a_workflow_is_quoted_and_its_comment_told_of_an_interruption(
    gate: str, tmp_path: Path
) -> None:
    """What names say is between two words that nobody knows; who stops waiting leaves a comment."""
    with serve_forge() as forge:
        place = a_workflow(tmp_path, forge)
        words = ("ci", "--gate", gate, "--test-set", "docs", "http://search.example/q")
        answers = [*begun(), *decided(a_verdict(baseline=None)), answer(a_report()), ROWS]
        code, out, _, _ = command(*words, answers=answers, place=place)
        lines = out.splitlines()
        word = lines[0].removeprefix("::stop-commands::")
        assert (code, len(word)) == (1, 32)
        assert lines.index(f"::{word}::") < lines.index(
            next(line for line in lines if line.startswith("::error title=reteval,file="))
        )

        def interrupt(_: httpx.Request) -> httpx.Response:
            raise KeyboardInterrupt

        code, _, _, _ = command(*words, answers=[*begun()[:2], interrupt], place=place)
        assert code == 130
        more = ("--comment", "never", "--json")
        code, out, _, _ = command(*words, *more, answers=answers_again(), place=place)
        assert json.loads(out)["verdict"] == "fail"
        (states,) = forge.written
    assert ["in progress" in state for state in states] == [True, False, True, False]
    assert "reteval: interrupted" in states[-1]


def answers_again() -> list[httpx.Response | Exception | Handler]:
    """Return the answers of a whole run without a baseline."""
    return [*begun(), *decided(a_verdict(baseline=None)), answer(a_report()), ROWS]


def test_comment_that_cannot_be_written_is_noted_once(gate: str, tmp_path: Path) -> None:
    """Neither a closed forge nor a missing token changes the verdict."""
    words = ("ci", "--gate", gate, "--test-set", "docs", "http://search.example/q")
    with serve_forge() as forge:
        forge.closed = True
        place = a_workflow(tmp_path, forge)
        code, out, _, _ = command(*words, answers=answers_again(), place=place)
        assert (code, out.count("::notice title=reteval::no comment")) == (1, 1)
        place = a_workflow(tmp_path, forge, token="")
        code, out, _, _ = command(*words, answers=answers_again(), place=place)
        assert (code, out.count("GITHUB_TOKEN holds no token")) == (1, 1)


def a_workflow(folder: Path, forge: Forge, token: str = TOKEN) -> Place:
    """Return a place within a workflow of pull request 7."""
    return a_place(
        environ={
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": forge.url,
            "GITHUB_TOKEN": token,
            "GITHUB_REPOSITORY": "acme/search",
            "GITHUB_REF": "refs/pull/7/merge",
            "GITHUB_EVENT_PATH": str(folder / "no-event.json"),
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        }
    )
