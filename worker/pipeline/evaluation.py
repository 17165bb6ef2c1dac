"""Evidence in, report out: the whole of a run's numbers. No store, no clock, no network."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any, Final

import numpy as np
from msgspec import UNSET, Struct, UnsetType

from reteval.contract.diagnostics import Diagnostic
from reteval.contract.metrics import Metric, parse_metric
from reteval.contract.outcomes import Outcome
from reteval.contract.results import (
    Counts,
    Effort,
    MetricSummary,
    Partial,
    Results,
    ScoredTestSet,
)
from reteval.contract.runs import AdversarialRequest, RunRequest, RunStatus
from reteval.contract.slices import SHOWN, SLICES
from reteval.contract.splits import SplitShare
from reteval.contract.stability import Stability
from reteval.contract.testsets import TestSet
from reteval.contract.unjudged import UnjudgedHits
from worker.metrics.definitions import definitions
from worker.pipeline.columns import Worth, name_columns, show_worth
from worker.pipeline.difficulty import Difficulty
from worker.pipeline.findings import find_all
from worker.pipeline.holdout import count_answered
from worker.pipeline.latency import KindLatency, summarise_latency
from worker.pipeline.leakage import Leakage, report_leakage
from worker.pipeline.origins import describe_origins
from worker.pipeline.pairing import Evidence
from worker.pipeline.plan import Plan
from worker.pipeline.robustness import robustness
from worker.pipeline.scoring import (
    EffortCount,
    Scores,
    count_outcomes,
    score_queries,
    slice_metrics,
    summarise_metrics,
)
from worker.pipeline.slices import name_slices
from worker.pipeline.stability import Rounds, Yardstick
from worker.pipeline.stretches import Reader, read_stretches
from worker.pipeline.unjudged import list_unjudged
from worker.pipeline.variants import Variants

DEFAULT_METRIC: Final = AdversarialRequest().metric


class RunEvidence(Struct, frozen=True, kw_only=True):
    """Everything a report is made of. `outcomes` are parallel to the plan's requests.

    `stopped` is why requests were held back, if they were; `found` is what sending them showed.
    `test_set` is as the run sees it: of a split, with the counts of its queries, and `outside`
    counts the others.
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
    outside: int = 0
    difficulty: Difficulty = Difficulty()


class Evaluation(Struct, frozen=True, kw_only=True):
    """A report, and per-query values as float64 columns (NaN: undefined) in plan order.

    `variants` yields the same of the requests that have a kind, once, a stretch at a time.
    `unjudged` is parallel to the queries of the test set; empty
    where the run has no numbers. `slices` names those of each clean request; `held_out` counts the
    answered queries of the hold-out.
    """

    report: Results
    error: str
    columns: Mapping[str, "array[float]"]
    variants: Iterator[Worth]
    unjudged: Sequence[UnjudgedHits]
    slices: Sequence[Sequence[str]]
    held_out: int


class _Readings(Struct, frozen=True, kw_only=True, eq=False):
    """What one pass over all requests has shown."""

    clean: Sequence[Outcome]
    slices: Sequence[Sequence[str]]
    effort: Effort
    kinds: KindLatency
    variants: Variants | None
    stability: Stability | UnsetType


class Verdict(Struct, frozen=True):
    """How a run ended, and why it has no numbers if it has none."""

    status: RunStatus
    reason: str = ""


