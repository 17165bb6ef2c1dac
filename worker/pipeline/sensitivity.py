"""Kinds that ask for something else: a list that stays as it was has not understood them."""

from typing import Final

from msgspec import UNSET, UnsetType

from reteval.contract.adversarial import Changing
from worker.metrics.overlap import PERSISTENCE
from worker.pipeline.drops import bound_mean, mean_or_none
from worker.pipeline.kind_figures import measure_rbo, rbo_by_need
from worker.pipeline.kind_report import Trial
from worker.pipeline.statuses import fill_counts
from worker.pipeline.traits import describe_traits
from worker.pipeline.variants import Variants

MARGIN: Final = 0.1
"""Overlap below the control's that a list must lose before it counts as moved."""


def report_changing(trial: Trial, variants: Variants, control: Trial | None) -> Changing:
    """Compare the changed lists with what the endpoint's own noise does to a list.

    Without a control the clean list is taken to repeat itself exactly, and `control_rbo` is
    null. One direction of CheckList's directional expectation tests (Ribeiro et al., ACL 2020).
    """
    traits, pairs = describe_traits(trial.plan), trial.pairs
    overlaps = rbo_by_need(pairs, trial.rows)
    control_rbo = None if control is None else measure_rbo(control.pairs, control.rows)
    bounds = bound_mean(overlaps)
    return Changing(
        kind=trial.plan.kind,
        family=traits.family,
        severity=trial.plan.severity,
        target=traits.target,
        source=trial.plan.source,
        needs=pairs.needs,
        not_applicable=trial.plan.not_applicable,
        rbo=mean_or_none(overlaps),
        ci=bounds,
        p=PERSISTENCE,
        control_rbo=control_rbo,
        margin=MARGIN,
        status=fill_counts(variants.kind(trial.plan).statuses),
        verdict=_judge(bounds, pairs.needs, 1.0 if control_rbo is None else control_rbo),
        reason=_explain(trial, bounds, control_rbo),
    )


def _judge(bounds: tuple[float, float] | None, needs: int, control_rbo: float) -> str:
    if not needs:
        return "not_run"
    if bounds is None:
        return "inconclusive"
    threshold = control_rbo - MARGIN
    if bounds[1] < threshold:
        return "sensitive"
    return "insensitive" if bounds[0] >= threshold else "inconclusive"


def _explain(
    trial: Trial, bounds: tuple[float, float] | None, control_rbo: float | None
) -> str | UnsetType:
    if not trial.pairs.needs:
        return trial.missing
    if bounds is None:
        return "too_few"
    return "control_not_run" if control_rbo is None else UNSET
