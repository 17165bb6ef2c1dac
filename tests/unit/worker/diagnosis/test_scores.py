"""Numbers that are too good, or nothing at all, and rankings that ignore the query."""

from collections.abc import Mapping
from typing import Any

import pytest

from reteval.contract.diagnostics import DiagnosticCode, Severity
from reteval.contract.metrics import Metric
from reteval.contract.outcomes import FailureCode, Outcome
from reteval.contract.testsets import Query
from tests.unit.worker.diagnosis.findings import a_failure, an_answer, codes, find, some_facts
from worker.diagnosis.facts import Mean

Code = DiagnosticCode
RECALL_5 = Metric("recall", 5)


@pytest.mark.parametrize(
    ("recall", "found"),
    [
        (Mean(0.96, 20), True),
        (Mean(0.95, 20), False),
        (Mean(1.0, 19), False),
        (None, False),
    ],
)
def test_score_too_high_at_its_bounds(recall: Mean | None, *, found: bool) -> None:
    """Above 0.95, over 20 queries or more."""
    assert found is (Code.SCORE_TOO_HIGH in codes(some_facts(recall_at_5=recall)))


def test_score_too_high_counts_the_signs_of_its_causes() -> None:
    """Leaks, tuning splits, a tiny corpus and answers in the query, each with its count."""
    queries = [
        Query(id="a", query="x", source="LLM", split="train"),
        Query(id="b", query="How do I reset my Password?", split="dev"),
        Query(id="c", query="y", source="log", split="holdout"),
    ]
    facts = some_facts(
        [an_answer("reset-my-password", "d2"), an_answer("d2"), an_answer("d3")],
        judged=[{"reset-my-password": 1}, {"reset_my_password": 2, "z": 1}, {"y": 1, "----": 1}],
        queries=queries,
        recall_at_5=Mean(1.0, 20),
    )
    finding = find(facts, Code.SCORE_TOO_HIGH)
    assert {
        "leakage": (1, True),
        "tuning_queries": (2, True),
        "tiny_corpus": (3, True),
        "answers_in_query": (1, True),
    } == {row["cause"]: (row["count"], row["seen"]) for row in finding.evidence[1:]}
    assert "leakage, tuning_queries, tiny_corpus, answers_in_query." in finding.message
    assert 1.0 == finding.evidence[0]["mean"]


def test_score_too_high_without_a_sign_says_so() -> None:
    """A useless document that the query spells is no sign, nor are many documents."""
    outcomes = [an_answer(*(f"d{i}.{j}" for j in range(10))) for i in range(10)]
    facts = some_facts(
        outcomes,
        judged=[{"text": 0, "d0.0": 1}] * 10,
        recall_at_5=Mean(1.0, 20),
    )
    finding = find(facts, Code.SCORE_TOO_HIGH)
    assert "none of those" in finding.message
    assert not any(row["seen"] for row in finding.evidence[1:])


@pytest.mark.parametrize(
    ("means", "named"),
    [
        ({RECALL_5: Mean(0.99, 20)}, ["recall@5"]),
        ({RECALL_5: Mean(0.989, 20)}, []),
        ({RECALL_5: Mean(1.0, 19)}, []),
        ({Metric("recall", 1): Mean(1.0, 20), RECALL_5: Mean(0.5, 20)}, []),
        (
            {Metric("hit_rate", 3): Mean(0.99, 20), RECALL_5: Mean(1, 20)},
            ["recall@5", "hit_rate@3"],
        ),
        ({Metric("ndcg", 10): Mean(1.0, 20)}, []),
    ],
)
def test_saturated_at_the_largest_cutoff(means: Mapping[Metric, Mean], named: list[str]) -> None:
    """Recall or hit rate of 0.99 over 20 queries, where a larger cut-off cannot help."""
    facts = some_facts(metrics=list(means), means=means)
    rows = [r for f in [*_findings(facts, Code.SATURATED)] for r in f.evidence]
    assert named == [row["metric"] for row in rows]


def test_saturated_needs_a_mean() -> None:
    """A metric that is defined for no query saturates nothing."""
    assert Code.SATURATED not in codes(some_facts(metrics=[RECALL_5], means={}))


ZERO = {RECALL_5: Mean(0.0, 3), Metric("mrr", 5): Mean(0.0, 3)}


def zero_facts(outcomes: list[Outcome], judged: list[Any], **changes: Any) -> Any:
    """Build the facts of a run whose every metric is 0."""
    return some_facts(
        outcomes, judged, metrics=[*ZERO, Metric("judged", 10)], means=ZERO, **changes
    )