def evaluate(evidence: RunEvidence) -> Evaluation:
    """Make the report of a run whose requests have all ended."""
    plan, readings = evidence.plan, _read(evidence)
    clean = readings.clean
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
    return Evaluation(
        report=_report(evidence, scores, counts, verdict, readings),
        error=verdict.reason,
        columns=name_columns(scores, unscored=len(plan.nothing)),
        variants=show_worth(readings.variants),
        unjudged=[]
        if verdict.reason
        else list_unjudged(plan.queries, sent=plan.scorable, outcomes=clean[: len(plan.scorable)]),
        slices=readings.slices,
        held_out=count_answered((*plan.scorable, *plan.nothing), clean),
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
    readings: _Readings,
) -> Results:
    request, test_set = evidence.request, evidence.test_set
    summaries = summarise_metrics(
        scores, np.ones(scores.judgments.n, dtype=np.bool_), interval=request.interval
    )
    partial = _partial(summaries, verdict)
    leakage = _find_leakage(evidence, scores, readings.clean)
    scored = readings.slices[: len(evidence.plan.scorable)]
    return Results(
        id=evidence.run_id,
        status=verdict.status,
        test_set=ScoredTestSet(
            id=test_set.id,
            name=test_set.name,
            version=test_set.version,
            hash=test_set.hash,
            judgments=describe_origins(evidence.plan.queries),
        ),
        label=request.label,
        meta=request.meta,
        timestamp=evidence.created_at,
        num_queries=counts.planned + counts.unscorable,
        counts=counts,
        effort=readings.effort,
        metrics=summaries if partial is UNSET else None,
        reason=verdict.reason or UNSET,
        partial=partial,
        latency_ms=summarise_latency(
            readings.clean, scored, readings.kinds, concurrency=request.limits.concurrency
        ),
        slices=slice_metrics(scores, scored, interval=request.interval) if partial is UNSET else {},
        diagnostics=(
            *evidence.found,
            *find_all(
                scores,
                test_set=test_set,
                plan=evidence.plan,
                outcomes=readings.clean,
                depth=evidence.depth,
                egress=evidence.egress,
                model_family=request.endpoint.model_family,
            ),
            *leakage.diagnostics,
        ),
        definitions=_define(evidence),
        depth=evidence.depth,
        limits=request.limits,
        versions=_versions(evidence),
        adversarial=robustness(readings.variants) if readings.variants else UNSET,
        stability=readings.stability,
        leakage=leakage.block,
        split=SplitShare(name=request.split, outside=evidence.outside) if request.split else UNSET,
    )


def _find_leakage(evidence: RunEvidence, scores: Scores, clean: Sequence[Outcome]) -> Leakage:
    return report_leakage(
        evidence.plan,
        clean,
        scores,
        relevant_from=evidence.test_set.relevant_from,
        interval=evidence.request.interval,
    )


def _partial(summaries: dict[str, MetricSummary], verdict: Verdict) -> Partial | UnsetType:
    if not verdict.reason:
        return UNSET
    return Partial(
        metrics=summaries,
        note="over the answered queries only; not this run's result, see reason",
    )


def _read(evidence: RunEvidence) -> _Readings:
    """Go through all requests; the outcomes of the clean ones, one a query, are kept."""
    plan, outcomes = evidence.plan, evidence.outcomes
    clean = list(outcomes[: plan.clean])
    effort, kinds, variants = EffortCount(), KindLatency(), _begin_variants(evidence, clean)
    first: list[Reader] = [effort, kinds]
    readers = [*first, variants] if variants else first
    read_stretches(plan.requests, outcomes, readers, stop=plan.attacked)
    stability: Stability | UnsetType = UNSET
    if plan.rounds > 1:
        rounds = Rounds(plan, clean)
        read_stretches(plan.requests, outcomes, [*first, rounds], start=plan.attacked)
        stability = rounds.report(outcomes, _choose_yardstick(evidence))
    return _Readings(
        clean=clean,
        slices=[
            name_slices(
                query,
                relevant_from=evidence.test_set.relevant_from,
                difficulty=evidence.difficulty.names,
            )
            for query in (*plan.scorable, *plan.nothing)
        ],
        effort=effort.effort,
        kinds=kinds,
        variants=variants,
        stability=stability,
    )


def _begin_variants(evidence: RunEvidence, clean: Sequence[Outcome]) -> Variants | None:
    """Return what gathers the adversarial block; None when nothing of the kind was sent."""
    plan, asked = evidence.plan, evidence.request.adversarial
    if not plan.suite.requests and not plan.nothing and asked is None:
        return None
    attack = Evidence(
        queries=plan.queries,
        plan=plan.requests[: plan.attacked],
        suite=plan.suite,
        metric=parse_metric(asked.metric if asked else DEFAULT_METRIC),
        depth=evidence.depth,
        relevant_from=evidence.test_set.relevant_from,
        scale_max=evidence.test_set.scale.max,
    )
    return Variants(attack, clean)


def _choose_yardstick(evidence: RunEvidence) -> Yardstick:
    return Yardstick(
        metrics=evidence.metrics,
        depth=evidence.depth,
        relevant_from=evidence.test_set.relevant_from,
        scale_max=evidence.test_set.scale.max,
    )


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
        "slices": {
            **SLICES,
            "difficulty": f"{SLICES['difficulty']}; {evidence.difficulty.about}",
            "shown": SHOWN,
        },
    }


def _versions(evidence: RunEvidence) -> dict[str, str]:
    return {
        "reteval": evidence.code_version,
        "suite": evidence.plan.suite.version,
        "numpy": version("numpy"),
        "scipy": version("scipy"),
    }
