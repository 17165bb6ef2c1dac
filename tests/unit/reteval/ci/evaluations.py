"""Evaluations as a pipeline ends with, made of the documents of the service."""

from typing import Any

import msgspec

from reteval.ci.evaluation import Evaluation
from reteval.contract.gates import GateFormat, GateOutcome
from reteval.contract.outcomes import QueryRow
from service.core.gates.render import RENDERERS
from tests.unit.reteval.decisions import a_comparison_report, a_verdict
from tests.unit.reteval.documents import a_report

HOSTILE = "<img src=x onerror=alert(1)>\n::error::x | [a](http://evil.example) @team"


def a_row(query_id: str, value: float | None, **changes: Any) -> QueryRow:
    """Return a query of a report, of which nothing was found where the value is 0."""
    row = QueryRow(
        query_id=query_id,
        query=f"question {query_id}",
        status="ok",
        metrics={"recall@5": value},
        latency_ms=12.0,
    )
    return msgspec.structs.replace(row, **changes)


def an_evaluation(outcome: GateOutcome = GateOutcome.FAIL, **changes: Any) -> Evaluation:
    """Return an evaluation of run_1 against run_0, with its verdict in every form."""
    verdict = a_verdict(verdict=outcome, exit_code=list(GateOutcome).index(outcome))
    evaluation = Evaluation(
        page="http://service.example/runs/run_1",
        run="run_1",
        verdict=verdict,
        results=a_report(),
        comparison=a_comparison_report(),
        primary="recall@5",
        worst=(a_row("q1", 0.0), a_row("q2", 0.5)),
        rankings={"q1": ["d9", "d8"], "q2": ["d1"]},
        forms={form: RENDERERS[form](verdict).decode() for form in GateFormat},
    )
    return msgspec.structs.replace(evaluation, **changes)


def without_verdict(trouble: str = "no answer") -> Evaluation:
    """Return an evaluation that came to nothing."""
    return Evaluation(trouble=trouble)