@pytest.mark.parametrize(
    ("outcome", "judged", "cause", "words"),
    [
        (an_answer(), {"a": 1}, "empty_answer", '"hits"'),
        (an_answer("x", "a"), {"a": 2}, "beyond_cutoff", "cut-offs"),
        (an_answer("x", "a"), {"a": 1, "b": 2}, "below_relevant_from", "relevant_from"),
        (an_answer("x", "a"), {"a": 0, "b": 2}, "judged_not_relevant", "grades run"),
        (an_answer("x", "known"), {"b": 2}, "judged_for_other_queries", "rows may have shifted"),
        (an_answer("x", returned=9), {"b": 2}, "beyond_depth", '"depth"'),
        (an_answer("x"), {"b": 2}, "not_found", "index holds"),
    ],
)
def test_metric_zero_names_what_stood_in_the_way(
    outcome: Outcome, judged: dict[str, int], cause: str, words: str
) -> None:
    """The most frequent fate of the answers decides the fix; each has an example."""
    facts = zero_facts(
        [outcome, outcome, an_answer("known-2"), a_failure(FailureCode.TIMEOUT)],
        [judged, judged, {"known": 2, "known-2": 0}, {"a": 2}],
        relevant_from=2,
    )
    finding = find(facts, Code.METRIC_ZERO)
    assert Severity.WARN is finding.severity
    assert words in finding.fix
    assert (cause, "q0") == (finding.evidence[0]["cause"], finding.evidence[0]["query_id"])
    assert "3 answers" in finding.message


def test_metric_zero_blocks_when_nothing_came_back() -> None:
    """Two runs without any hit would look like no change; a gate must refuse them."""
    finding = find(zero_facts([an_answer(), an_answer()], [{"a"}, {"b"}]), Code.METRIC_ZERO)
    assert Severity.BLOCK is finding.severity
    assert "2 held nothing." in finding.message


@pytest.mark.parametrize(
    "means",
    [
        {RECALL_5: Mean(0.0, 3), Metric("mrr", 5): Mean(0.001, 3)},
        {},
        {Metric("judged", 10): Mean(0.0, 3)},
    ],
    ids=["one is not 0", "nothing answered", "coverage is no effectiveness"],
)
def test_metric_zero_is_not_claimed(means: Mapping[Metric, Mean]) -> None:
    """One metric above 0, or no number at all, and there is nothing to explain."""
    metrics = [RECALL_5, Metric("mrr", 5), Metric("judged", 10)]
    facts = some_facts([an_answer("a")], metrics=metrics, means=means)
    assert Code.METRIC_ZERO not in codes(facts)


def test_metric_zero_yields_to_id_mismatch() -> None:
    """Where no id can ever meet, that is the whole story."""
    found = codes(zero_facts([an_answer("x")], [{"a"}]))
    assert Code.ID_MISMATCH in found
    assert not {Code.METRIC_ZERO, Code.LOW_JUDGED}.intersection(found)


def distinct(n: int, start: int = 0) -> list[Outcome]:
    """Build answers that have nothing in common."""
    return [an_answer(f"d{i}", f"e{i}") for i in range(start, start + n)]


@pytest.mark.parametrize(
    ("outcomes", "found"),
    [
        ([an_answer("a", "b")] * 10, True),
        ([an_answer("a", "b")] * 9, False),
        ([an_answer("a", "b")] * 6 + distinct(4), True),
        ([an_answer("a", "b")] * 5 + distinct(5), False),
        ([an_answer("b", "a")] * 3 + [an_answer("a", "b")] * 3 + distinct(4), False),
        ([an_answer("a", f"d{i}") for i in range(9)] + distinct(1), True),
        ([an_answer("a", f"d{i}") for i in range(8)] + distinct(2), False),
        ([an_answer("a")] * 6 + distinct(4), False),
        ([an_answer()] * 20, False),
        (distinct(20), False),
    ],
)
def test_constant_ranking_at_its_bounds(outcomes: list[Outcome], *, found: bool) -> None:
    """More than half the same list, or nine in ten with the same first document."""
    facts = some_facts(outcomes, judged=[{"d0": 1, "r": 1}] * len(outcomes))
    assert found is (Code.CONSTANT_RANKING in codes(facts))


def test_constant_ranking_shows_the_document() -> None:
    """The message names what is always there, the evidence where."""
    outcomes = [an_answer("top", f"d{i}") for i in range(10)]
    finding = find(some_facts(outcomes, judged=[{"d0", "z"}] * 10), Code.CONSTANT_RANKING)
    assert "10 of 10 answers have document 'top' first" in finding.message
    assert {"query_id": "q0", "first": ["top", "d0"]} == finding.evidence[0]


def test_constant_first_document_may_be_right() -> None:
    """A set whose queries mostly want one document is no fault of the ranking."""
    outcomes = [an_answer("top", f"d{i}") for i in range(10)]
    judged = [{"top", "z"}] * 5 + [{"d0", "z"}] * 5
    assert Code.CONSTANT_RANKING not in codes(some_facts(outcomes, judged))


def _findings(facts: Any, code: DiagnosticCode) -> list[Any]:
    return [find(facts, code)] if code in codes(facts) else []
