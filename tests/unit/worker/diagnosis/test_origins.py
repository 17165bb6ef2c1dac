"""Where queries come from, and which side of a split is better."""

import pytest

from reteval.contract.diagnostics import DiagnosticCode, Severity
from reteval.contract.testsets import Query
from tests.unit.worker.diagnosis.findings import an_answer, codes, find, some_facts
from worker.diagnosis.facts import Sample

Code = DiagnosticCode


@pytest.mark.parametrize(("written", "found"), [(6, True), (5, False), (0, False)])
def test_synthetic_share_above_half(written: int, *, found: bool) -> None:
    """More than half of the queries come from a model."""
    queries = [
        Query(id=str(at), query="x", source="LLM" if at < written else "log") for at in range(10)
    ]
    facts = some_facts([an_answer("a")] * 10, queries=queries)
    assert (Code.SYNTHETIC_SHARE in codes(facts)) is found
    if found:
        shown = find(facts, Code.SYNTHETIC_SHARE)
        assert shown.severity is Severity.WARN
        assert shown.evidence == ({"source": "LLM", "queries": 6}, {"source": "log", "queries": 4})


def test_no_queries_have_no_share() -> None:
    """Nothing scorable, nothing to say."""
    assert Code.SYNTHETIC_SHARE not in codes(some_facts([], judged=[]))


@pytest.mark.parametrize(
    ("tuned", "held", "found"),
    [
        (Sample(mean=0.5, n=50, sd=0.3), Sample(mean=0.7, n=50, sd=0.3), True),
        (Sample(mean=0.5, n=50, sd=0.3), Sample(mean=0.6, n=50, sd=0.3), False),
        (Sample(mean=0.7, n=50, sd=0.3), Sample(mean=0.5, n=50, sd=0.3), False),
        (Sample(mean=0.1, n=19, sd=0.1), Sample(mean=0.9, n=50, sd=0.1), False),
        (None, Sample(mean=0.9, n=50, sd=0.1), False),
        (Sample(mean=0.1, n=50, sd=0.1), None, False),
    ],
    ids=["reversed", "by chance", "as it should be", "too few", "no tune", "no holdout"],
)
def test_a_better_holdout_is_found(
    tuned: Sample | None, held: Sample | None, *, found: bool
) -> None:
    """Twenty queries a side and two standard errors."""
    facts = some_facts(tuned=tuned, held=held, split_metric="mrr")
    assert (Code.HOLDOUT_BETTER_THAN_TUNE in codes(facts)) is found
    if found:
        shown = find(facts, Code.HOLDOUT_BETTER_THAN_TUNE)
        assert [row["side"] for row in shown.evidence] == ["tuning", "held out"]
        assert "mrr" in shown.message
