"""From live runs to what to label next, and to the trend, over the whole service."""

import csv
import io
from typing import Any

from reteval import Client, RunStatus
from reteval.contract.diagnostics import DiagnosticCode, Severity
from tests.endpoint import Answer, rankings, serve_answers

QUERIES = [
    {"id": "q1", "query": "one", "relevant_ids": ["a"]},
    {"id": "q2", "query": "two", "relevant_ids": ["b"]},
    {"id": "q3", "query": "none", "expect": "nothing"},
]


def run(client: Client, test_set: str, answer: Answer, label: str) -> Any:
    """Run against an endpoint that answers so, and return the ended run."""
    with serve_answers(answer) as endpoint:
        endpoint_url = f"{endpoint.url}?port=any"
        started = client.run(
            {"test_set": test_set, "endpoint": {"url": endpoint_url}, "label": label}
        )
        return client.wait(started.id, timeout_s=60)


def test_labelling_and_trend(client: Client) -> None:
    """Two runs are pooled, a failed one is in the trend alone, and versions stay apart."""
    made = client.upload({"name": "labelling", "queries": QUERIES})
    lists = {"one": ["x", "a"], "two": ["y", "b", "x"], "none": ["z"]}
    run(client, made.id, rankings(lists), "first")
    run(client, made.id, rankings({**lists, "two": ["b"]}), "second")
    failed = run(client, made.id, lambda _text: (404, {}), "third")
    assert RunStatus.FAILED is failed.status

    pairs = list(client.unjudged("labelling", limit=1))
    assert [("q1", "x", 2.0, 2, 1), ("q2", "y", 1.0, 1, 1), ("q2", "x", 0.5, 1, 3)] == [
        (pair.query_id, pair.document_id, pair.value, pair.runs, pair.best_rank) for pair in pairs
    ]
    rows = list(csv.DictReader(io.StringIO(client.export_unjudged(made.id).decode())))
    assert ["one", "two", "two"] == [row["query"] for row in rows]

    client.upload({"name": "labelling", "queries": QUERIES[:1]})
    run(client, "labelling", rankings(lists), "newer")
    trend = client.trend("labelling", metric="mrr")
    points = {
        (series.version, point.label): (point.mean, point.status)
        for series in trend.series
        for point in series.points
    }
    assert {
        (1, "first"): (0.5, "completed"),
        (1, "second"): (0.75, "completed"),
        (1, "third"): (None, "failed"),
        (2, "newer"): (0.5, "completed"),
    } == points
    assert ["newer"] == [line["label"] for line in client.history("labelling")]


def test_empty_answers_are_explained(client: Client) -> None:
    """An endpoint that never finds anything gets a finding that blocks, not a bare 0."""
    made = client.upload({"name": "nothing-found", "queries": QUERIES[:2]})
    ended = run(client, made.id, lambda _text: (200, {"results": []}), "empty")
    found = {finding.code: finding for finding in client.results(ended.id).diagnostics}
    assert Severity.BLOCK is found[DiagnosticCode.METRIC_ZERO].severity
    assert DiagnosticCode.FEW_QUERIES in found
