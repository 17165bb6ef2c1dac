"""Endpoints described field by field, through the whole service."""

from collections.abc import Iterator
from itertools import count
from typing import Any

from reteval import Client
from tests.endpoint import serve_answers

QUERIES = [
    {"id": f"q{n}", "query": f"query {n}", "relevant_ids": ["a"], "fields": {"turn": n}}
    for n in range(6)
]


def run(client: Client, answer: Any, name: str, **changes: Any) -> tuple[Any, list[str]]:
    """Run over the queries; return the report and the texts that were sent."""
    made = client.upload({"name": name, "queries": QUERIES})
    with serve_answers(answer) as endpoint:
        described = {"url": endpoint.url} | changes.pop("endpoint", {})
        started = client.run({"test_set": made.id, "endpoint": described} | changes)
        client.wait(started.id, timeout_s=60)
        return client.results(started.id), endpoint.seen


def test_rounds_tell_the_endpoints_noise(client: Client) -> None:
    """Every query is sent in every round; the report says how steady the answers were."""
    turns: Iterator[int] = count()

    def swap(text: str) -> tuple[int, Any]:
        odd = next(turns) % 2 and text == "query 0"
        return 200, ["b", "a"] if odd else ["a", "b"]

    report, seen = run(client, swap, "noise", repeat=4, metrics=["mrr"], limits={"concurrency": 1})
    assert sorted(seen) == sorted([query["query"] for query in QUERIES] * 4)
    block = report.stability
    assert (block.rounds, block.queries, block.left_out) == (4, 6, 0)
    assert block.identical in (1.0, 5 / 6)
    assert len(block.metrics["mrr"].means) == 4
    assert report.counts.planned == 6
    assert report.effort.attempts == 24
    assert report.metrics["mrr"].mean == block.metrics["mrr"].means[0]


def test_fields_roll_up_and_self_told_time(client: Client) -> None:
    """Fields of the query are sent, chunks become documents, and `took` is in the report."""
    seen: list[Any] = []

    def chunks(text: str) -> tuple[int, Any]:
        seen.append(text)
        hits = [{"id": f"{name}#{part}"} for part in range(3) for name in ("b", "a")]
        return 200, {"data": {"hits": hits}, "ms": 4, "ok": True}

    report, _ = run(
        client,
        chunks,
        "chunks",
        depth=3,
        metrics=["mrr", "recall@3"],
        endpoint={
            "body": {"query": "{{field.turn}}/{{query}}", "k": "{{k}}"},
            "hits": "data.hits",
            "took": "ms",
            "success": {"path": "ok"},
            "collapse_at": "#",
            "overfetch": 2,
        },
    )
    assert sorted(seen) == [f"{n}/query {n}" for n in range(6)]
    assert report.metrics["mrr"].mean == 0.5
    assert (report.counts.ok, report.counts.short_lists, report.counts.duplicate_hits) == (6, 6, 0)
    assert report.latency_ms.took.p50 == 4.0
    assert report.latency_ms.first_byte.n == 6
    outcome = next(iter(client.outcomes(report.id))).outcome
    assert (outcome.ids, outcome.returned, outcome.hits) == (["b", "a"], 2, 6)
