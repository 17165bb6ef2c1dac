"""Evidence in, report out: the whole of a run's numbers. No store, no clock, no network."""

from array import array
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, Final

import numpy as np
from msgspec import UNSET, Struct, UnsetType

from reteval.contract.diagnostics import Diagnostic
from reteval.contract.limits import MAX_SLICES
from reteval.contract.metrics import Metric, parse_metric
from reteval.contract.outcomes import Outcome
from reteval.contract.results import Counts, MetricSummary, Partial, Results
from reteval.contract.runs import AdversarialRequest, RunRequest, RunStatus, TestSetRef
from reteval.contract.stability import Stability
from reteval.contract.testsets import TestSet
from reteval.contract.unjudged import UnjudgedHits
from worker.metrics.definitions import definitions
from worker.pipeline.findings import find_all
from worker.pipeline.latency import summarise_latency
from worker.pipeline.pairing import Evidence
from worker.pipeline.plan import Plan
from worker.pipeline.robustness import robustness
from worker.pipeline.scoring import (
    Scores,
    count_effort,
    count_outcomes,
    score_queries,
    slice_metrics,
    summarise_metrics,
)
from worker.pipeline.stability import Yardstick, measure_stability
from worker.pipeline.unjudged import list_unjudged
from worker.pipeline.variants import value_variants

VARIANT_VALUE: Final = "variant:value"
VARIANT_CLEAN: Final = "variant:clean"
DEFAULT_METRIC: Final = AdversarialRequest().metric


class RunEvidence(Struct, frozen=True, kw_only=True):
    """Everything a report is made of. `outcomes` are parallel to the plan's requests.

    `stopped` is why requests were held back, if they were; `found` is what sending them showed.
    """

    run_id: str
    created_at: str
    request: RunRequest
    metrics: tuple[Metric, ...]
    depth: int
    egress: str
    code_version: str
    test_set: TestSet
    plan: Plan
    outcomes: Sequence[Outcome]
    cancelled: bool = False
    stopped: str = ""
    found: tuple[Diagnostic, ...] = ()


class Evaluation(Struct, frozen=True, kw_only=True):
    """A report, and per-query values as float64 columns (NaN: undefined) in plan order.

    `unjudged` is parallel to the queries of the test set; empty where the run has no numbers.
    """

    report: Results
    error: str
    columns: Mapping[str, "array[float]"]
    unjudged: Sequence[UnjudgedHits]


class Verdict(Struct, frozen=True):
    """How a run ended, and why it has no numbers if it has none."""

    status: RunStatus
    reason: str = ""


def evaluate(evidence: RunEvidence) -> Evaluation:
    """Make the report of a run whose requests have all ended."""
    plan, outcomes = evidence.plan, evidence.outcomes
    clean = outcomes[: plan.clean]
    scores = score_queries(
        plan.scorable,
        clean[: len(plan.scorable)],
        evidence.metrics,
        depth=evidence.depth,
        relevant_from=evidence.test_set.relevant_from,
        scale_max=evidence.test_set.scale.max,
    )
    counts = count_outcomes(
        clean,
        depth=evidence.depth,
        unscorable=evidence.test_set.stats.unscorable,
        largest_k=max((metric.k or 0 for metric in evidence.metrics), default=0),
    )
    verdict = judge(counts, max_error_rate=evidence.request.limits.max_error_rate)
    if evidence.stopped:
        verdict = Verdict(RunStatus.FAILED, evidence.stopped)
    if evidence.cancelled:
        verdict = Verdict(RunStatus.CANCELLED, "cancelled")
    attacked = _gather_attack(evidence)
    return Evaluation(
        report=_report(evidence, scores, counts, verdict, attacked),
        error=verdict.reason,
        columns=_columns(evidence, scores, attacked),
        unjudged=[]
        if verdict.reason
        else list_unjudged(plan.queries, sent=plan.scorable, outcomes=clean[: len(plan.scorable)]),
    )


def judge(counts: Counts, *, max_error_rate: float) -> Verdict:
    """Decide the status: too many requests without an answer, or none, is a failure."""
    lost = counts.failed + counts.skipped
    if lost == counts.planned:
        return Verdict(RunStatus.FAILED, "no_answers")
    if lost / counts.planned > max_error_rate:
        return Verdict(
            RunStatus.FAILED,
            f"error_rate: {lost} of {counts.planned} requests have no answer, "
            f"above max_error_rate {max_error_rate}",
        )
    return Verdict(RunStatus.COMPLETED_WITH_ERRORS if lost else RunStatus.COMPLETED)


