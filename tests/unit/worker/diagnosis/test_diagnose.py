"""Findings about a run: each appears when it must, and not a moment earlier."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec import json, structs

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from reteval.contract.metrics import Metric
from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus
from worker.diagnosis.facts import RunFacts
from worker.diagnosis.run import diagnose

Code = DiagnosticCode


def an_answer(*ids: str, returned: int | None = None) -> Outcome:
    """Build a valid answer, empty or not."""
    status = OutcomeStatus.OK if ids else OutcomeStatus.OK_EMPTY
    return Outcome(
        status=status, ids=list(ids), returned=len(ids) if returned is None else returned
    )


def a_failure(code: FailureCode | None, **more: Any) -> Outcome:
    """Build a failed request."""
    return Outcome(status=OutcomeStatus.FAILED, code=code, **more)


def some_facts(
    outcomes: Sequence[Outcome] = (an_answer("a"),),
    judged: Sequence[set[str]] | None = None,
    **changes: Any,
) -> RunFacts:
    """Build the facts of a run without findings; by default each answer is right."""
    facts = RunFacts(
        query_ids=[f"q{i}" for i in range(len(outcomes))],
        outcomes=outcomes,
        judged=[set(outcome.ids) or {"a"} for outcome in outcomes] if judged is None else judged,
        grades={"1": 2, "3": 5},
        metrics=[Metric("mrr"), Metric("ndcg", 1)],
        depth=10,
        recall_at_5=0.5,
        recall_queries=50,
        variants=9,
    )
    return structs.replace(facts, **changes)


def find(facts: RunFacts, code: DiagnosticCode) -> Diagnostic:
    """Return the one finding of a code."""
    (finding,) = [finding for finding in diagnose(facts) if finding.code is code]
    return finding


def codes(facts: RunFacts) -> list[DiagnosticCode]:
    """List what is found."""
    return [finding.code for finding in diagnose(facts)]


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
        recall_at_5=0.99,
        variants=0,
        metrics=[Metric("ndcg", 10)],
    )
    findings = diagnose(facts)
    assert [finding.code for finding in findings] == [
        Code.ID_MISMATCH,
        Code.FAILED_REQUESTS,
        Code.SCORE_TOO_HIGH,
        Code.BINARY_ONLY,
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
    ("returned", "judged", "cause"),
    [
        (" 42", "42", "white space"),
        ("doc-a", "DOC-A", "upper and lower case"),
        ("42.0", "42", "numbers against strings"),
        ("00042", "42", "zero padding"),
        ("0", "000", "zero padding"),
        ("index/42#chunk3", "42", "a path or a chunk number"),
        ("42", "help:42", "a path or a chunk number"),
        ("doc-0042", "42", "around the number"),
    ],
)
def test_id_mismatch_names_the_likely_cause(returned: str, judged: str, cause: str) -> None:
    """Where a respelling would make ids meet, the fix says which; it is never applied."""
    facts = some_facts([an_answer("zzz", returned)], judged=[{judged}])
    finding = find(facts, Code.ID_MISMATCH)
    assert finding.severity is Severity.BLOCK
    assert cause in finding.fix
    assert finding.evidence == (
        {"query_id": "q0", "returned": ["zzz", returned], "judged": [judged]},
    )


def test_id_mismatch_without_a_visible_cause() -> None:
    """Ids with nothing in common: the usual causes are listed, the id field first."""
    finding = find(some_facts([an_answer("x")], judged=[{"a"}]), Code.ID_MISMATCH)
    assert "wrong field" in finding.fix
    assert '"document.key"' in finding.fix


def test_id_mismatch_takes_the_cause_of_most_queries() -> None:
    """One accident does not outweigh the pattern of the others."""
    facts = some_facts(
        [an_answer("A"), an_answer("x/1"), an_answer("x/2")], judged=[{"a"}, {"1"}, {"2"}]
    )
    fix = find(facts, Code.ID_MISMATCH).fix
    assert "prefix or suffix on one side, such as a path" in fix
    assert "2 of 3 answers" in fix


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


@pytest.mark.parametrize(
    ("mean", "n", "found"),
    [(0.96, 20, True), (0.95, 20, False), (1.0, 19, False), (None, 0, False)],
)
def test_score_too_high_at_its_bounds(mean: float | None, n: int, *, found: bool) -> None:
    """Above 0.95, over 20 queries or more."""
    facts = some_facts(recall_at_5=mean, recall_queries=n)
    assert (Code.SCORE_TOO_HIGH in codes(facts)) is found


@pytest.mark.parametrize(
    ("grades", "metric", "found"),
    [
        ({"1": 9}, Metric("ndcg", 1), True),
        ({"-1": 1, "0": 9, "3": 2}, Metric("ndcg_exp", 1), True),
        ({"1": 9, "2": 0}, Metric("ndcg", 1), True),
        ({"1": 9, "2": 1}, Metric("ndcg", 1), False),
        ({"1": 9}, Metric("mrr"), False),
        ({}, Metric("ndcg", 1), False),
    ],
)
def test_binary_only_when_graded_metrics_meet_one_grade(
    grades: dict[str, int], metric: Metric, *, found: bool
) -> None:
    """Only a graded metric over a single positive grade is worth a word."""
    assert (Code.BINARY_ONLY in codes(some_facts(grades=grades, metrics=[metric]))) is found


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
    assert diagnose(some_facts([an_answer()], metrics=[Metric("mrr")])) == ()


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


@pytest.mark.parametrize("code", FailureCode)
def test_failed_requests_knows_a_fix_for_each_code(code: FailureCode) -> None:
    """No failure leaves its reader without a next step of its own."""
    known = find(some_facts([a_failure(code)]), Code.FAILED_REQUESTS).fix
    unknown = find(some_facts([a_failure(None)]), Code.FAILED_REQUESTS).fix
    assert known != unknown
