"""Whether anything but the happy path was tried."""

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from worker.diagnosis.facts import RunFacts, count


def find_happy_path(facts: RunFacts) -> Diagnostic | None:
    """Find a run that sent clean queries only."""
    if facts.variants:
        return None
    clean = len(facts.queries)
    return Diagnostic(
        code=DiagnosticCode.HAPPY_PATH_ONLY,
        severity=Severity.INFO,
        message=f"Only the {count(clean, 'clean query', 'clean queries')} of the test set "
        "went out: nothing is known about typos, short queries or questions without an answer.",
        fix='Add "adversarial": {"preset": "default"} to the run, or mark queries of the test '
        'set with "expect": "nothing" or with a "parent" and a "kind".',
        evidence=({"clean_requests": clean, "adversarial_requests": 0},),
    )
