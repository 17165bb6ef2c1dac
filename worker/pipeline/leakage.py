"""How much of a run's numbers rests on queries that leaked."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import UNSET, Struct, structs

from reteval.contract.diagnostics import Diagnostic
from reteval.contract.outcomes import Outcome
from reteval.contract.results import LeakPart, RunLeakage
from reteval.contract.runs import IntervalMethod
from worker.diagnosis.leakage.run import RunLeaks, Sighting, find_run_leaks
from worker.pipeline.plan import Plan
from worker.pipeline.scoring import Scores, summarise_metrics

NOTHING_CHECKED: Final = "nothing_checked"


class Leakage(Struct, frozen=True):
    """The block of a report, and what is said of it in words."""

    block: RunLeakage
    diagnostics: tuple[Diagnostic, ...]


def report_leakage(
    plan: Plan,
    outcomes: Sequence[Outcome],
    scores: Scores,
    *,
    relevant_from: int,
    interval: IntervalMethod,
) -> Leakage:
    """Look for leaked queries, and score the run without them; `outcomes` are the clean ones."""
    asked = (*plan.scorable, *plan.nothing)
    by_id = {query.id: outcome for query, outcome in zip(asked, outcomes, strict=True)}
    leaks = find_run_leaks(plan.queries, by_id, relevant_from=relevant_from)
    block = _count(plan, leaks)
    if block.queries:
        leaked = (leaks.between.ids or frozenset()) | (leaks.lifted.ids or frozenset())
        kept = np.array([query.id not in leaked for query in plan.scorable], dtype=np.bool_)
        # As for slices: resampling for BCa would take minutes where there are many metrics.
        chosen = IntervalMethod.AUTO if interval is IntervalMethod.BCA else interval
        without = summarise_metrics(scores, kept, interval=chosen)
        block = structs.replace(block, metrics_without=without)
    return Leakage(block, leaks.diagnostics)


def _count(plan: Plan, leaks: RunLeaks) -> RunLeakage:
    """Count the leaked queries among those that are scored."""
    scored = {query.id for query in plan.scorable}
    seen = [one.ids & scored for one in (leaks.between, leaks.lifted) if one.ids is not None]
    leaked = len(frozenset().union(*seen)) if seen else None
    return RunLeakage(
        queries=leaked,
        share=None if leaked is None or not scored else leaked / len(scored),
        between_splits=_report(leaks.between, scored),
        from_documents=_report(leaks.lifted, scored),
        compared=leaks.compared,
        reason=UNSET if seen else NOTHING_CHECKED,
    )


def _report(seen: Sighting, scored: set[str]) -> LeakPart:
    return LeakPart(
        queries=None if seen.ids is None else len(seen.ids & scored), reason=seen.reason
    )
