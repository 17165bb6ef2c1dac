"""Every check of a finished run, in the order a reader should see the findings."""

from collections.abc import Callable
from typing import Final

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode
from worker.diagnosis.answers import find_cut_answers, find_duplicates, find_short_answers
from worker.diagnosis.coverage import find_happy_path
from worker.diagnosis.facts import RunFacts
from worker.diagnosis.failures import find_failures
from worker.diagnosis.identifiers import find_id_trouble
from worker.diagnosis.judgments import find_low_judged
from worker.diagnosis.labels import find_binary_labels, find_collapsed_grades, find_single_relevant
from worker.diagnosis.rankings import find_constant_ranking, find_tied_scores
from worker.diagnosis.scores import find_high_score, find_saturated
from worker.diagnosis.sources import find_synthetic_share
from worker.diagnosis.zeros import find_metric_zero

_CHECKS: Final[tuple[Callable[[RunFacts], Diagnostic | None], ...]] = (
    find_id_trouble,
    find_failures,
    find_metric_zero,
    find_high_score,
    find_constant_ranking,
    find_low_judged,
    find_binary_labels,
    find_collapsed_grades,
    find_single_relevant,
    find_saturated,
    find_synthetic_share,
    find_tied_scores,
    find_duplicates,
    find_short_answers,
    find_cut_answers,
    find_happy_path,
)
_EXPLAINED: Final = {
    DiagnosticCode.ID_MISMATCH: {DiagnosticCode.METRIC_ZERO, DiagnosticCode.LOW_JUDGED},
}
"""What a finding explains: its consequences are not told a second time."""


def diagnose(facts: RunFacts) -> tuple[Diagnostic, ...]:
    """Return what a reader of the numbers must know, gravest kinds first."""
    findings = [finding for check in _CHECKS if (finding := check(facts)) is not None]
    explained = {code for finding in findings for code in _EXPLAINED.get(finding.code, ())}
    return tuple(finding for finding in findings if finding.code not in explained)
