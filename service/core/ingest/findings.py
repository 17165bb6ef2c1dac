"""Warnings about a set that is accepted all the same: how many, the first few, what to do."""

from typing import Any, Final

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity

MAX_EVIDENCE: Final = 5
_FEW: Final = ((20, "too few to trust"), (30, "below the minimum"), (50, "below production"))


class Findings:
    """Counts findings by code and keeps the first rows of each as evidence."""

    def __init__(self) -> None:
        self._counts: dict[DiagnosticCode, int] = {}
        self._evidence: dict[DiagnosticCode, list[dict[str, Any]]] = {}

    def add(self, code: DiagnosticCode, row: dict[str, Any], *, times: int = 1) -> None:
        """Count a finding `times` times and keep its row if there is room."""
        self._counts[code] = self._counts.get(code, 0) + times
        rows = self._evidence.setdefault(code, [])
        if len(rows) < MAX_EVIDENCE:
            rows.append(row)

    def warnings(self, scorable: int) -> tuple[Diagnostic, ...]:
        """All findings of a set with so many scorable clean queries, in a fixed order."""
        few = find_few_queries(scorable)
        found = [few] if few else []
        for code, (severity, message, fix) in _WORDING.items():
            if code in self._counts:
                found.append(
                    Diagnostic(
                        code=code,
                        severity=severity,
                        message=message.format(self._counts[code]),
                        fix=fix,
                        evidence=tuple(self._evidence[code]),
                    )
                )
        return tuple(found)


def find_few_queries(scorable: int) -> Diagnostic | None:
    """Warn of less scorable queries than a number can be trusted with."""
    for bound, verdict in _FEW:
        if scorable < bound:
            return Diagnostic(
                code=DiagnosticCode.FEW_QUERIES,
                severity=Severity.WARN,
                message=f"Scorable queries: {scorable}, {verdict} (under {bound}).",
                fix="Add judged queries until there are at least 50: intervals narrow with the "
                "square root of their number.",
                evidence=({"scorable": scorable, "bound": bound},),
            )
    return None


_WORDING: Final = {
    DiagnosticCode.UNSCORABLE: (
        Severity.WARN,
        "Queries without a relevant document: {}. They are not sent and are in no mean.",
        'Judge a relevant document for each, or mark it "expect": "nothing".',
    ),
    DiagnosticCode.SAME_TEXT: (
        Severity.WARN,
        "Queries that repeat another's text under another id: {}. Each counts in every mean.",
        "Merge them, or keep them apart by cluster_id if their judgments differ on purpose.",
    ),
    DiagnosticCode.NEAR_IDENTICAL_TEXTS: (
        Severity.WARN,
        "Queries that differ from another only in case, width, spaces or punctuation: {}.",
        "Merge them, or give the rewritten one the other as parent and a kind.",
    ),
    DiagnosticCode.REPEAT_COLLAPSED: (
        Severity.INFO,
        "Judgments that said the same again and were collapsed: {}.",
        "Nothing needs to change; look for a double export if you expected none.",
    ),
}
