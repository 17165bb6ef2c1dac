"""One kind of variant against the same queries clean."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import UNSET, Struct

from reteval.contract.adversarial import Before, Example, KindReport, Overlap, Worst
from reteval.contract.kinds import KINDS, Labels
from reteval.contract.metrics import Metric
from worker.adversarial.planning import KindPlan
from worker.adversarial.words import content_words
from worker.metrics.overlap import PERSISTENCE, jaccard, rbo, top1_same
from worker.pipeline.drops import (
    TIE,
    Loss,
    Values,
    estimate_drop,
    estimate_relative,
    judge,
    mean_or_none,
    share_of,
)
from worker.pipeline.pairing import Evidence, Pairs, Places, Scores, find_variants, pair
from worker.pipeline.statuses import count_statuses, name_status

MAX_EXAMPLES: Final = 5
BY_HAND: Final = "by_hand"
PERCENTILES: Final = {"p50": 50, "p95": 95}


class Traits(Struct, frozen=True, kw_only=True):
    """What the catalogue says about a kind, or what is assumed of one that a user made up."""

    family: str
    labels: str
    target: str


class Trial(Struct, frozen=True, kw_only=True, eq=False):
    """A kind with its requests and what they are worth in its headline metric."""

    plan: KindPlan
    places: list[int]
    headline: Metric
    values: Values
    pairs: Pairs
    loss: Loss

    @property
    def missing(self) -> str:
        """Why nothing can be said, for a trial without needs."""
        return "no_answered_pair" if self.places else "no_applicable_query"


def describe_traits(plan: KindPlan) -> Traits:
    """Look a kind up; one that is not in the catalogue is taken to keep its labels."""
    known = KINDS.get(plan.kind)
    target = BY_HAND if plan.source == "user" or known is None else known.target
    if known is None:
        family = plan.kind.partition(".")[0]
        return Traits(family=family, labels=Labels.PRESERVING.value, target=target)
    return Traits(family=known.family, labels=known.labels.value, target=target)


def run_trial(plan: KindPlan, evidence: Evidence, scores: Scores) -> Trial:
    """Pair a kind's variants with their clean queries, in the metric that its labels allow.

    Where a variant says less than its query, other documents become right too, and only the
    recall of the judged ones still means something.
    """
    reducing = describe_traits(plan).labels == Labels.REDUCING
    headline = Metric("recall", evidence.k) if reducing else evidence.metric
    values = scores.recall if reducing else scores.metric
    places = find_variants(evidence, plan)
    pairs = pair(places, values, scores.sources)
    loss = Loss(clean=pairs.clean_by_need(values), variant=pairs.variant_by_need(values))
    return Trial(plan=plan, places=places, headline=headline, values=values, pairs=pairs, loss=loss)


def report_kind(trial: Trial, evidence: Evidence, scores: Scores, *, noise: float) -> KindReport:
    """Write the report of a kind; `noise` is the control's band in the same metric."""
    traits = describe_traits(trial.plan)
    loss, pairs, missing = trial.loss, trial.pairs, trial.missing
    outcomes = [evidence.outcomes[place] for place in trial.places]
    worst = mean_or_none(pairs.worst_by_need(trial.values))
    return KindReport(
        kind=trial.plan.kind,
        family=traits.family,
        severity=trial.plan.severity,
        target=traits.target,
        replicates=_count_replicates(trial, evidence),
        labels=traits.labels,
        source=trial.plan.source,
        headline=str(trial.headline),
        needs=pairs.needs,
        not_applicable=trial.plan.not_applicable,
        content_words_mean=_mean_content_words(pairs, evidence),
        clean=mean_or_none(loss.clean),
        variant=mean_or_none(loss.variant),
        drop=estimate_drop(loss, missing=missing),
        relative_drop=estimate_relative(loss, missing=missing),
        worst_case=Worst(variant=worst, of=int(np.bincount(pairs.owner).max(initial=0))),
        hurt=share_of(loss.differences > TIE),
        helped=share_of(loss.differences < -TIE),
        lost_all=int(np.count_nonzero((loss.clean > TIE) & (loss.variant <= TIE))),
        overlap=_compare_lists(pairs, evidence, missing=missing),
        judged=_compare_judged(pairs, scores, missing=missing),
        status=count_statuses(outcomes),
        latency_ms=_compare_latency(pairs, evidence),
        verdict=judge(loss, noise=noise),
        examples=_pick_examples(trial, evidence),
        reason=UNSET if pairs.needs else missing,
    )


