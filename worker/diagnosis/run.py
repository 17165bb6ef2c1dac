"""Every check of a finished run, in the order a reader should see the findings."""

from collections.abc import Callable
from typing import Final

from reteval.contract.diagnostics import Diagnostic
from worker.diagnosis.answers import find_cut_answers, find_duplicates, find_short_answers
from worker.diagnosis.coverage import find_happy_path
from worker.diagnosis.facts import RunFacts
from worker.diagnosis.failures import find_failures
from worker.diagnosis.identifiers import find_id_mismatch
from worker.diagnosis.labels import find_binary_labels
from worker.diagnosis.scores import find_high_score

_CHECKS: Final[tuple[Callable[[RunFacts], Diagnostic | None], ...]] = (
    find_id_mismatch,
    find_failures,
    find_high_score,
    find_binary_labels,
    find_duplicates,
    find_short_answers,
    find_cut_answers,
    find_happy_path,
)


def diagnose(facts: RunFacts) -> tuple[Diagnostic, ...]:
    """Return what a reader of the numbers must know, gravest kinds first."""
    findings = (check(facts) for check in _CHECKS)
    return tuple(finding for finding in findings if finding is not None)
