"""Scores that tell nothing apart."""

import pytest
from msgspec import structs

from reteval.contract.diagnostics import DiagnosticCode
from reteval.contract.outcomes import Outcome
from tests.unit.worker.diagnosis.findings import an_answer, codes, find, some_facts

Code = DiagnosticCode


def scored(*scores: float) -> Outcome:
    """Return an answer with these scores."""
    answer = an_answer(*(f"d{at}" for at in range(len(scores))))
    return structs.replace(answer, scores=list(scores))


@pytest.mark.parametrize(
    ("answers", "found"),
    [
        ([scored(1, 1)] * 10, True),
        ([scored(1, 1)] * 9 + [scored(2, 1)], True),
        ([scored(1, 1)] * 8 + [scored(2, 1)] * 2, False),
        ([scored(1, 1)] * 9, False),
        ([scored(1)] * 10, False),
        ([an_answer("a", "b")] * 10, False),
    ],
    ids=["all", "nine in ten", "eight in ten", "too few", "one hit each", "no scores"],
)
def test_ties_in_nearly_all_answers_are_found(answers: list[Outcome], *, found: bool) -> None:
    """From ten answers of two scored hits on."""
    facts = some_facts(answers)
    assert (Code.SCORES_MISSING_TIES in codes(facts)) is found
    if found:
        assert find(facts, Code.SCORES_MISSING_TIES).evidence[0]["score"] == 1
