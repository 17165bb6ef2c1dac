"""What a test of retrieval asks of the service, and what its failure says."""

from pathlib import Path

import httpx
import msgspec
import pytest

from reteval import Client
from reteval.ci.measuring import Below, Thresholds, measure
from reteval.contract.gates import By, Floor, Gate
from reteval.contract.runs import RunStatus
from tests.unit.reteval.documents import URL, Script, a_report, a_run, answer


def test_thresholds_are_gates() -> None:
    """Least means are floors of one gate, a file is one, too; without either there is none."""
    thresholds = Thresholds(
        at_least={"mrr": 0.5}, by=By.INTERVAL, min_queries=9, gate=Path("gate.yaml")
    )
    own, file = thresholds.gates()
    assert file == Path("gate.yaml")
    floor = Floor(metric="mrr", at_least=0.5, by=By.INTERVAL)
    assert own == Gate(name="retrieval", floors=(floor,), min_queries=9)
    assert Thresholds().gates() == []


def test_failed_run_says_why_there_are_no_queries_to_show() -> None:
    """An endpoint without an answer fails the test with the gate's words and the reason."""
    report = msgspec.structs.replace(a_report(), metrics=None, reason="endpoint_down")
    verdict = httpx.Response(
        200, content=b"retrieval: RUN_FAILED\n", headers={"X-Reteval-Exit-Code": "3"}
    )
    ended = answer(a_run(status=RunStatus.FAILED))
    service = Script([answer(a_run(), 202), ended, answer(report), verdict])
    http = httpx.Client(transport=httpx.MockTransport(service))
    thresholds = Thresholds(at_least={"mrr": 0.5})
    endpoint = {"url": "http://search.example/q", "method": "GET"}
    with Client(URL, http=http) as client, pytest.raises(Below) as caught:
        measure(client, endpoint, "docs", thresholds=thresholds, meta={"commit": "c"})
    assert str(caught.value) == ("retrieval: RUN_FAILED\n\nnothing was measured: endpoint_down")
    assert msgspec.json.decode(service.bodies[0]) == {
        "test_set": "docs",
        "endpoint": endpoint,
        "meta": {"commit": "c"},
        "metrics": ["mrr"],
    }