def _report(
    evidence: RunEvidence,
    scores: Scores,
    counts: Counts,
    verdict: Verdict,
    attacked: Evidence | None,
) -> Results:
    request, test_set = evidence.request, evidence.test_set
    summaries = summarise_metrics(
        scores, np.ones(scores.judgments.n, dtype=np.bool_), interval=request.interval
    )
    partial = _partial(summaries, verdict)
    return Results(
        id=evidence.run_id,
        status=verdict.status,
        test_set=TestSetRef(
            id=test_set.id, name=test_set.name, version=test_set.version, hash=test_set.hash
        ),
        label=request.label,
        meta=request.meta,
        timestamp=evidence.created_at,
        num_queries=counts.planned + counts.unscorable,
        counts=counts,
        effort=count_effort(evidence.outcomes),
        metrics=summaries if partial is UNSET else None,
        reason=verdict.reason or UNSET,
        partial=partial,
        latency_ms=summarise_latency(
            evidence.plan, evidence.outcomes, concurrency=request.limits.concurrency
        ),
        slices=slice_metrics(scores, evidence.plan.scorable, interval=request.interval)
        if partial is UNSET
        else {},
        diagnostics=(
            *evidence.found,
            *find_all(
                scores,
                test_set=test_set,
                plan=evidence.plan,
                outcomes=evidence.outcomes,
                depth=evidence.depth,
                egress=evidence.egress,
            ),
        ),
        definitions=_define(evidence),
        depth=evidence.depth,
        limits=request.limits,
        versions=_versions(evidence),
        adversarial=robustness(attacked) if attacked else UNSET,
        stability=_measure_stability(evidence),
    )


def _partial(summaries: dict[str, MetricSummary], verdict: Verdict) -> Partial | UnsetType:
    if not verdict.reason:
        return UNSET
    return Partial(
        metrics=summaries,
        note="over the answered queries only; not this run's result, see reason",
    )


def _gather_attack(evidence: RunEvidence) -> Evidence | None:
    """Return what the adversarial block is made of; None when nothing of the kind was sent."""
    plan, asked = evidence.plan, evidence.request.adversarial
    if not plan.suite.requests and not plan.nothing and asked is None:
        return None
    return Evidence(
        queries=plan.queries,
        plan=plan.requests[: plan.attacked],
        outcomes=evidence.outcomes[: plan.attacked],
        suite=plan.suite,
        metric=parse_metric(asked.metric if asked else DEFAULT_METRIC),
        depth=evidence.depth,
        relevant_from=evidence.test_set.relevant_from,
        scale_max=evidence.test_set.scale.max,
    )


def _measure_stability(evidence: RunEvidence) -> Stability | UnsetType:
    if evidence.plan.rounds == 1:
        return UNSET
    yardstick = Yardstick(
        metrics=evidence.metrics,
        depth=evidence.depth,
        relevant_from=evidence.test_set.relevant_from,
        scale_max=evidence.test_set.scale.max,
    )
    return measure_stability(evidence.plan, evidence.outcomes, yardstick)


def _define(evidence: RunEvidence) -> dict[str, Any]:
    return {
        **definitions(
            evidence.metrics,
            depth=evidence.depth,
            relevant_from=evidence.test_set.relevant_from,
            scale_max=evidence.test_set.scale.max,
            id_rule=evidence.test_set.id_rule,
            interval=evidence.request.interval,
        ),
        "latency": "clean requests answered at the first attempt, without our own queueing; "
        "the first `limits.concurrency` are warm-up where twice as many were planned",
        "slices": f"by tag, split and source; the {MAX_SLICES} largest",
    }


def _versions(evidence: RunEvidence) -> dict[str, str]:
    return {
        "reteval": evidence.code_version,
        "suite": evidence.plan.suite.version,
        "numpy": version("numpy"),
        "scipy": version("scipy"),
    }


def _columns(
    evidence: RunEvidence, scores: Scores, attacked: Evidence | None
) -> dict[str, "array[float]"]:
    padding = np.full(len(evidence.plan.nothing), np.nan)
    columns = {
        str(metric): _column(np.concatenate([values, padding]))
        for metric, values in scores.values.items()
    }
    if attacked:
        values, clean = value_variants(attacked)
        columns[VARIANT_VALUE] = _column(values)
        columns[VARIANT_CLEAN] = _column(clean)
    return columns


def _column(values: "np.ndarray[Any, np.dtype[np.float64]]") -> "array[float]":
    return array("d", values.tobytes())
