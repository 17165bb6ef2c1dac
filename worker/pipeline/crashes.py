"""A run that killed its workers: which requests were under way when they died."""

from collections.abc import Sequence
from typing import Final

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from reteval.contract.outcomes import PlannedRequest

MAX_SHOWN: Final = 5


def describe_crash(suspects: Sequence[PlannedRequest], *, deaths: int, doing: str) -> Diagnostic:
    """Name the requests that had been sent and had no outcome at the last death.

    `doing` says what the workers were at, where they died before or after sending.
    """
    shown = tuple(
        {"query_id": request.query_id, "query": request.text, "kind": request.kind}
        for request in suspects[:MAX_SHOWN]
    )
    at = f"{len(suspects)} requests were under way" if suspects else f"they were {doing}"
    return Diagnostic(
        code=DiagnosticCode.WORKER_CRASHED,
        severity=Severity.BLOCK,
        message=f"{deaths} workers died one after the other on the same part of the run; {at}",
        evidence=shown,
        fix="Send the queries shown with a probe: an answer that is too large or takes too much "
        "memory to read kills a worker. Lower `limits.max_response_bytes`, or give workers more "
        "memory; the workers' log names the signal.",
    )
