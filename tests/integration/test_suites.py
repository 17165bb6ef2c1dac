"""A suite is run as one over the whole service, by client and command line."""

import io

import numpy as np
import pytest

from reteval import Client, RunStatus
from reteval.cli import main
from tests.endpoint import rankings, serve_answers

SETS = {"suite-docs": 6, "suite-faq": 3}


def texts(name: str) -> list[str]:
    """Return the queries of a set."""
    return [f"{name} {number}" for number in range(SETS[name])]


def test_a_suite_from_sets_to_macro_means(client: Client) -> None:
    """Each set has its own run and report; the macro mean is that of the sets, not of queries."""
    for name in SETS:
        queries = [{"query": text, "relevant_ids": [text]} for text in texts(name)]
        client.upload({"name": name, "queries": queries})
    client.create_suite({"name": "both", "test_sets": [*SETS], "weights": [1, 3]})
    lists = {text: [text] for text in texts("suite-docs")}
    lists |= {text: ["x", text] for text in texts("suite-faq")}
    with serve_answers(rankings(lists)) as endpoint:
        started = client.run_suite(
            "both", {"endpoint": {"url": endpoint.url}, "label": "k60", "metrics": ["mrr"]}
        )
        ended = client.wait_suite(started.id, timeout_s=60)
    assert ended.status is RunStatus.COMPLETED
    reports = [client.results(row.run) for row in ended.rows]
    assert [report.label for report in reports] == ["k60", "k60"]
    for row, report in zip(ended.rows, reports, strict=True):
        assert (row.metrics, row.counts) == (report.metrics, report.counts)
        assert row.num_queries == report.num_queries == SETS[row.test_set.name]
    assert ended.counts.planned == ended.num_queries == sum(SETS.values())
    assert ended.macro["mrr"].mean == pytest.approx(np.average([1.0, 0.5], weights=[1, 3]))
    assert [head.id for head in client.suite_runs("both")] == [ended.id]
    out = io.StringIO()
    words = ["--url", client.url, "suite", "results", ended.id]
    assert main(words, stdout=out, stderr=io.StringIO()) == 0
    assert "mrr         0.625" in out.getvalue()


def test_a_suite_is_cancelled_under_way(client: Client) -> None:
    """All its runs stop, those that wait and those that are at it."""
    queries = [{"query": text, "relevant_ids": ["d"]} for text in texts("suite-docs")]
    for name in ("slow-1", "slow-2"):
        client.upload({"name": name, "queries": queries})
    client.create_suite({"name": "slow", "test_sets": ["slow-1", "slow-2"]})
    lists = {text: ["d"] for text in texts("suite-docs")}
    with serve_answers(rankings(lists)) as endpoint:
        started = client.run_suite(
            "slow", {"endpoint": {"url": endpoint.url}, "limits": {"rate_per_s": 0.2}}
        )
        client.cancel_suite(started.id)
        ended = client.wait_suite(started.id, timeout_s=60)
    assert ended.status is RunStatus.CANCELLED
    assert {row.status for row in ended.rows} == {RunStatus.CANCELLED}
