"""A judge that is a relative of the search is told, and nobody else is."""

import pytest

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from worker.diagnosis.judges import find_same_family


def pooled(*families: str) -> Diagnostic:
    """Return what a frozen set tells of its judges; its first row is about the pool."""
    judges = [{"rater": f"m{at}@1", "model": "m", "family": one} for at, one in enumerate(families)]
    return Diagnostic(
        code=DiagnosticCode.POOLED_JUDGMENTS,
        severity=Severity.INFO,
        message="pooled",
        fix="none",
        evidence=({"judging": "jdg_1"}, *judges),
    )


@pytest.mark.parametrize(
    ("told", "family", "raters"),
    [
        ([pooled("gpt", "llama")], " GPT ", ["m0@1"]),
        ([pooled("llama"), pooled("llama")], "llama", ["m0@1", "m0@1"]),
        ([pooled("gpt")], "llama", []),
        ([pooled("")], "", []),
        ([pooled()], "gpt", []),
        ([], "gpt", []),
    ],
)
def test_families_are_compared(told: list[Diagnostic], family: str, raters: list[str]) -> None:
    """Case and blanks apart; who declares nothing is related to nobody."""
    found = find_same_family(told, family)
    assert [row["rater"] for row in found.evidence] == raters if found else raters == []


def test_only_judges_count() -> None:
    """Another finding with such a row says nothing of judges."""
    other = Diagnostic(
        code=DiagnosticCode.UNJUDGED_PAIRS,
        severity=Severity.WARN,
        message="",
        fix="",
        evidence=({"family": "gpt"},),
    )
    assert find_same_family([other], "gpt") is None
