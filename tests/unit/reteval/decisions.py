"""Comparisons, verdicts and power as the service answers them."""

from typing import Any

import msgspec

from reteval.contract.comparisons import (
    Comparison,
    ComparisonReport,
    Difference,
    LatencyChange,
    ListOverlap,
    MetricComparison,
    Mover,
    Power,
    Side,
    Significance,
    SliceComparison,
    Verdict,
)
from reteval.contract.gates import (
    Gate,
    GateOutcome,
    GatePending,
    GateReason,
    GateRun,
    GateVerdict,
    RuleResult,
    RuleStatus,
)
from reteval.contract.power import DetectablePoint, PowerAnswer
from reteval.contract.runs import RunStatus
from tests.unit.reteval.documents import PINNED


def a_difference(
    mean: float | None = -0.01, ci: tuple[float, float] | None = (-0.03, 0.01), **changes: Any
) -> Difference:
    """Return a small drop that may be none."""
    difference = Difference(
        mean=mean, ci=ci, level=0.95, method="t", sd=0.1, equivalence=(-0.02, 0.0)
    )
    return msgspec.structs.replace(difference, **changes)


def a_metric(difference: Difference | None = None, n: int = 49) -> MetricComparison:
    """Return one metric of a comparison."""
    return MetricComparison(
        n=n,
        baseline=0.82,
        candidate=0.81,
        difference=difference or a_difference(),
        significance=Significance(p=0.3, p_holm=0.6, exact=False, flips=9_999),
        effect=-0.1,
        wins=10,
        ties=29,
        losses=10,
        power=Power(detectable=0.04, for_margin=0.5, sentence="You could see 0.04."),
        verdict=Verdict.INCONCLUSIVE,
    )


def a_side(run: str, label: str) -> Side:
    """Return one run of a comparison."""
    return Side(
        run=run,
        label=label,
        status=RunStatus.COMPLETED,
        test_set=PINNED,
        answered=49,
        timestamp="2026-01-01T00:00:00Z",
    )


def a_comparison_report(**changes: Any) -> ComparisonReport:
    """Return what comparing run_1 with run_0 found."""
    report = ComparisonReport(
        id="cmp_1",
        baseline=a_side("run_0", "main"),
        candidate=a_side("run_1", "branch"),
        primary="recall@5",
        verdict=Verdict.NO_CHANGE,
        sentence="No change within 0.02.",
        n_common=49,
        dropped={},
        metrics={"recall@5": a_metric(), "mrr": a_metric()},
        slices={
            "tag:faq": SliceComparison(
                n=20, baseline=0.8, candidate=0.7, difference=a_difference(-0.1, (-0.2, -0.05))
            )
        },
        movers=(Mover(query_id="q1", query="a\nb", baseline=1, candidate=0, difference=-1),),
        overlap=ListOverlap(rbo=0.9, p=0.9, jaccard=0.8, k=10, top1_same=0.9, identical=0.5, n=49),
        latency=LatencyChange(
            n=49,
            baseline_p50=1,
            candidate_p50=2,
            baseline_p95=3,
            candidate_p95=4,
            mean_difference=1,
        ),
        warnings=(),
        definitions={},
        seed=0,
        margin=0.02,
        alpha=0.05,
    )
    return msgspec.structs.replace(report, **changes)


def a_comparison(**changes: Any) -> Comparison:
    """Return a comparison that has ended well."""
    comparison = Comparison(
        id="cmp_1",
        status=RunStatus.COMPLETED,
        baseline="run_0",
        candidate="run_1",
        created_at="2026-01-01T00:00:00Z",
        report=a_comparison_report(),
    )
    return msgspec.structs.replace(comparison, **changes)


def a_pending_comparison() -> Comparison:
    """Return a comparison that goes on."""
    return a_comparison(status=RunStatus.RUNNING, report=None, poll_after_s=0.5)


def a_rule(**changes: Any) -> RuleResult:
    """Return a floor that does not hold."""
    rule = RuleResult(
        pointer="/floors/0",
        rule="recall@5 is at least 0.9 (by point)",
        status=RuleStatus.FAIL,
        reason=GateReason.BELOW_FLOOR,
        message="0.81 is below 0.9",
        observed=0.81,
        interval=(0.74, 0.88),
        threshold=0.9,
        n=49,
    )
    return msgspec.structs.replace(rule, **changes)


def a_gate_run(**changes: Any) -> GateRun:
    """Return run_1 as a gate saw it."""
    run = GateRun(
        id="run_1",
        label="branch",
        status=RunStatus.COMPLETED,
        test_set=PINNED,
        timestamp="2026-01-01T00:00:00Z",
    )
    return msgspec.structs.replace(run, **changes)


def a_verdict(**changes: Any) -> GateVerdict:
    """Return a gate that fails on one of two rules."""
    passed = a_rule(
        pointer="/run",
        rule="the run has completed",
        status=RuleStatus.PASS,
        reason=GateReason.HOLDS,
        message="it is completed",
        observed=None,
        interval=None,
        threshold=None,
        n=None,
    )
    verdict = GateVerdict(
        verdict=GateOutcome.FAIL,
        exit_code=1,
        sentence="The gate fails.",
        name="gate",
        run=a_gate_run(),
        baseline=a_gate_run(id="run_0", label="main"),
        comparisons=("cmp_1",),
        rules=(passed, a_rule()),
        gate=Gate(),
    )
    return msgspec.structs.replace(verdict, **changes)


def a_pending_gate() -> GatePending:
    """Return a gate that waits for a comparison."""
    return GatePending(
        status="pending",
        waiting_for=("cmp_1",),
        links={"cmp_1": "/v1/comparisons/cmp_1"},
        poll_after_s=1.0,
    )


def a_power_answer(**changes: Any) -> PowerAnswer:
    """Return what 50 queries of the usual spread can show."""
    answer = PowerAnswer(
        sigma=0.2,
        metric=None,
        pairs=None,
        alpha=0.05,
        power=0.8,
        delta=0.05,
        needed=128,
        n=50,
        detectable=0.081,
        achieved=0.41,
        curve=(DetectablePoint(n=1, detectable=None), DetectablePoint(n=50, detectable=0.081)),
        sentence="With 50 queries you can see ±0.081; for ±0.05 you need 128.",
        method="t",
    )
    return msgspec.structs.replace(answer, **changes)
