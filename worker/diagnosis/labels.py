"""Labels too coarse for the metrics that were asked for."""

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from worker.diagnosis.facts import RunFacts


def find_binary_labels(facts: RunFacts) -> Diagnostic | None:
    """Find graded metrics over judgments that know a single positive grade."""
    graded = [str(metric) for metric in facts.metrics if metric.family.graded]
    positive = {grade: n for grade, n in facts.grades.items() if int(grade) > 0 and n > 0}
    if not graded or len(positive) != 1:
        return None
    ((grade, n),) = positive.items()
    return Diagnostic(
        code=DiagnosticCode.BINARY_ONLY,
        severity=Severity.WARN,
        message=f"Every relevant document has grade {grade}, so {', '.join(graded)} cannot "
        "tell a perfect document from a barely useful one.",
        fix="Grade the judgments, such as 3 = answers the query, 2 = helps, 1 = touches it, "
        "0 = looked at and useless; or read recall, precision, mrr and map, which need no "
        "grades.",
        evidence=({"grade": int(grade), "judgments": n, "graded_metrics": graded},),
    )
