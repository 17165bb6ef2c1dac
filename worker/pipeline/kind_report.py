"""One kind of variant against the same queries clean."""

from typing import Final

import numpy as np
from msgspec import UNSET, Struct

from reteval.contract.adversarial import Example, KindReport, Worst
from reteval.contract.kinds import KINDS, Labels
from reteval.contract.metrics import Metric
from reteval.contract.outcomes import Outcome
from worker.adversarial.planning import KindPlan
from worker.pipeline.drops import (
    TIE,
    Chance,
    Loss,
    Values,
    estimate_drop,
    estimate_relative,
    find_detectable,
    judge,
    mean_or_none,
    share_of,
)
from worker.pipeline.kind_figures import (
    compare_judged,
    compare_latency,
    compare_lists,
    condense_drop,
    count_content_words,
    divide_by_words,
)
from worker.pipeline.pairing import Evidence, Pairs, Scores, find_variants, pair
from worker.pipeline.statuses import count_statuses, name_status

MAX_EXAMPLES: Final = 5
BY_HAND: Final = "by_hand"
_OF_THE_KIND: Final = frozenset({"data_missing", "language"})
"""Reasons that concern every query of a set alike, and so are why a kind was not run."""


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
    condensed: Values
    pairs: Pairs
    loss: Loss

    @property
    def missing(self) -> str:
        """Why nothing can be said, for a trial without needs."""
        if self.places:
            return "no_answered_pair"
        reasons = _OF_THE_KIND.intersection(self.plan.not_applicable)
        return min(reasons, default="no_applicable_query")

    def outcomes(self, evidence: Evidence) -> list[Outcome]:
        """What came of the kind's requests."""
        return [evidence.outcomes[place] for place in self.places]


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
    return Trial(
        plan=plan,
        places=places,
        headline=headline,
        values=values,
        condensed=scores.condensed_recall if reducing else scores.condensed,
        pairs=pairs,
        loss=loss,
    )


def report_kind(
    trial: Trial, evidence: Evidence, scores: Scores, *, noise: float, chance: Chance | None
) -> KindReport:
    """Write the report of a kind; `noise` is the control's band in the same metric.

    `chance` is what the tests of all kinds together say of this one's loss.
    """
    traits = describe_traits(trial.plan)
    loss, pairs, missing = trial.loss, trial.pairs, trial.missing
    words = count_content_words(pairs, evidence)
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
        content_words_mean=sum(words) / len(words) if words else None,
        clean=mean_or_none(loss.clean),
        variant=mean_or_none(loss.variant),
        drop=estimate_drop(loss, missing=missing, chance=chance),
        relative_drop=estimate_relative(loss, missing=missing),
        worst_case=Worst(
            variant=mean_or_none(pairs.worst_by_need(trial.values)),
            of=int(np.bincount(pairs.owner).max(initial=0)),
        ),
        hurt=share_of(loss.differences > TIE),
        helped=share_of(loss.differences < -TIE),
        lost_all=int(np.count_nonzero((loss.clean > TIE) & (loss.variant <= TIE))),
        overlap=compare_lists(pairs, evidence, missing=missing),
        judged=compare_judged(pairs, scores, missing=missing),
        status=count_statuses(trial.outcomes(evidence)),
        latency_ms=compare_latency(pairs, evidence),
        verdict=judge(loss, noise=noise, chance=chance),
        examples=_pick_examples(trial, evidence),
        min_detectable=find_detectable(loss.differences),
        condensed=condense_drop(pairs, trial.condensed, missing=missing),
        by_content_words=divide_by_words(pairs, loss.differences, evidence),
        clean_status=_count_clean(trial, evidence, scores),
        reason=UNSET if pairs.needs else missing,
    )


def _count_clean(trial: Trial, evidence: Evidence, scores: Scores) -> dict[str, int]:
    """Count the clean requests behind a kind's variants by how they ended."""
    clean = dict.fromkeys(scores.sources[place].place for place in trial.places)
    return count_statuses(evidence.outcomes[place] for place in clean)


def _count_replicates(trial: Trial, evidence: Evidence) -> int:
    """Return the variants planned of a query: what the catalogue says, or the most by hand."""
    known = KINDS.get(trial.plan.kind)
    if known is not None and trial.plan.source != "user":
        return known.count(trial.plan.severity)
    return 1 + max((evidence.plan[place].replicate for place in trial.places), default=0)


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
