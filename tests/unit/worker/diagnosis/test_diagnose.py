"""Findings about a run: each appears when it must, and not a moment earlier."""

import pytest
from msgspec import json

from reteval.contract.diagnostics import DiagnosticCode, Severity
from reteval.contract.metrics import Metric
from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus
from tests.unit.worker.diagnosis.findings import a_failure, an_answer, codes, find, some_facts
from worker.diagnosis.facts import Mean
from worker.diagnosis.run import diagnose

Code = DiagnosticCode


def test_diagnose_says_nothing_of_a_sound_run() -> None:
    """No finding without a cause."""
    assert diagnose(some_facts()) == ()


def test_diagnose_of_no_queries() -> None:
    """A run without queries has nothing to find but its happy path."""
    assert codes(some_facts(outcomes=[], variants=0)) == [Code.HAPPY_PATH_ONLY]


def test_every_finding_is_complete() -> None:
    """A message, a fix and one to five rows of evidence, all of it JSON."""
    outcomes = [
        an_answer("x", "x", returned=12),
        *(an_answer() for _ in range(7)),
        *(a_failure(FailureCode.TIMEOUT) for _ in range(7)),
    ]
    facts = some_facts(
        outcomes,
        judged=[{"a"}] * len(outcomes),
        grades={"0": 4, "1": 4},
        recall_at_5=Mean(0.99, 50),
        variants=0,
        metrics=[Metric("ndcg", 10), Metric("recall", 5)],
        means={Metric("ndcg", 10): Mean(0, 30), Metric("recall", 5): Mean(0, 30)},
    )
    findings = diagnose(facts)
    assert [finding.code for finding in findings] == [
        Code.ID_MISMATCH,
        Code.FAILED_REQUESTS,
        Code.SCORE_TOO_HIGH,
        Code.BINARY_ONLY,
        Code.ONE_RELEVANT_EACH,
        Code.DUPLICATE_HITS,
        Code.DEPTH_SHORTFALL,
        Code.LONG_ANSWERS_CUT,
        Code.HAPPY_PATH_ONLY,
    ]
    for finding in findings:
        assert finding.message.endswith(".")
        assert finding.fix.endswith(".")
        assert 1 <= len(finding.evidence) <= 5
        json.encode(finding)


@pytest.mark.parametrize(
    ("outcomes", "judged"),
    [
        ([an_answer("x"), an_answer("b")], [{"a"}, {"b"}]),
        ([an_answer("b"), an_answer("x")], [{"a"}, {"b"}]),
        ([an_answer(), an_answer()], [{"a"}, {"b"}]),
        ([a_failure(FailureCode.CONNECT)], [{"a"}]),
        ([an_answer("x")], [set[str]()]),
    ],
    ids=["one match", "another query's document", "all empty", "all failed", "none judged"],
)
def test_id_mismatch_is_not_claimed(outcomes: list[Outcome], judged: list[set[str]]) -> None:
    """One known id, or nothing to compare, and the ids are not to blame."""
    assert Code.ID_MISMATCH not in codes(some_facts(outcomes, judged=judged))


def test_happy_path_only_when_no_variant_was_planned() -> None:
    """It is a note, not a warning."""
    finding = find(some_facts(variants=0), Code.HAPPY_PATH_ONLY)
    assert finding.severity is Severity.INFO
    assert "1 clean query " in finding.message


def test_duplicate_hits_names_the_most_repeated() -> None:
    """Answers and repeats are both counted."""
    facts = some_facts([an_answer("a", "b", "b", "b", "a"), an_answer("c")])
    finding = find(facts, Code.DUPLICATE_HITS)
    assert "1 answer returned" in finding.message
    assert "3 hits in all" in finding.message
    assert finding.evidence == ({"query_id": "q0", "id": "b", "times": 3},)


def test_long_answers_cut_counts_from_the_record() -> None:
    """`returned` before the cut against the ids that were kept."""
    finding = find(some_facts([an_answer("a", returned=30)]), Code.LONG_ANSWERS_CUT)
    assert finding.evidence == ({"query_id": "q0", "returned": 30, "kept": 1},)


@pytest.mark.parametrize(
    ("sizes", "depth", "severity", "words"),
    [
        ([5, 2, 0], 10, Severity.INFO, "rightly found no more"),
        ([3, 3], 10, Severity.WARN, "cap its answers"),
        ([3, 3], 3, Severity.WARN, 'Raise "depth" from 3 to 5'),
    ],
    ids=["some reach it", "none does", "the depth is in the way"],
)
def test_depth_shortfall_by_its_cause(
    sizes: list[int], depth: int, severity: Severity, words: str
) -> None:
    """Short answers weigh more when no answer reaches the cut-off."""
    outcomes = [an_answer(*(f"d{i}" for i in range(size))) for size in sizes]
    facts = some_facts(outcomes, depth=depth, metrics=[Metric("mrr"), Metric("recall", 5)])
    finding = find(facts, Code.DEPTH_SHORTFALL)
    assert finding.severity is severity
    assert words in finding.fix


def test_depth_shortfall_needs_a_cutoff() -> None:
    """Without cut-offs no answer is short."""
    assert Code.DEPTH_SHORTFALL not in codes(some_facts([an_answer()], metrics=[Metric("mrr")]))


def test_failed_requests_counts_by_code() -> None:
    """Each code with its number, most frequent first, and advice for each."""
    facts = some_facts(
        [
            an_answer("a"),
            a_failure(FailureCode.HTTP_5XX, http_status=503, detail="x" * 1_000),
            a_failure(FailureCode.TIMEOUT),
            a_failure(FailureCode.TIMEOUT),
            Outcome(status=OutcomeStatus.SKIPPED, code=FailureCode.CIRCUIT_OPEN),
        ]
    )
    finding = find(facts, Code.FAILED_REQUESTS)
    assert "4 of 5 requests" in finding.message
    assert "2 timeout, 1 http_5xx, 1 circuit_open; 1 of them never sent" in finding.message
    assert finding.fix.startswith('Raise "limits.timeout_s"')
    assert "log" in finding.fix
    assert finding.evidence[0] == {
        "query_id": "q1",
        "status": "failed",
        "code": "http_5xx",
        "http_status": 503,
        "detail": "x" * 200,
    }


def test_failed_requests_without_a_code() -> None:
    """A skipped request that names no code still counts, under its status."""
    finding = find(some_facts([Outcome(status=OutcomeStatus.SKIPPED)]), Code.FAILED_REQUESTS)
    assert "1 skipped" in finding.message


def test_failed_requests_of_a_rescored_run_are_not_retried() -> None:
    """Queries that the parent never sent need a run of their own."""
    finding = find(some_facts([a_failure(FailureCode.NOT_IN_PARENT)]), Code.FAILED_REQUESTS)
    assert finding.fix.startswith("Start a new run")
    assert "retry" not in finding.fix


@pytest.mark.parametrize("code", FailureCode)
def test_failed_requests_knows_a_fix_for_each_code(code: FailureCode) -> None:
    """No failure leaves its reader without a next step of its own."""
    known = find(some_facts([a_failure(code)]), Code.FAILED_REQUESTS).fix
    unknown = find(some_facts([a_failure(None)]), Code.FAILED_REQUESTS).fix
    assert known != unknown
