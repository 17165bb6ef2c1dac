"""From evidence and scores to everything a report says besides numbers."""

from collections.abc import Sequence

import numpy as np
import pytest

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from reteval.contract.metrics import Metric
from reteval.contract.outcomes import Outcome
from reteval.contract.testsets import Query, Scale, TestSet, TestSetStats
from tests.unit.worker.pipeline.answers import hits, many
from worker.diagnosis.facts import Mean
from worker.pipeline.findings import find_all, mean_of
from worker.pipeline.plan import build_plan
from worker.pipeline.scoring import score_queries

Code = DiagnosticCode
FEW = Diagnostic(code=Code.FEW_QUERIES, severity=Severity.WARN, message="few", fix="add")
METRICS = [Metric("recall", 5), Metric("judged", 10)]


def findings(
    queries: Sequence[Query], outcomes: Sequence[Outcome], *, egress: str = "public"
) -> tuple[Diagnostic, ...]:
    """Score answers and find what is to be said about them."""
    test_set = TestSet(
        id="ts_1",
        name="set",
        version=1,
        hash="sha256:0",
        created_at="",
        scale=Scale(),
        relevant_from=1,
        language="",
        id_rule="",
        allow_unscorable=False,
        stats=TestSetStats(
            queries=len(queries),
            scorable=len(queries),
            unscorable=0,
            expect_nothing=0,
            variants=0,
            judgments=len(queries),
            grades={"1": len(queries)},
        ),
        warnings=(FEW,),
    )
    plan = build_plan(queries, None, relevant_from=1)
    scores = score_queries(plan.scorable, outcomes, METRICS, depth=10, relevant_from=1)
    return find_all(
        scores, test_set=test_set, plan=plan, outcomes=outcomes, depth=10, egress=egress
    )


def codes(found: Sequence[Diagnostic]) -> list[DiagnosticCode]:
    """Return the codes in order."""
    return [finding.code for finding in found]


def test_run_carries_the_warnings_of_its_test_set() -> None:
    """`few_queries` is found at upload and stands first in every run."""
    found = findings(many(3), [hits("right-q0"), hits("x", "right-q1"), hits("y")])
    assert FEW == found[0]
    assert Code.ONE_RELEVANT_EACH in codes(found)


def test_perfect_answers_are_suspicious() -> None:
    """Twenty right answers in a row: too high, saturated, one relevant document each."""
    found = findings(many(20), [hits(f"right-q{n}") for n in range(20)])
    assert [
        Code.FEW_QUERIES,
        Code.SCORE_TOO_HIGH,
        Code.ONE_RELEVANT_EACH,
        Code.SATURATED,
        Code.DEPTH_SHORTFALL,
        Code.HAPPY_PATH_ONLY,
    ] == codes(found)


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [(hits(), Code.METRIC_ZERO), (hits("z"), Code.ID_MISMATCH), (hits("right-q1"), None)],
)
def test_zeros_are_told_apart(outcome: Outcome, expected: DiagnosticCode | None) -> None:
    """Nothing returned, ids that never match, and numbers that are simply low."""
    found = codes(findings(many(3), [outcome] * 3))
    assert [expected] * bool(expected) == [
        code for code in found if code in (Code.METRIC_ZERO, Code.ID_MISMATCH)
    ]


def test_loopback_is_told_last() -> None:
    """Where the deployment may call this machine, each run says so."""
    found = findings(many(1), [hits("right-q0")], egress="loopback")
    assert Code.LOOPBACK_ALLOWED is found[-1].code


def test_mean_leaves_out_what_is_undefined() -> None:
    """NaN is no value; without any value there is no mean."""
    assert Mean(0.75, 2) == mean_of(np.array([0.5, np.nan, 1.0]))
    assert mean_of(np.array([np.nan])) is None
