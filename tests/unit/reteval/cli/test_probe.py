"""`reteval probe`: what is sent, what is printed, what the shell is told."""

import json
from pathlib import Path

from reteval.cli.probe import probe_lines
from reteval.contract.outcomes import FailureCode, OutcomeStatus
from reteval.contract.probes import (
    FieldCandidate,
    IdOverlap,
    IdPair,
    IdProfile,
    ListCandidate,
    Lookup,
    ProbeAnswer,
    SentRequest,
    Suggestion,
)
from reteval.contract.runs import RunStatus
from tests.unit.reteval.cli.test_command import command
from tests.unit.reteval.documents import answer
from tests.unit.reteval.test_probes import a_probe, a_probe_report

SEARCH = "http://search.example/q"
ANSWER = ProbeAnswer(
    query_id="q1",
    query="reset\nmy password",
    request=SentRequest(method="POST", url=SEARCH, headers={"X-Key": "***"}, body='{"query":"x"}'),
    status=OutcomeStatus.OK,
    http_status=200,
    latency_ms=12.34,
    returned=2,
    hits=({"id": "D1"},),
    ids=("D1", "D2"),
    judged=("d1", "D2"),
    judged_returned=("D2",),
)
FAILED = ProbeAnswer(
    query_id="q2",
    query="refund",
    request=SentRequest(method="GET", url=SEARCH, headers={}, body=None),
    status=OutcomeStatus.FAILED,
    code=FailureCode.INVALID_JSON,
    detail="no JSON",
    answer="x" * 400,
)
UNSENT = ProbeAnswer(query_id="q3", query="late", request=None, status=OutcomeStatus.SKIPPED)


def test_report_shows_everything_once() -> None:
    """Requests, answers, ids, profiles, problems, lists and suggestions, in reading order."""
    overlap = IdOverlap(answers=2, overlap_q=0.5, overlap_id=0.25, chance=0.0)
    side = IdProfile(
        ids=2, shortest=2, longest=2, prefix="D", suffix="", shapes={"A9": 2}, traits={}
    )
    fields = (
        FieldCandidate(path="id", looks_like="id", samples=("D1",), overlap=overlap),
        FieldCandidate(path="score", looks_like="score", samples=("0.5",)),
    )
    report = a_probe_report(
        answers=(ANSWER, FAILED, UNSENT),
        overlap=overlap,
        problems=("1 request: no JSON.",),
        lists=(ListCandidate(path="results", length=2, fields=fields),),
        returned=side,
        judged=side,
        lookup=Lookup(asked=3, found=1, missing=1, failed=1, examples=("d9",)),
        suggestions=(
            Suggestion(
                message="Fold case.",
                patch={"endpoint": {"id_rule": [{"op": "casefold"}]}},
                examples=(IdPair(query_id="q1", returned="D1", judged="d1", both_become="d1"),),
            ),
        ),
    )
    assert probe_lines(report) == [
        "query     q1: reset my password",
        f"sent      POST {SEARCH}",
        "          X-Key: ***",
        '          {"query":"x"}',
        "answer    ok, HTTP 200, 12.3 ms",
        'hit       {"id":"D1"}',
        "ids       D1, D2",
        "judged    d1, D2 (came back)",
        "",
        "query     q2: refund",
        f"sent      GET {SEARCH}",
        "answer    failed, HTTP -, invalid_json: no JSON",
        "          " + "x" * 199 + "…",
        "ids       -",
        "",
        "query     q3: late",
        "answer    skipped, HTTP -",
        "ids       -",
        "",
        (
            "ids       0.50 of 2 answers hold a judged id, 0.25 of the judged ids came back; "
            "by chance 0.00"
        ),
        "returned  2 ids of 2 to 2 characters: A9 (2)",
        "judged    2 ids of 2 to 2 characters: A9 (2)",
        "lookup    1 of 3 judged ids exist, 1 do not, 1 could not be asked for",
        "problem   1 request: no JSON.",
        "list      results (2)",
        "          id: id, overlap 0.50; 'D1'",
        "          score: score; '0.5'",
        "",
        "1. Fold case.",
        '   patch {"endpoint":{"id_rule":[{"op":"casefold"}]}}',
        "   D1 and d1 both become d1",
    ]


def test_probe_sends_url_and_test_set() -> None:
    """The two words of the command become the request; the report is printed."""
    argv = ["probe", SEARCH, "docs", "--header", "X-Key: k", "--depth", "5"]
    code, out, _, service = command(*argv, answers=[answer(a_probe())])
    assert code == 0
    assert out == "ids       nothing is judged for these queries\n"
    assert json.loads(service.requests[0].content) == {
        "endpoint": {"url": SEARCH, "headers": {"X-Key": "k"}},
        "test_set": "docs",
        "depth": 5,
    }


def test_probe_reads_a_description_and_queries(tmp_path: Path) -> None:
    """With a file the one word left is the test set; given queries replace its own."""
    described = tmp_path / "endpoint.json"
    described.write_text(json.dumps({"url": SEARCH, "id": "key"}))
    argv = ["probe", "docs", "--endpoint", str(described), "--query", "a", "--query", "b"]
    _, _, _, service = command(*argv, answers=[answer(a_probe())])
    assert json.loads(service.requests[0].content) == {
        "endpoint": {"url": SEARCH, "id": "key"},
        "test_set": "docs",
        "queries": [{"query": "a"}, {"query": "b"}],
    }


def test_probe_without_anything_to_send_is_wrong_usage() -> None:
    """A URL alone says neither what to ask nor what to expect."""
    code, _, err, service = command("probe", SEARCH, answers=[])
    assert (code, service.requests) == (2, [])
    assert "--query" in err


def test_probe_that_failed_has_its_own_exit_code() -> None:
    """No report: the reason is printed, and the shell is told."""
    failed = a_probe(status=RunStatus.FAILED, report=None, error="worker_crashed")
    code, out, _, _ = command("probe", SEARCH, "docs", answers=[answer(failed)])
    assert (code, out) == (3, "prb_1 failed: worker_crashed\n")


def test_probe_as_json() -> None:
    """The whole document, for programs."""
    code, out, _, _ = command("probe", SEARCH, "docs", "--json", answers=[answer(a_probe())])
    assert code == 0
    assert json.loads(out)["report"]["answers"] == []


def test_probe_whose_ids_meet_leads_to_a_run() -> None:
    """The hint names the same test set and endpoint; headers are secrets, so with them is none."""
    overlap = IdOverlap(answers=1, overlap_q=1.0, overlap_id=1.0)
    for words, hint in (
        ((), f"next: reteval run docs {SEARCH} --label baseline --wait\n"),
        (("--header", "X-Key: k"), ""),
        (("--json",), ""),
    ):
        answers = [answer(a_probe(report=a_probe_report(overlap=overlap)))]
        assert command("probe", SEARCH, "docs", *words, answers=answers)[2] == hint
