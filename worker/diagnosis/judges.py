"""Who judged, beside what is judged."""

from collections.abc import Iterable
from typing import Any

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from worker.diagnosis.facts import MAX_EVIDENCE


def find_same_family(told: Iterable[Diagnostic], family: str) -> Diagnostic | None:
    """Find judges of the endpoint's own model family, in what is told of the test set."""
    own = family.strip().casefold()
    judges: list[dict[str, Any]] = [
        row
        for one in told
        if one.code is DiagnosticCode.POOLED_JUDGMENTS
        for row in one.evidence
        if own and str(row.get("family", "")).strip().casefold() == own
    ]
    if not judges:
        return None
    return Diagnostic(
        code=DiagnosticCode.JUDGE_SAME_FAMILY,
        severity=Severity.WARN,
        message=f"The endpoint uses models of the family {family!r}, and so did the judge of this "
        "test set: models favour what their own kind ranks highly.",
        fix="Have the pool judged by another family, or by people, before this endpoint is "
        "compared with others.",
        evidence=tuple(
            {"family": row["family"], "model": row.get("model", ""), "rater": row.get("rater", "")}
            for row in judges[:MAX_EVIDENCE]
        ),
    )
