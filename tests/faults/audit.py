"""Whether a run's report follows from its outcomes, and those from what its endpoint was asked."""

from collections import Counter
from typing import Any

import msgspec

from reteval import Client
from reteval.contract.outcomes import OutcomeRow, OutcomeStatus
from reteval.contract.results import Results
from reteval.contract.testsets import Query
from tests.endpoint import Endpoint
from tests.faults.collection import search
from tests.reference_metrics import Summary, summarise

Numbers = dict[str, Any]


def audit_run(client: Client, run_id: str, endpoint: Endpoint) -> Results:
    """Check a run that has ended, whatever its end, and return its report.

    Raises:
        AssertionError: something was lost, counted twice, or not what it says.
    """
    report = client.results(run_id)
    rows = list(client.outcomes(run_id))
    queries = list(client.queries(report.test_set.id))
    check_outcomes(report, rows, queries)
    check_metrics(report, rows, queries)
    check_rankings(report, rows, endpoint)
    return report


def check_outcomes(report: Results, rows: list[OutcomeRow], queries: list[Query]) -> None:
    """Each query has one outcome, in order, and the counts are theirs."""
    counts = report.counts
    assert [row.query_id for row in rows] == [query.id for query in queries]
    told = Counter(str(row.outcome.status) for row in rows)
    assert told == +Counter({status: getattr(counts, status) for status in OutcomeStatus})
    assert counts.planned == counts.ok + counts.ok_empty + counts.failed + counts.skipped


def check_metrics(report: Results, rows: list[OutcomeRow], queries: list[Query]) -> None:
    """The reference finds the report's numbers in the outcomes, bit for bit."""
    metrics = report.metrics
    if metrics is None:
        metrics = report.partial.metrics if report.partial else {}
    grades = [
        {str(judged.id): judged.grade for judged in query.relevant or ()} for query in queries
    ]
    rankings = [row.outcome.ids if row.outcome.status.answered else None for row in rows]
    for name, found in metrics.items():
        stored = Summary(mean=found.mean, n=found.n, sd=found.sd, bounds=found.bounds)
        assert stored == summarise(name, rankings, grades), name


def check_rankings(report: Results, rows: list[OutcomeRow], endpoint: Endpoint) -> None:
    """Whatever counts as answered was asked for by this run, and answered like that."""
    asked = {text for text, _ in sent_by(report.id, endpoint)}
    for row in rows:
        if row.outcome.status.answered:
            assert row.query in asked
            hits = [hit["id"] for hit in search(row.query)[1]]
            assert row.outcome.ids == hits[: report.depth]


def sent_by(run_id: str, endpoint: Endpoint) -> list[tuple[str, float]]:
    """Return text and time of each request that a run sent, in order."""
    return [
        (received.text, received.at)
        for received in endpoint.log
        if received.headers.get("x-reteval-run") == run_id
    ]


def count_repeats(run_id: str, endpoint: Endpoint) -> int:
    """Count the requests of a run beyond one a query."""
    texts = [text for text, _ in sent_by(run_id, endpoint)]
    return len(texts) - len(set(texts))


def numbers_of(report: Results) -> Numbers:
    """Return what two runs over the same answers must agree in, bit for bit.

    How hard a query is follows from the runs before, which are others for the second one.
    """
    kept = ("status", "num_queries", "counts", "metrics", "slices", "definitions", "depth")
    whole: Numbers = msgspec.to_builtins(report)
    numbers = {name: whole.get(name) for name in kept}
    numbers["slices"] = {
        name: each for name, each in whole["slices"].items() if not name.startswith("difficulty:")
    }
    rules = dict(whole["definitions"]["slices"])
    rules.pop("difficulty", None)
    numbers["definitions"] = whole["definitions"] | {"slices": rules}
    return numbers
