"""The endpoint against itself: the same queries, asked several times in one run."""

from collections.abc import Sequence
from statistics import fmean, stdev

import numpy as np
from msgspec import UNSET, Struct

from reteval.contract.metrics import Metric
from reteval.contract.outcomes import Outcome
from reteval.contract.stability import MetricSpread, Stability
from reteval.contract.testsets import Query
from worker.metrics.hits import find_hits
from worker.metrics.judgments import Judgments
from worker.metrics.kernel import score
from worker.metrics.overlap import rbo, top1_same
from worker.pipeline.plan import Plan

Rounds = list[Outcome]


class Yardstick(Struct, frozen=True, kw_only=True):
    """How rankings are scored in every round."""

    metrics: Sequence[Metric]
    depth: int
    relevant_from: int
    scale_max: int


def measure_stability(plan: Plan, outcomes: Sequence[Outcome], yardstick: Yardstick) -> Stability:
    """Compare the rounds of a run; `outcomes` are parallel to the plan.

    Only queries answered in every round count, so that an outage is not taken for noise.
    """
    rounds = _gather_rounds(plan, outcomes)
    answered = {
        query_id: row
        for query_id, row in rounds.items()
        if all(outcome.status.answered for outcome in row)
    }
    left_out = len(rounds) - len(answered)
    if not answered:
        return Stability(
            rounds=plan.rounds,
            queries=0,
            left_out=left_out,
            mean_rbo=None,
            identical=None,
            top1_same=None,
            metrics={},
            reason="no query was answered in every round",
        )
    rows = list(answered.values())
    scorable = [query for query in plan.scorable if query.id in answered]
    return Stability(
        rounds=plan.rounds,
        queries=len(rows),
        left_out=left_out,
        mean_rbo=fmean(fmean(rbo(row[0].ids, later.ids) for later in row[1:]) for row in rows),
        identical=fmean(all(later.ids == row[0].ids for later in row[1:]) for row in rows),
        top1_same=fmean(all(top1_same(row[0].ids, later.ids) for later in row[1:]) for row in rows),
        metrics=_score_rounds(scorable, answered, plan.rounds, yardstick),
        reason=UNSET,
    )


def _gather_rounds(plan: Plan, outcomes: Sequence[Outcome]) -> dict[str, Rounds]:
    """Return the outcomes of each query that was asked in every round, first round first."""
    rounds = {
        request.query_id: [outcome]
        for request, outcome in zip(plan.requests[: plan.clean], outcomes, strict=False)
    }
    later = zip(plan.requests[plan.attacked :], outcomes[plan.attacked :], strict=True)
    for request, outcome in later:
        if request.query_id in rounds:
            rounds[request.query_id].append(outcome)
    return {query_id: row for query_id, row in rounds.items() if len(row) == plan.rounds}


def _score_rounds(
    queries: Sequence[Query], answered: dict[str, Rounds], rounds: int, yardstick: Yardstick
) -> dict[str, MetricSpread]:
    if not queries:
        return {}
    judgments = Judgments.build(
        queries, relevant_from=yardstick.relevant_from, scale_max=yardstick.scale_max
    )
    means: dict[Metric, list[float]] = {metric: [] for metric in yardstick.metrics}
    for turn in range(rounds):
        rankings = [answered[query.id][turn].ids for query in queries]
        hits = find_hits(judgments, rankings, depth=yardstick.depth)
        for metric, values in score(judgments, hits, yardstick.metrics).items():
            defined = values[~np.isnan(values)]
            if len(defined):
                means[metric].append(float(defined.mean()))
    return {
        str(metric): MetricSpread(means=tuple(found), sd=stdev(found))
        for metric, found in means.items()
        if len(found) == rounds
    }
