from typing import Any

import msgspec
import pytest

from reteval.contract.gates import DropLimit, Floor, GateRequest
from service.core.gates.checks import MAX_ERRORS, check_gate
from service.errors import InvalidError

FLOOR = {"metric": "mrr", "at_least": 0.5}
DROP = {"metric": "mrr", "max_drop": 0.02}


def gate(**fields: Any) -> GateRequest:
    """Return a gate request from its JSON."""
    return msgspec.convert({"run": "run_1", **fields}, GateRequest)


def test_metrics_get_their_canonical_names() -> None:
    """Spellings of other tools are those metrics."""
    checked = check_gate(
        gate(
            baseline="run_0",
            floors=[{"metric": "R@5", "at_least": 0.5}],
            drops=[{"metric": "nDCG@10", "max_drop": 0}],
        )
    )
    assert checked.floors == (Floor(metric="recall@5", at_least=0.5),)
    assert checked.drops == (DropLimit(metric="ndcg@10", max_drop=0.0),)


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"run": None, "floors": [FLOOR]}, "/run"),
        ({"comparison": "cmp_1", "floors": [FLOOR]}, "/run"),
        ({"run": None, "comparison": "cmp_1", "baseline": "r", "floors": [FLOOR]}, "/baseline"),
        ({"drops": [DROP]}, "/baseline"),
        ({"baseline": {}, "drops": [DROP]}, "/baseline"),
        ({"baseline": "run_1", "drops": [DROP]}, "/baseline"),
        ({"floors": [FLOOR, {"metric": "ndgc@10", "at_least": 0.5}]}, "/floors/1/metric"),
        ({"baseline": "r", "drops": [{"metric": "ndcg", "max_drop": 0}]}, "/drops/0/metric"),
        ({"adversarial": [{"kind": "typo", "max_drop": 0}]}, "/adversarial/0/kind"),
        ({}, ""),
        ({"name": "a\nb", "floors": [FLOOR]}, "/name"),
        (
            {
                "baseline": "r",
                "drops": [{"metric": f"recall@{k}", "max_drop": 0} for k in range(1, 52)],
            },
            "/drops",
        ),
    ],
)
def test_gate_that_breaks_a_rule(fields: dict[str, Any], pointer: str) -> None:
    """Each contradiction is named with its place and a fix."""
    with pytest.raises(InvalidError) as caught:
        check_gate(gate(**fields))
    assert [item.pointer for item in caught.value.errors] == [pointer]
    assert caught.value.errors[0].fix


@pytest.mark.parametrize(
    "fields", [{"block_on": ["few_queries"]}, {"min_queries": 30}, {"caps": {"p95_ms": 5}}]
)
def test_gate_of_one_rule_of_any_sort(fields: dict[str, Any]) -> None:
    """One rule of any sort makes a gate."""
    assert check_gate(gate(**fields)) == gate(**fields)


def test_errors_are_bounded() -> None:
    """A gate of a hundred wrong names answers the first twenty."""
    with pytest.raises(InvalidError) as caught:
        check_gate(gate(floors=[{"metric": "x", "at_least": 0}] * 100))
    assert len(caught.value.errors) == MAX_ERRORS
