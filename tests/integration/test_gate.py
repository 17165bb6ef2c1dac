import io
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import msgspec
import pytest

from reteval import Client
from reteval.cli import main
from reteval.contract.gates import GateVerdict
from reteval.contract.power import PowerAnswer
from tests.endpoint import serve_answers

TEXTS = [f"gated question {number}" for number in range(60)]
GATE = """\
name: release
baseline: {label: gate-main}
floors:
  - {metric: mrr, at_least: 0.3}
drops:
  - {metric: mrr, max_drop: 0.05, by: interval}
  - {metric: mrr, max_drop: 0.05, slice: "tag:even", min_queries: 30}
  - {metric: ndcg@10, max_drop: 0.2, slice: "tag:even", min_queries: 30}
caps: {error_rate: 0, p95_ms: 5000}
min_queries: 50
"""


def place(text: str, offset: int) -> tuple[int, Any]:
    """Answer the relevant document at a rank that depends on the query."""
    number = TEXTS.index(text)
    page = [f"noise-{number}-{rank}" for rank in range(4)]
    page.insert((number * offset) % 3, f"doc-{number}")
    return 200, page


@pytest.fixture(scope="module")
def runs(service_url: str) -> dict[str, str]:
    """Run a baseline, the same again, a worse one, one with other ids and a broken one."""
    answers: dict[str, Callable[[str], tuple[int, Any]]] = {
        "gate-main": lambda text: place(text, 0),
        "same": lambda text: place(text, 0),
        "worse": lambda text: place(text, 1),
        "ids": lambda text: (200, [f"https://docs.example/{TEXTS.index(text)}"]),
        "broken": lambda _: (400, {"error": "no"}),
    }
    queries = [
        {
            "query": text,
            "relevant_ids": [f"doc-{number}"],
            "tags": ["odd" if number % 2 else "even"],
        }
        for number, text in enumerate(TEXTS)
    ]
    found = {}
    with Client(service_url) as client:
        made = client.upload({"name": "gated", "queries": queries})
        for label, reply in answers.items():
            with serve_answers(reply) as endpoint:
                run = client.run(
                    {"test_set": made.id, "endpoint": {"url": endpoint.url}, "label": label}
                )
                found[label] = client.wait(run.id, timeout_s=60).id
    return found


@pytest.fixture
def gate_file(tmp_path: Path) -> Path:
    """Write the gate."""
    path = tmp_path / "gate.yaml"
    path.write_text(GATE)
    return path


def command(service_url: str, *argv: str) -> tuple[int, str]:
    """Carry out a command line against the real service; return its exit code and output."""
    out = io.StringIO()
    code = main(["--url", service_url, *argv], stdout=out, stderr=io.StringIO())
    return code, out.getvalue()


@pytest.mark.parametrize(
    ("label", "code", "verdict"),
    [("same", 0, "pass"), ("worse", 1, "fail"), ("ids", 4, "blocked"), ("broken", 3, "run_failed")],
)
def test_gate_on_real_runs(
    service_url: str, runs: dict[str, str], gate_file: Path, label: str, code: int, verdict: str
) -> None:
    """The exit code and the document say the same of a good, worse, mismatched, failed run."""
    found, shown = command(
        service_url, "gate", str(gate_file), "--run", runs[label], "--timeout", "60", "--json"
    )
    held = msgspec.json.decode(shown, type=GateVerdict)
    assert (found, held.exit_code, held.verdict) == (code, code, verdict), shown
    if label == "worse":
        assert held.baseline is not None
        assert held.baseline.id == runs["gate-main"]
        assert {rule.reason for rule in held.rules if rule.status == "fail"} == {"dropped"}
        assert [rule.n for rule in held.rules if rule.pointer.startswith("/drops")] == [60, 30, 30]


def test_gate_in_every_form(
    service_url: str, runs: dict[str, str], gate_file: Path, tmp_path: Path
) -> None:
    """Text, JUnit and Markdown of one verdict agree with its exit code."""
    words = ("gate", str(gate_file), "--run", runs["worse"], "--baseline", runs["gate-main"])
    assert command(service_url, *words)[1].startswith("release: FAIL (exit code 1)")
    junit = tmp_path / "gate.xml"
    code, _ = command(service_url, *words, "--format", "junit", "--output", str(junit))
    root = ET.fromstring(junit.read_text())  # noqa: S314 - written by our own service
    assert (code, root.get("failures")) == (1, str(len(root.findall(".//failure"))))
    assert "| ❌ fail |" in command(service_url, *words, "--format", "markdown")[1]


def test_gate_that_needs_a_conclusion(
    service_url: str, runs: dict[str, str], tmp_path: Path
) -> None:
    """A floor inside the interval is neither held nor broken."""
    path = tmp_path / "gate.json"
    path.write_text('{"floors": [{"metric": "mrr", "at_least": 0.6}], "require_conclusive": true}')
    code, shown = command(service_url, "gate", str(path), "--run", runs["worse"])
    assert (code, "INCONCLUSIVE (exit code 5)" in shown) == (5, True)


def test_compare_and_power_on_the_command_line(service_url: str, runs: dict[str, str]) -> None:
    """The comparison says worse, and its runs tell how many queries it takes."""
    pair = (runs["gate-main"], runs["worse"])
    code, shown = command(service_url, "compare", *pair, "--primary", "mrr")
    assert (code, shown.startswith("worse (mrr): ")) == (0, True)
    code, shown = command(service_url, "power", *pair, "--metric", "mrr", "--json")
    answer = msgspec.json.decode(shown, type=PowerAnswer)
    assert (code, answer.metric, answer.pairs, answer.n) == (0, "mrr", 60, 60)
    assert answer.sigma > 0.2


def test_rescore_on_the_command_line(service_url: str, runs: dict[str, str]) -> None:
    """A child run is scored and printed without the endpoint, which is gone."""
    words = ("rescore", runs["worse"], "--metrics", "recall@1", "--label", "strict", "--wait")
    code, shown = command(service_url, *words)
    assert code == 0
    assert "recall@1" in shown
    assert "strict" in shown
