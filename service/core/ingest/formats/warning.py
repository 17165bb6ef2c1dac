"""Warnings about files, each with the severity that its code has."""

from collections.abc import Sequence
from typing import Any, Final

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity

EVIDENCE: Final = 5
_SEVERITY: Final = {
    DiagnosticCode.FORMAT_UNSURE: Severity.WARN,
    DiagnosticCode.ENCODING_GUESSED: Severity.WARN,
    DiagnosticCode.SCALE_REVERSED: Severity.WARN,
    DiagnosticCode.QUERY_IDS_MISREAD: Severity.WARN,
    DiagnosticCode.TEXTS_MISSING: Severity.WARN,
    DiagnosticCode.RATERS_IDENTICAL: Severity.WARN,
    DiagnosticCode.RATERS_SETTLED: Severity.INFO,
    DiagnosticCode.ROWS_UNRATED: Severity.INFO,
    DiagnosticCode.ODD_DOCUMENT_IDS: Severity.WARN,
    DiagnosticCode.JUDGED_NOT_IN_CORPUS: Severity.WARN,
}


def warn(
    code: DiagnosticCode, message: str, fix: str, rows: Sequence[dict[str, Any]]
) -> Diagnostic:
    """Make a warning; the first rows are its evidence."""
    return Diagnostic(
        code=code,
        severity=_SEVERITY[code],
        message=message,
        fix=fix,
        evidence=tuple(rows[:EVIDENCE]),
    )
