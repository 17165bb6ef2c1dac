import pytest

from reteval import GateFailedError
from reteval.contract.gates import DropLimit, Floor, Gate, GateOutcome, RuleStatus
from tests.unit.reteval.decisions import a_rule, a_verdict

GATE = Gate(
    floors=(Floor(metric="recall@5", at_least=0.9),),
    drops=(DropLimit(metric="mrr", max_drop=0.02),),
)


def test_gate_that_passes_raises_nothing() -> None:
    """Only what does not pass is an error."""
    a_verdict(verdict=GateOutcome.PASS).raise_for_gate()


def test_failed_gate_carries_what_failed() -> None:
    """Metric, value and threshold of the first rule that does not hold, and the whole verdict."""
    verdict = a_verdict(gate=GATE)
    with pytest.raises(GateFailedError) as caught:
        verdict.raise_for_gate()
    failed = caught.value
    assert (failed.metric, failed.value, failed.threshold) == ("recall@5", 0.81, 0.9)
    assert (failed.result, failed.rules) == (verdict, (verdict.rules[1],))
    assert str(failed) == "The gate fails.\n  fail: 0.81 is below 0.9"
    assert isinstance(failed, AssertionError)


@pytest.mark.parametrize(
    ("pointer", "metric"),
    [("/drops/0", "mrr"), ("/caps/p95_ms", None), ("/run", None), ("/drops/7", None)],
)
def test_metric_is_found_by_the_place_of_a_rule(pointer: str, metric: str | None) -> None:
    """Rules about something else have no metric."""
    assert a_verdict(gate=GATE).metric_of(a_rule(pointer=pointer)) == metric


def test_verdict_without_rules_still_fails() -> None:
    """A verdict of a later release that says no more is no pass."""
    verdict = a_verdict(verdict=GateOutcome.INCONCLUSIVE, rules=(a_rule(status=RuleStatus.PASS),))
    with pytest.raises(GateFailedError) as caught:
        verdict.raise_for_gate()
    assert (caught.value.metric, caught.value.value, caught.value.threshold) == (None, None, None)
