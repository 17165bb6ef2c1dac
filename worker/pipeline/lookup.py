"""What a lookup of judged ids says about a run."""

from typing import Final

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from reteval.contract.probes import Lookup
from worker.diagnosis.facts import count

_MOST: Final = 0.5


def find_missing(lookup: Lookup) -> Diagnostic | None:
    """Find judged documents that the endpoint does not have: no search can return them."""
    if not lookup.missing:
        return None
    return Diagnostic(
        code=DiagnosticCode.JUDGED_NOT_IN_CORPUS,
        severity=Severity.WARN,
        message=f"{lookup.missing} of {count(lookup.asked, 'judged id')} asked for do not exist "
        "in the endpoint: no search can return them, and every metric counts them as missed.",
        fix="Index these documents, or judge what replaced them. If they do exist, their ids "
        "are spelled otherwise: compare them with the ids that are returned."
        if lookup.missing < _MOST * lookup.asked
        else "Most judged documents are unknown: the judgments were made for another corpus, or "
        "with ids of another spelling. Compare them with the ids that are returned.",
        evidence=tuple({"judged": doc_id, "exists": False} for doc_id in lookup.examples),
    )
