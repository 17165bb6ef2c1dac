"""Where queries come from."""

import pytest

from reteval.contract.diagnostics import DiagnosticCode, Severity
from reteval.contract.testsets import Query
from tests.unit.worker.diagnosis.findings import an_answer, codes, find, some_facts

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
