"""Scores that are too good: a leak, or a test set that cannot tell systems apart."""

from typing import Final

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from worker.diagnosis.facts import RunFacts

SUSPICIOUS_RECALL: Final = 0.95
ENOUGH_QUERIES: Final = 20


def find_high_score(facts: RunFacts) -> Diagnostic | None:
    """Find a mean recall@5 above 0.95 over 20 queries or more."""
    mean, n = facts.recall_at_5, facts.recall_queries
    if mean is None or mean <= SUSPICIOUS_RECALL or n < ENOUGH_QUERIES:
        return None
    return Diagnostic(
        code=DiagnosticCode.SCORE_TOO_HIGH,
        severity=Severity.WARN,
        message=f"Mean recall@5 is {mean:.3f} over {n} queries. Real test queries are rarely "
        "that easy: the queries may leak from tuning data or from the documents themselves.",
        fix="Check that no query was used for tuning or written while looking at its document; "
        "hold out queries that people really asked; add harder ones. If the score is real, "
        "compare systems by ndcg@10 or a smaller cut-off, since this set can no longer show "
        "an improvement.",
        evidence=(
            {"metric": "recall@5", "mean": mean, "queries": n, "threshold": SUSPICIOUS_RECALL},
        ),
    )