def measure_rbo(pairs: Pairs, evidence: Evidence) -> float | None:
    """Mean rank-biased overlap of each need's variants with their clean lists."""
    values = [rbo(*lists, p=PERSISTENCE) for lists in _list_pairs(pairs, evidence)]
    return _mean_by_need(values, pairs)


def count_changed(pairs: Pairs, evidence: Evidence) -> int:
    """Count variants whose list is not exactly that of the clean query."""
    return sum(clean != variant for clean, variant in _list_pairs(pairs, evidence))


def _list_pairs(pairs: Pairs, evidence: Evidence) -> list[tuple[list[str], list[str]]]:
    clean = pairs.clean[pairs.owner].tolist()
    return [
        (evidence.ids(before), evidence.ids(after))
        for before, after in zip(clean, pairs.variants.tolist(), strict=True)
    ]


def _mean_by_need(values: Sequence[float], pairs: Pairs) -> float | None:
    return mean_or_none(pairs.average(np.array(values, dtype=np.float64)))


def _compare_lists(pairs: Pairs, evidence: Evidence, *, missing: str) -> Overlap:
    lists = _list_pairs(pairs, evidence)
    k = evidence.k
    return Overlap(
        rbo=measure_rbo(pairs, evidence),
        p=PERSISTENCE,
        top1_same=_mean_by_need([float(top1_same(*both)) for both in lists], pairs),
        jaccard=_mean_by_need([jaccard(*both, k=k) for both in lists], pairs),
        k=k,
        reason=UNSET if lists else missing,
    )


def _compare_judged(pairs: Pairs, scores: Scores, *, missing: str) -> Before:
    """Compare judged@k over the needs that have it on both sides: an empty list has none."""
    clean = pairs.clean_by_need(scores.judged)
    variant = pairs.variant_by_need(scores.judged)
    known = ~(np.isnan(clean) | np.isnan(variant))
    if not known.any():
        return Before(clean=None, variant=None, reason="no_hits" if pairs.needs else missing)
    return Before(clean=float(clean[known].mean()), variant=float(variant[known].mean()))


def _compare_latency(pairs: Pairs, evidence: Evidence) -> dict[str, Before]:
    """Compare requests that were answered at the first attempt, in milliseconds."""
    clean, variant = (_find_latency(places, evidence) for places in (pairs.clean, pairs.variants))
    if not len(clean) or not len(variant):
        nothing = Before(clean=None, variant=None, reason="no_first_attempt_answered")
        return dict.fromkeys(PERCENTILES, nothing)
    return {
        name: Before(
            clean=float(np.percentile(clean, percent)),
            variant=float(np.percentile(variant, percent)),
        )
        for name, percent in PERCENTILES.items()
    }


def _find_latency(places: Places, evidence: Evidence) -> Values:
    outcomes = (evidence.outcomes[place] for place in places.tolist())
    return np.array(
        [
            outcome.latency_ms
            for outcome in outcomes
            if outcome.attempts == 1 and outcome.latency_ms is not None
        ],
        dtype=np.float64,
    )


def _count_replicates(trial: Trial, evidence: Evidence) -> int:
    """Return the variants planned of a query: what the catalogue says, or the most by hand."""
    known = KINDS.get(trial.plan.kind)
    if known is not None and trial.plan.source != "user":
        return known.replicates
    return 1 + max((evidence.plan[place].replicate for place in trial.places), default=0)


def _mean_content_words(pairs: Pairs, evidence: Evidence) -> float | None:
    counts = [len(content_words(evidence.plan[place].text)) for place in pairs.clean.tolist()]
    return sum(counts) / len(counts) if counts else None


def _pick_examples(trial: Trial, evidence: Evidence) -> tuple[Example, ...]:
    """Show the queries that lost most, each by its worst variant."""
    pairs, values = trial.pairs, trial.values
    clean = pairs.clean[pairs.owner]
    losses = values[clean] - values[pairs.variants]
    examples: dict[int, Example] = {}
    for row in np.argsort(-losses, kind="stable").tolist():
        before, after = int(clean[row]), int(pairs.variants[row])
        if losses[row] <= TIE or len(examples) == MAX_EXAMPLES:
            break
        if before in examples:
            continue
        examples[before] = Example(
            query_id=evidence.plan[before].query_id,
            clean=evidence.plan[before].text,
            variant=evidence.plan[after].text,
            before=float(values[before]),
            after=float(values[after]),
            status=name_status(evidence.outcomes[after]),
        )
    return tuple(examples.values())
