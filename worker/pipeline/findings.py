"""From a run's evidence and scores to the facts that the diagnosis reads."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from reteval.contract.outcomes import Outcome
from reteval.contract.testsets import TestSet
from worker.diagnosis.facts import Mean, RunFacts, Sample
from worker.diagnosis.leakage.subject import is_tuning
from worker.diagnosis.run import diagnose
from worker.pipeline.plan import Plan
from worker.pipeline.scoring import Scores, Values
from worker.pipeline.unjudged import read_grades

_LOOPBACK: Final = Diagnostic(
    code=DiagnosticCode.LOOPBACK_ALLOWED,
    severity=Severity.INFO,
    message="This deployment may call loopback addresses (RETEVAL_EGRESS=loopback).",
    fix="Use RETEVAL_EGRESS=public where strangers can create runs.",
)


def find_all(
    scores: Scores,
    *,
    test_set: TestSet,
    plan: Plan,
    outcomes: Sequence[Outcome],
    depth: int,
    egress: str,
) -> tuple[Diagnostic, ...]:
    """Return the warnings of the test set and what was found about the run.

    `outcomes` are those of the whole plan.
    """
    means = {metric: mean_of(values) for metric, values in scores.values.items()}
    facts = RunFacts(
        queries=plan.scorable,
        outcomes=outcomes[: len(plan.scorable)],
        judged=[read_grades(query) for query in plan.scorable],
        grades=test_set.stats.grades,
        relevant_from=test_set.relevant_from,
        metrics=tuple(scores.values),
        means={metric: mean for metric, mean in means.items() if mean is not None},
        depth=depth,
        recall_at_5=mean_of(scores.recall_at_5),
        variants=len(plan.suite.requests) + len(plan.nothing),
        **_take_sides(scores, plan),
    )
    found = (*test_set.warnings, *diagnose(facts))
    return (*found, _LOOPBACK) if egress == "loopback" else found


def _take_sides(scores: Scores, plan: Plan) -> dict[str, Any]:
    """Return the first metric of effectiveness on both sides of the splits, as facts."""
    metric = next((metric for metric in scores.values if metric.name != "judged"), None)
    if metric is None:
        return {}
    values = scores.values[metric]
    tuning = np.array([is_tuning(query.split) for query in plan.scorable], dtype=np.bool_)
    held = np.array([bool(query.split) for query in plan.scorable], dtype=np.bool_) & ~tuning
    return {
        "split_metric": str(metric),
        "tuned": _sample(values[tuning]),
        "held": _sample(values[held]),
    }


def _sample(values: Values) -> Sample | None:
    defined = values[~np.isnan(values)]
    if not len(defined):
        return None
    spread = float(defined.std(ddof=1)) if len(defined) > 1 else 0.0
    return Sample(mean=float(defined.mean()), n=len(defined), sd=spread)


def mean_of(values: Values) -> Mean | None:
    """Return the mean of the values that are defined, None where none is; shape (n,)."""
    defined = values[~np.isnan(values)]
    return Mean(float(defined.mean()), len(defined)) if len(defined) else None
