import io
from collections.abc import Sequence
from pathlib import Path

import httpx
import msgspec
import pytest

from reteval import Client, Retry, RunStatus
from reteval.cli import main
from reteval.cli.comparison import comparison_lines
from tests.unit.reteval.cli.places import NOWHERE, a_place
from tests.unit.reteval.decisions import (
    a_comparison,
    a_comparison_report,
    a_difference,
    a_metric,
    a_pending_comparison,
    a_pending_gate,
    a_power_answer,
)
from tests.unit.reteval.documents import URL, Script, a_report, a_run, answer, problem


def command(
    *argv: str, answers: Sequence[httpx.Response | Exception], folder: Path = NOWHERE
) -> tuple[int, str, str, Script]:
    """Carry out a command line against a scripted service."""
    service = Script(answers)
    out, err = io.StringIO(), io.StringIO()

    def connect(url: str | None, api_key: str | None) -> Client:
        http = httpx.Client(transport=httpx.MockTransport(service))
        return Client(url or URL, api_key, http=http, retry=Retry(pauses_s=()), sleep=str)

    code = main(argv, connect=connect, stdout=out, stderr=err, place=a_place(folder=folder))
    return code, out.getvalue(), err.getvalue(), service


def a_gate_file(folder: Path) -> str:
    """Write a gate and return its path."""
    path = folder / "gate.yaml"
    path.write_text("floors: [{metric: mrr, at_least: 0.5}]")
    return str(path)


def a_document(code: int, body: bytes = b"gate: FAIL\n") -> httpx.Response:
    """Answer a verdict in some form."""
    return httpx.Response(200, content=body, headers={"X-Reteval-Exit-Code": str(code)})


def test_compare_prints_the_verdict_first() -> None:
    """What the comparison came to, then the table it rests on."""
    code, out, err, service = command(
        "compare",
        "run_0",
        "run_1",
        "--margin",
        "0.01",
        "--metrics",
        "mrr,recall@5",
        "--intersection",
        answers=[answer(a_pending_comparison(), 202), answer(a_comparison())],
    )
    assert (0, "next: reteval open cmp_1\n") == (code, err)
    lines = out.splitlines()
    assert "no change (recall@5): No change within 0.02." == lines[0]
    assert "baseline  run_0 main, docs version 2" == lines[1]
    assert lines[4].split() == [
        *("metric", "baseline", "candidate", "difference", "interval", "p", "(Holm)"),
        *("win/tie/loss", "n", "verdict"),
    ]
    assert "tag:faq" in out
    assert "a b" in out
    assert "rankings  RBO 0.900, Jaccard@10 0.800, identical 0.500, over 49 queries" in lines
    assert {
        "baseline": "run_0",
        "candidate": "run_1",
        "metrics": ["mrr", "recall@5"],
        "margin": 0.01,
        "on": "intersection",
    } == msgspec.json.decode(service.bodies[0])
    assert "20" == service.requests[0].url.params["wait"]


def test_compare_as_json_and_in_time() -> None:
    """With --json the document is all that is printed; --timeout bounds the first wait too."""
    code, out, _, service = command(
        "compare",
        *("run_0", "run_1", "--json", "--timeout", "3"),
        answers=[answer(a_comparison()), answer(a_comparison())],
    )
    assert (0, a_comparison()) == (code, msgspec.json.decode(out, type=type(a_comparison())))
    assert "3" == service.requests[0].url.params["wait"]


@pytest.mark.parametrize(("error", "shown"), [("boom", "boom"), (None, "no reason given")])
def test_compare_that_fails(error: str | None, shown: str) -> None:
    """A comparison without a report says why and is no success."""
    failed = a_comparison(status=RunStatus.FAILED, report=None, error=error)
    code, out, _, _ = command("compare", "run_0", "run_1", answers=[answer(failed), answer(failed)])
    assert (3, f"cmp_1 failed: {shown}\n") == (code, out)


def test_comparison_without_slices_movers_or_numbers() -> None:
    """What is not there takes no table, and a missing number is a dash."""
    report = a_comparison_report(
        slices={},
        movers=(),
        warnings=("few",),
        metrics={"recall@5": a_metric(a_difference(None, None))},
    )
    lines = comparison_lines(report)
    assert "warning   few" == lines[3]
    assert lines[6].split()[3:5] == ["-", "-"]
    assert 10 == len(lines)


@pytest.mark.parametrize("code", [0, 1, 3, 4, 5])
def test_gate_returns_the_exit_code(tmp_path: Path, code: int) -> None:
    """The service's exit code is the command's."""
    found = command("gate", a_gate_file(tmp_path), "--run", "run_1", answers=[a_document(code)])
    assert (code, "gate: FAIL\n", "") == found[:3]
    assert "text" == found[3].requests[0].url.params["format"]


def test_gate_writes_a_file(tmp_path: Path) -> None:
    """The document goes into the file, one line of what it says to the terminal."""
    output = tmp_path / "gate.xml"
    code, out, _, service = command(
        "gate",
        a_gate_file(tmp_path),
        *("--run", "run_1", "--baseline", "run_0"),
        *("--format", "junit", "--output", str(output)),
        answers=[a_document(4, b"<testsuites/>")],
    )
    assert (4, f"blocked (exit code 4), see {output}\n") == (code, out)
    assert b"<testsuites/>" == output.read_bytes()
    params = dict(service.requests[0].url.params)
    assert ("run_0", "junit") == (params["baseline"], params["format"])


