"""Judgments that cannot carry the metrics asked for."""

import pytest

from reteval.contract.diagnostics import DiagnosticCode, Severity
from reteval.contract.metrics import Metric
from reteval.contract.outcomes import FailureCode
from tests.unit.worker.diagnosis.findings import a_failure, an_answer, codes, find, some_facts

Code = DiagnosticCode
NDCG = Metric("ndcg", 1)
MRR = Metric("mrr")
JUDGED = Metric("judged", 10)


@pytest.mark.parametrize(
    ("grades", "metric", "found"),
    [
        ({"1": 9}, NDCG, True),
        ({"-1": 1, "0": 9, "3": 2}, Metric("ndcg_exp", 1), True),
        ({"1": 9, "2": 0}, NDCG, True),
        ({"1": 9, "2": 1}, NDCG, False),
        ({"1": 9}, MRR, False),
        ({}, NDCG, False),
    ],
)
def test_binary_only_when_graded_metrics_meet_one_grade(
    grades: dict[str, int], metric: Metric, *, found: bool
) -> None:
    """Only a graded metric over a single positive grade is worth a word."""
    assert found is (Code.BINARY_ONLY in codes(some_facts(grades=grades, metrics=[metric])))


@pytest.mark.parametrize(
    ("grades", "metrics", "severity"),
    [
        ({"1": 19, "2": 1}, [NDCG], Severity.WARN),
        ({"1": 18, "2": 2}, [NDCG], None),
        ({"1": 18, "2": 1}, [NDCG], None),
        ({"0": 50, "1": 10, "2": 10}, [NDCG, MRR], None),
        ({"1": 10, "2": 10}, [MRR], Severity.INFO),
        ({"1": 19, "2": 1}, [MRR], None),
        ({"1": 20}, [MRR], None),
        ({"1": 10, "2": 10}, [JUDGED], None),
    ],
    ids=[
        "one grade rules",
        "two are used",
        "too few to say",
        "sound",
        "nothing reads them",
        "nothing lost",
        "binary",
        "no effectiveness",
    ],
)
def test_graded_collapsed_by_its_cause(
    grades: dict[str, int], metrics: list[Metric], severity: Severity | None
) -> None:
    """Grades that are nearly all alike, or that no metric of the run reads."""
    facts = some_facts(grades=grades, metrics=metrics)
    found = find(facts, Code.GRADED_COLLAPSED) if Code.GRADED_COLLAPSED in codes(facts) else None
    assert severity is (found and found.severity)


def test_graded_collapsed_shows_the_grades() -> None:
    """Best grade first, with its judgments."""
    facts = some_facts(grades={"0": 9, "1": 10, "3": 12}, metrics=[MRR])
    expected = ({"grade": 3, "judgments": 12}, {"grade": 1, "judgments": 10})
    assert expected == find(facts, Code.GRADED_COLLAPSED).evidence


def test_one_relevant_each_counts_from_the_threshold() -> None:
    """Exactly one document of grade `relevant_from` or more, whatever else is judged."""
    outcomes = [an_answer("a"), a_failure(FailureCode.TIMEOUT)]
    judged = [{"a": 3, "b": 1, "c": 0}, {"d": 2}]
    finding = find(some_facts(outcomes, judged, relevant_from=2), Code.ONE_RELEVANT_EACH)
    assert Severity.INFO is finding.severity
    expected = ({"query_id": "q0", "relevant": "a"}, {"query_id": "q1", "relevant": "d"})
    assert expected == finding.evidence
    assert Code.ONE_RELEVANT_EACH not in codes(some_facts(outcomes, judged))


def test_one_relevant_each_needs_queries() -> None:
    """An empty set has nothing in common."""
    assert Code.ONE_RELEVANT_EACH not in codes(some_facts([]))


@pytest.mark.parametrize(
    ("judged", "severity"),
    [
        (8, None),
        (7, Severity.INFO),
        (5, Severity.INFO),
        (4, Severity.WARN),
    ],
)
def test_low_judged_at_its_bounds(judged: int, severity: Severity | None) -> None:
    """A note below 0.8, a warning below 0.5."""
    ids = [f"d{i}" for i in range(10)]
    facts = some_facts([an_answer(*ids)] * 2, judged=[{*ids[:judged], "z"}] * 2)
    found = find(facts, Code.LOW_JUDGED) if Code.LOW_JUDGED in codes(facts) else None
    assert severity is (found and found.severity)


def test_low_judged_says_what_would_lift_it() -> None:
    """The cheapest number of labels to 0.8, and all; short answers and repeats count once."""
    outcomes = [
        an_answer("a", "b", "b", *(f"d{i}" for i in range(12))),
        an_answer("x", "y"),
        an_answer(),
    ]
    facts = some_facts(outcomes, judged=[{"a": 1, "m": 1}, {"x": 0, "m": 1}, {"m": 1, "n": 1}])
    finding = find(facts, Code.LOW_JUDGED)
    # 1 of 9 and 1 of 2: one label in the second answer, then 5 of the first, reach 0.8.
    assert "judged@10 is 0.31 over 2 answers" in finding.message
    assert "Judge 6 (query, document) pairs to lift it to 0.8, 9 for all" in finding.fix
    assert {
        "query_id": "q0",
        "judged": 1,
        "of": 9,
        "unjudged": ["b", "d0", "d1"],
    } == finding.evidence[0]


def test_low_judged_looks_no_deeper_than_the_run() -> None:
    """Of a run of depth 3 the first three places count."""
    facts = some_facts([an_answer("a", "x", "y", "b")], judged=[{"a", "b"}], depth=3)
    assert "judged@3 is 0.33" in find(facts, Code.LOW_JUDGED).message
