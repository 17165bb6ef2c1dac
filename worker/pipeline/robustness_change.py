"""Whether one run's endpoint is hurt more by a kind than another's, on the same needs."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Final

import numpy as np
from msgspec import UNSET, Struct, structs

from reteval.contract.adversarial import AdversarialReport, KindReport
from reteval.contract.choice import PARAPHRASE
from reteval.contract.outcomes import VariantRow
from reteval.contract.robustness import Change, KindChange, RobustnessComparison
from reteval.contract.testsets import Query
from worker.metrics.intervals import paired_interval
from worker.metrics.power import ALPHA
from worker.pipeline.drops import (
    MARGIN,
    Chance,
    Loss,
    Values,
    judge,
    mean_or_none,
    try_losses,
)
from worker.pipeline.pairing import find_need

Cell = tuple[str, int, str]
"""A kind, its severity, and whether it was generated or made by the user."""
_GENERATED: Final = "generated"
_USER: Final = "user"


class Attack(Struct, frozen=True, kw_only=True):
    """A run's adversarial block with the loss of each need: clean minus variant, by cell.

    `written` are the variants that no seed repeats, by query, replicate and text.
    """

    report: AdversarialReport
    losses: Mapping[Cell, Mapping[str, float]]
    written: frozenset[tuple[str, int, str]] = frozenset()


class _Side(Struct, frozen=True, kw_only=True, eq=False):
    """A cell of both runs over the needs they share, or the reason why it is not compared."""

    kind: KindReport
    baseline: Values
    candidate: Values
    reason: str = ""

    @property
    def loss(self) -> Loss:
        """The candidate's losses as what is lost beyond the baseline's."""
        return Loss(clean=self.candidate, variant=self.baseline)


def gather_attack(
    report: AdversarialReport, rows: Iterable[VariantRow], queries: Sequence[Query]
) -> Attack:
    """Average a run's stored variants by need: those of a query first, then its queries.

    Rows without a value on either side are no part of it.
    """
    by_id = {query.id: query for query in queries}
    found: dict[Cell, dict[str, dict[str, list[float]]]] = {}
    written: set[tuple[str, int, str]] = set()
    for row in rows:
        if row.kind == PARAPHRASE:
            written.add((row.query_id, row.replicate, row.text))
        query = by_id.get(row.query_id)
        if query is None or row.value is None or row.clean is None:
            continue
        original = by_id[query.parent] if query.parent else query
        cell = row.kind, row.severity, _USER if query.parent else _GENERATED
        needs = found.setdefault(cell, {}).setdefault(find_need(original), {})
        needs.setdefault(original.id, []).append(row.clean - row.value)
    return Attack(
        report=report,
        losses={
            cell: {need: fmean(map(fmean, asked.values())) for need, asked in needs.items()}
            for cell, needs in found.items()
        },
        written=frozenset(written),
    )


def compare_robustness(
    baseline: Attack, candidate: Attack, *, margin: float = MARGIN, alpha: float = ALPHA
) -> RobustnessComparison:
    """Compare two runs kind by kind, paired over the needs whose variants both answered.

    Runs of another suite, seed or metric sent or measured other things and are not compared;
    nor is a kind whose target or headline differs, or of which a model wrote other variants.
    """
    report = candidate.report
    comparison = RobustnessComparison(
        suite=report.suite,
        seed=report.seed,
        metric=report.metric,
        kinds=(),
        macro_change=None,
        worst_kind=None,
        margin=margin,
        alpha=alpha,
    )
    for name in ("suite", "seed", "metric"):
        if getattr(baseline.report, name) != getattr(report, name):
            return structs.replace(comparison, reason=f"other_{name}")
    sides = list(_pair_kinds(baseline, candidate))
    chances = try_losses([side.loss for side in sides], seed=report.seed)
    kinds = tuple(
        _report_side(side, chance, margin=margin, alpha=alpha)
        for side, chance in zip(sides, chances, strict=True)
    )
    changes = [(kind.change.mean, kind.kind) for kind in kinds if kind.change.mean is not None]
    if not changes:
        return structs.replace(comparison, kinds=kinds, reason="no_kind_in_both")
    return structs.replace(
        comparison,
        kinds=kinds,
        macro_change=fmean(mean for mean, _ in changes),
        worst_kind=max(changes)[1],
    )


def _pair_kinds(baseline: Attack, candidate: Attack) -> Iterable[_Side]:
    before = {_cell_of(kind): kind for kind in baseline.report.kinds}
    after = {_cell_of(kind): kind for kind in candidate.report.kinds}
    for cell, kind in (before | after).items():
        reason = _find_obstacle(before.get(cell), after.get(cell))
        if not reason and kind.kind == PARAPHRASE and baseline.written != candidate.written:
            reason = "other_variants"
        one, two = baseline.losses.get(cell, {}), candidate.losses.get(cell, {})
        shared = [] if reason else [need for need in one if need in two]
        yield _Side(
            kind=kind,
            baseline=np.array([one[need] for need in shared], dtype=np.float64),
            candidate=np.array([two[need] for need in shared], dtype=np.float64),
            reason=reason or ("" if shared else "no_common_need"),
        )


def _cell_of(kind: KindReport) -> Cell:
    return kind.kind, kind.severity, kind.source


def _find_obstacle(before: KindReport | None, after: KindReport | None) -> str:
    if before is None:
        return "only_in_candidate"
    if after is None:
        return "only_in_baseline"
    if before.target != after.target:
        return "other_target"
    return "" if before.headline == after.headline else "other_headline"


def _report_side(side: _Side, chance: Chance | None, *, margin: float, alpha: float) -> KindChange:
    differences = side.loss.differences
    interval = paired_interval(differences)
    verdict = judge(side.loss, noise=0.0, chance=chance, margin=margin, alpha=alpha)
    return KindChange(
        kind=side.kind.kind,
        severity=side.kind.severity,
        source=side.kind.source,
        headline=side.kind.headline,
        needs=len(differences),
        baseline_drop=mean_or_none(side.baseline),
        candidate_drop=mean_or_none(side.candidate),
        change=Change(
            mean=mean_or_none(differences),
            ci=interval.ci,
            method="paired_t",
            level=interval.level,
            p=UNSET if chance is None else chance.p,
            p_holm=UNSET if chance is None else chance.p_holm,
            reason=side.reason or interval.reason or UNSET,
        ),
        verdict="not_compared" if side.reason else verdict,
        reason=side.reason or UNSET,
    )
