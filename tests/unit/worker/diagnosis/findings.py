"""Facts of a run that has nothing to find, and the findings of facts."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from msgspec import structs

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode
from reteval.contract.metrics import Metric
from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus
from reteval.contract.testsets import Query
from worker.diagnosis.facts import Mean, RunFacts
from worker.diagnosis.run import diagnose

Judged = Collection[str] | Mapping[str, int]


def an_answer(*ids: str, returned: int | None = None) -> Outcome:
    """Build a valid answer, empty or not."""
    status = OutcomeStatus.OK if ids else OutcomeStatus.OK_EMPTY
    return Outcome(
        status=status, ids=list(ids), returned=len(ids) if returned is None else returned
    )


def a_failure(code: FailureCode | None, **more: Any) -> Outcome:
    """Build a failed request."""
    return Outcome(status=OutcomeStatus.FAILED, code=code, **more)


def some_facts(
    outcomes: Sequence[Outcome] = (an_answer("a"),),
    judged: Sequence[Judged] | None = None,
    **changes: Any,
) -> RunFacts:
    """Build the facts of a run without findings.

    By default each answer is right, and each query has one relevant document more. Judged ids
    without grades have grade 1.
    """
    sets = [{*outcome.ids, "more"} for outcome in outcomes] if judged is None else judged
    facts = RunFacts(
        queries=[Query(id=f"q{i}", query=f"text {i}") for i in range(len(outcomes))],
        outcomes=outcomes,
        judged=[one if isinstance(one, Mapping) else dict.fromkeys(one, 1) for one in sets],
        grades={"1": 2, "3": 5},
        relevant_from=1,
        metrics=[Metric("mrr"), Metric("ndcg", 1)],
        means={},
        depth=10,
        recall_at_5=Mean(0.5, 50),
        variants=9,
    )
    facts = structs.replace(facts, **changes)
    if "means" in changes:
        return facts
    return structs.replace(facts, means=dict.fromkeys(facts.metrics, Mean(0.5, 50)))


def find(facts: RunFacts, code: DiagnosticCode) -> Diagnostic:
    """Return the one finding of a code."""
    (finding,) = [finding for finding in diagnose(facts) if finding.code is code]
    return finding


def codes(facts: RunFacts) -> list[DiagnosticCode]:
    """List what is found."""
    return [finding.code for finding in diagnose(facts)]
