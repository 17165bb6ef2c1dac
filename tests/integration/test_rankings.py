import io
import json
import zipfile
from typing import Any

import httpx
import pytest

from reteval import AsyncClient, Client, Results
from reteval.contract.runs import RunStatus

TEST_SET = {
    "name": "uploaded",
    "queries": [
        {"id": "q1", "query": "one", "relevant_ids": ["a"]},
        {"id": "q2", "query": "two", "relevant_ids": ["b"]},
        {"id": "q3", "query": "three", "relevant_ids": ["c"]},
    ],
}
TREC = b"q1 Q0 a 1 2 t\nq2 Q0 x 1 2 t\nq2 Q0 b 2 1 t\n"


def post(service_url: str, head: dict[str, Any], rankings: bytes) -> httpx.Response:
    """Upload rankings as any HTTP client would."""
    files = {
        "request": ("request.json", json.dumps(head).encode(), "application/json"),
        "rankings": ("run.trec", rankings, "text/plain"),
    }
    return httpx.post(f"{service_url}/v1/rankings", files=files, timeout=30)


def score(client: Client, service_url: str, rankings: bytes, **head: Any) -> Results:
    """Upload rankings, wait and fetch the report."""
    made = client.upload(TEST_SET)
    accepted = post(service_url, {"test_set": made.id} | head, rankings)
    assert accepted.status_code == 202, accepted.text
    client.wait(accepted.json()["id"], timeout_s=30)
    return client.results(accepted.json()["id"])


def test_trec_run_is_scored_without_an_endpoint(client: Client, service_url: str) -> None:
    """Numbers are those of the run; the query it lacks is skipped, bounded and never a 0."""
    report = score(client, service_url, TREC, metrics=["mrr"], label="offline")
    assert report.status is RunStatus.COMPLETED_WITH_ERRORS
    assert report.metrics is not None
    assert (report.metrics["mrr"].mean, report.metrics["mrr"].n) == (0.75, 2)
    assert report.metrics["mrr"].bounds == pytest.approx((0.5, 1.5 / 3 + 1 / 3))
    assert report.counts.failed_by_code == {"not_in_rankings": 1}
    assert report.effort.attempts == 0


def test_missing_queries_may_be_refused(client: Client, service_url: str) -> None:
    """With max_error_rate 0 a run file that lacks a query has no result of its own."""
    report = score(client, service_url, TREC, metrics=["mrr"], max_error_rate=0.0)
    assert (report.status, report.metrics) == (RunStatus.FAILED, None)


def test_json_lines_carry_empty_and_failed_queries(client: Client, service_url: str) -> None:
    """An empty list is an answer worth 0; a reported failure is not."""
    rows = [
        {"query_id": "q1", "ids": ["a"]},
        {"query_id": "q2", "ids": []},
        {"query_id": "q3", "error": "no answer"},
    ]
    lines = "\n".join(json.dumps(row) for row in rows).encode()
    report = score(client, service_url, lines, metrics=["mrr"])
    assert report.metrics is not None
    assert (report.metrics["mrr"].mean, report.metrics["mrr"].n) == (0.5, 2)
    assert (report.counts.ok_empty, report.counts.failed) == (1, 1)


def test_bad_uploads_name_their_place(client: Client, service_url: str) -> None:
    """A wrong part, head or line is refused and nothing is made of it."""
    made = client.upload(TEST_SET)
    for head, rankings, status, pointer in (
        ({"test_set": "none"}, TREC, 404, "/test_set"),
        ({"test_set": made.id, "metrics": ["x"]}, TREC, 422, "/request/metrics"),
        ({"test_set": made.id}, b"", 422, "/rankings"),
        ({"test_set": made.id}, b"q1 Q0 a 1\n", 422, ""),
    ):
        refused = post(service_url, head, rankings)
        assert refused.status_code == status
        assert refused.json()["errors"][0]["pointer"] == pointer
    files = {"request": ("r", b"{}", "application/json")}
    lacking = httpx.post(f"{service_url}/v1/rankings", files=files, timeout=10)
    assert lacking.json()["errors"][0]["pointer"] == "/rankings"


def test_function_is_evaluated_without_an_endpoint(client: Client) -> None:
    """A Python function's rankings are scored like an endpoint's; what it raises is a failure."""
    made = client.upload(TEST_SET)

    def search(query: str, k: int) -> list[str]:
        if query == "three":
            raise TimeoutError("too slow")
        return {"one": ["a"], "two": ["x", "b"]}[query][:k]

    report = client.evaluate(search, made.id, k=5, metrics=["mrr"], timeout_s=30)
    assert report.metrics is not None
    assert report.metrics["mrr"].mean == 0.75
    assert (report.depth, report.counts.failed) == (5, 1)
    (failed,) = [row for row in client.outcomes(report.id) if row.outcome.status == "failed"]
    assert failed.outcome.detail == "TimeoutError: too slow"


async def test_coroutine_function_is_evaluated(service_url: str, client: Client) -> None:
    """The asynchronous client does the same with a coroutine function."""
    made = client.upload(TEST_SET)

    async def search(query: str, _k: int) -> list[str]:
        return {"one": ["a"], "two": ["b"], "three": ["c"]}[query]

    async with AsyncClient(service_url) as asynchronous:
        report = await asynchronous.evaluate(search, made.id, metrics=["mrr"], timeout_s=30)
    assert report.metrics is not None
    assert report.metrics["mrr"].mean == 1.0


def test_files_of_rows_are_those_of_the_export(client: Client, service_url: str) -> None:
    """The run and qrels that a client writes are, byte for byte, those of the `trec` export."""
    report = score(client, service_url, TREC, metrics=["mrr"])
    with zipfile.ZipFile(io.BytesIO(client.export(report.id, "trec"))) as exported:
        files = {name: exported.read(name).decode() for name in ("run.trec", "qrels.trec")}
    answered = [row.query_id for row in client.outcomes(report.id) if row.outcome.status == "ok"]
    run = client.outcomes(report.id).to_trec_run(depth=report.depth, tag=report.id)
    assert run == files["run.trec"]
    assert client.queries(report.test_set.id).to_qrels(answered) == files["qrels.trec"]
