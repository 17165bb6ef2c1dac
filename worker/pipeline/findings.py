"""From a run's evidence and scores to the facts that the diagnosis reads."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from reteval.contract.metrics import choose_headline
from reteval.contract.outcomes import Outcome
from reteval.contract.splits import HOLDOUT, TUNE
from reteval.contract.testsets import TestSet
from worker.diagnosis.facts import Mean, RunFacts
from worker.diagnosis.holdout import find_better
from worker.diagnosis.judges import find_same_family
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
    model_family: str = "",
) -> tuple[Diagnostic, ...]:
    """Return the warnings of the test set and what was found about the run.

    `outcomes` are those of the whole plan; `model_family` is what the endpoint declares.
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
    )
    related = find_same_family(test_set.warnings, model_family)
    found = (
        *test_set.warnings,
        *diagnose(facts),
        *_compare_splits(scores, plan),
        *([related] if related else []),
    )
    return (*found, _LOOPBACK) if egress == "loopback" else found


def _compare_splits(scores: Scores, plan: Plan) -> tuple[Diagnostic, ...]:
    """Compare the hold-out with what was tuned on, where a run has both."""
    names = {str(metric): values for metric, values in scores.values.items()}
    if not names:
        return ()
    headline = choose_headline([*names])
    splits = np.array([query.split for query in plan.scorable])
    parts = (names[headline][splits == split] for split in (TUNE, HOLDOUT))
    better = find_better(headline, *parts)
    return (better,) if better else ()


def mean_of(values: Values) -> Mean | None:
    """Return the mean of the values that are defined, None where none is; shape (n,)."""
    defined = values[~np.isnan(values)]
    return Mean(float(defined.mean()), len(defined)) if len(defined) else None
