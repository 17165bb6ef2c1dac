"""One kind of variant against the same queries clean."""

from typing import Final

import numpy as np
from msgspec import UNSET, Struct

from reteval.contract.adversarial import Example, KindReport, Worst
from reteval.contract.kinds import KINDS
from reteval.contract.metrics import Metric
from worker.adversarial.planning import KindPlan
from worker.pipeline.drops import (
    TIE,
    Chance,
    Loss,
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
    divide_by_words,
)
from worker.pipeline.pairing import Pairs, Sides, pair
from worker.pipeline.spool import Rows
from worker.pipeline.statuses import NAMES, count_statuses, fill_counts
from worker.pipeline.traits import USER, describe_traits
from worker.pipeline.variants import Variants, headline

MAX_EXAMPLES: Final = 5
_OF_THE_KIND: Final = frozenset({"data_missing", "language"})
"""Reasons that concern every query of a set alike, and so are why a kind was not run."""


class Trial(Struct, frozen=True, kw_only=True, eq=False):
    """A kind with a row a request, and what they are worth in its headline metric."""

    plan: KindPlan
    rows: Rows
    reducing: bool
    values: Sides
    pairs: Pairs
    loss: Loss

    @property
    def missing(self) -> str:
        """Why nothing can be said, for a trial without needs."""
        if len(self.rows):
            return "no_answered_pair"
        reasons = _OF_THE_KIND.intersection(self.plan.not_applicable)
        return min(reasons, default="no_applicable_query")


def run_trial(plan: KindPlan, variants: Variants) -> Trial:
    """Pair a kind's variants with their clean queries, in the metric that its labels allow."""
    kind = variants.kind(plan)
    rows = kind.table.read()
    values = Sides(
        headline(variants.figures, reducing=kind.reducing),
        rows["recall" if kind.reducing else "metric"],
    )
    pairs = pair(rows["source"], values, variants.needs)
    return Trial(
        plan=plan,
        rows=rows,
        reducing=kind.reducing,
        values=values,
        pairs=pairs,
        loss=Loss(
            clean=pairs.clean_by_need(values.clean), variant=pairs.variant_by_need(values.variant)
        ),
    )


def report_kind(
    trial: Trial, variants: Variants, *, noise: float, chance: Chance | None
) -> KindReport:
    """Write the report of a kind; `noise` is the control's band in the same metric.

    `chance` is what the tests of all kinds together say of this one's loss.
    """
    traits = describe_traits(trial.plan)
    loss, pairs, rows, missing = trial.loss, trial.pairs, trial.rows, trial.missing
    figures, evidence = variants.figures, variants.evidence
    condensed = figures.condensed_recall if trial.reducing else figures.condensed
    words = variants.count_words(pairs.clean)
    return KindReport(
        kind=trial.plan.kind,
        family=traits.family,
        severity=trial.plan.severity,
        target=traits.target,
        replicates=_count_replicates(trial, variants),
        labels=traits.labels,
        source=trial.plan.source,
        headline=str(Metric("recall", evidence.k) if trial.reducing else evidence.metric),
        needs=pairs.needs,
        not_applicable=trial.plan.not_applicable,
        content_words_mean=sum(words) / len(words) if words else None,
        clean=mean_or_none(loss.clean),
        variant=mean_or_none(loss.variant),
        drop=estimate_drop(loss, missing=missing, chance=chance),
        relative_drop=estimate_relative(loss, missing=missing),
        worst_case=Worst(
            variant=mean_or_none(pairs.worst_by_need(trial.values.variant)),
            of=int(np.bincount(pairs.owner).max(initial=0)),
        ),
        hurt=share_of(loss.differences > TIE),
        helped=share_of(loss.differences < -TIE),
        lost_all=int(np.count_nonzero((loss.clean > TIE) & (loss.variant <= TIE))),
        overlap=compare_lists(pairs, rows, k=evidence.k, missing=missing),
        judged=compare_judged(pairs, Sides(figures.judged, rows["judged"]), missing=missing),
        status=fill_counts(variants.kind(trial.plan).statuses),
        latency_ms=compare_latency(pairs, Sides(variants.latency, rows["latency"])),
        verdict=judge(loss, noise=noise, chance=chance),
        examples=_pick_examples(trial, variants),
        min_detectable=find_detectable(loss.differences),
        condensed=condense_drop(pairs, Sides(condensed, rows["condensed"]), missing=missing),
        by_content_words=divide_by_words(pairs, loss.differences, words),
        clean_status=_count_clean(trial, variants),
        reason=UNSET if pairs.needs else missing,
    )


def _count_clean(trial: Trial, variants: Variants) -> dict[str, int]:
    """Count the clean requests behind a kind's variants by how they ended."""
    sources = np.unique(trial.rows["source"]).tolist()
    return count_statuses(variants.clean[source] for source in sources)


def _count_replicates(trial: Trial, variants: Variants) -> int:
    """Return the variants planned of a query: what the catalogue says, or the most by hand."""
    known = KINDS.get(trial.plan.kind)
    if known is not None and trial.plan.source != USER:
        return known.count(trial.plan.severity)
    return 1 + variants.kind(trial.plan).most


def _pick_examples(trial: Trial, variants: Variants) -> tuple[Example, ...]:
    """Show the queries that lost most, each by its worst variant."""
    pairs, values, plan = trial.pairs, trial.values, variants.evidence.plan
    clean = pairs.clean[pairs.owner]
    losses = values.clean[clean] - values.variant[pairs.variants]
    examples: dict[int, Example] = {}
    for row in np.argsort(-losses, kind="stable").tolist():
        if losses[row] <= TIE or len(examples) == MAX_EXAMPLES:
            break
        before, after = int(clean[row]), int(pairs.variants[row])
        if before in examples:
            continue
        query, variant = variants.requests[before], trial.rows[after]
        examples[before] = Example(
            query_id=query.query_id,
            clean=query.text,
            variant=plan[int(variant["place"])].text,
            before=float(values.clean[before]),
            after=float(values.variant[after]),
            status=NAMES[variant["status"]],
        )
    return tuple(examples.values())