def test_gate_as_json(tmp_path: Path) -> None:
    """--json is the JSON form."""
    *_, service = command(
        "gate",
        a_gate_file(tmp_path),
        *("--comparison", "cmp_1", "--json"),
        answers=[a_document(0, b"{}")],
    )
    params = dict(service.requests[0].url.params)
    assert ("cmp_1", "json") == (params["comparison"], params["format"])


@pytest.mark.parametrize(
    ("answers", "code"),
    [
        ([problem(422, "invalid")], 2),
        ([problem(404, "not_found")], 2),
        ([problem(401, "unauthorized")], 2),
        ([httpx.ConnectError("refused")], 3),
        ([problem(503, "store_unavailable")], 3),
        ([httpx.Response(200, content=b"hello")], 3),
        ([answer(a_pending_gate(), 202)], 3),
    ],
)
def test_gate_without_a_verdict_never_passes(
    tmp_path: Path, answers: list[httpx.Response | Exception], code: int
) -> None:
    """A wrong request is 2, anything else that keeps the verdict away is 3."""
    found = command(
        "gate", a_gate_file(tmp_path), "--run", "run_1", "--timeout", "0", answers=answers
    )
    assert (code, "") == found[:2]
    assert found[2].startswith("error: ")


@pytest.mark.parametrize(
    "argv",
    [
        ["gate", "gate.yaml"],
        ["gate", "gate.yaml", "--run", "a", "--comparison", "b"],
        ["gate", "gate.yaml", "--run", "a", "--baseline", "b", "--baseline-label", "c"],
        ["gate", "no/such/gate.yaml", "--run", "a"],
        ["power"],
        ["power", "run_1"],
        ["power", "run_1", "run_2", "--sigma", "0.2"],
        ["rescore", "run_1", "--k", "x"],
    ],
)
def test_wrong_usage(argv: list[str]) -> None:
    """Contradicting words and missing files are usage errors, before anything is sent."""
    code, out, err, service = command(*argv, answers=[])
    assert (2, "", []) == (code, out, service.requests)
    assert "error" in err


def test_power_prints_the_sentence_first() -> None:
    """The sentence, where sigma is from, and the curve."""
    answers = [answer(a_power_answer())]
    code, out, _, service = command("power", "--sigma", "0.2", "--n", "50", answers=answers)
    assert 0 == code
    assert out.splitlines() == [
        "With 50 queries you can see ±0.081; for ±0.05 you need 128.",
        "sigma 0.2 (as given)",
        "power 0.41 for ±0.05 with 50 queries",
        "      1 queries see nothing",
        "     50 queries see ±0.081",
    ]
    assert {"sigma": 0.2, "n": 50} == msgspec.json.decode(service.bodies[0])


def test_power_from_runs() -> None:
    """Two runs are sent as they are; figures that are not there take no line."""
    found = a_power_answer(metric="mrr", pairs=49, achieved=None, curve=(), reason="no_variation")
    code, out, _, service = command("power", "run_0", "run_1", answers=[answer(found)])
    assert (0, "sigma 0.2 (mrr of 49 queries)") == (code, out.splitlines()[1])
    assert {"runs": ["run_0", "run_1"]} == msgspec.json.decode(service.bodies[0])
    _, out, _, _ = command("power", "run_0", "run_1", "--json", answers=[answer(found)])
    assert found == msgspec.json.decode(out, type=type(found))


def test_comparison_leads_to_the_gate(tmp_path: Path) -> None:
    """Where a gate lies beside it, the next command holds the candidate to it."""
    (tmp_path / "gate.yaml").write_text("floors: []")
    ended = answer(a_comparison())
    words = ("compare", "run_0", "run_1")
    service_answers = [answer(a_pending_comparison(), 202), ended]
    _, _, err, _ = command(*words, answers=service_answers, folder=tmp_path)
    assert err == "next: reteval gate gate.yaml --run run_1 --baseline run_0\n"


def test_retry_starts_a_child() -> None:
    """Header values, which the service has forgotten, go along; nothing else has to."""
    code, _, err, service = command(
        "retry", "run_0", "--header", "X-Key: s", answers=[answer(a_run(), 202)]
    )
    assert (0, "next: reteval wait run_1\n") == (code, err)
    assert {"headers": {"X-Key": "s"}} == msgspec.json.decode(service.bodies[0])
    command("retry", "run_0", answers=[answer(a_run(), 202)])


def test_rescore_starts_a_child() -> None:
    """Only what differs is sent; with --wait the child's report is printed."""
    argv = ("rescore", "run_0", "--metrics", "map,ndcg@5", "--relevant-from", "2")
    code, _, err, service = command(*argv, answers=[answer(a_run(), 202)])
    assert (0, "next: reteval wait run_1\n") == (code, err)
    assert {"metrics": ["map", "ndcg@5"], "relevant_from": 2} == msgspec.json.decode(
        service.bodies[0]
    )
    ended = answer(a_run(status=RunStatus.COMPLETED))
    code, out, err, _ = command(
        *argv, "--wait", answers=[answer(a_run(), 202), ended, answer(a_report())]
    )
    assert (0, True) == (code, "started run_1" in err)
    assert out.startswith("run       run_1 completed")
