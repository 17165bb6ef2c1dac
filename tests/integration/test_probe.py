"""Probes, the canary and the id rule over a real service: from a wrong description to the patch."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from reteval import Client
from reteval.contract.outcomes import FailureCode
from reteval.contract.runs import RunStatus
from tests.endpoint import Answer, serve_answers

QUERIES = 30


@pytest.fixture(scope="module")
def client(service_url: str) -> Iterator[Client]:
    """Open one client for the module."""
    with Client(service_url) as opened:
        yield opened


@pytest.fixture(scope="module")
def test_set(client: Client) -> str:
    """Upload questions with one relevant document each."""
    made = client.upload(
        {
            "name": "probed",
            "queries": [
                {"id": f"q{at}", "query": f"question {at}", "relevant_ids": [f"guide-{at}"]}
                for at in range(QUERIES)
            ],
        }
    )
    return made.id


def answering(shape: Callable[[list[str]], Any]) -> Answer:
    """Answer each question with its guide between two others, in some shape of JSON."""

    def answer(text: str) -> tuple[int, Any]:
        at = int(text.rpartition(" ")[2])
        return 200, shape([f"guide-{at + 40}", f"guide-{at}", f"guide-{at + 80}"])

    return answer


def nested(ids: list[str]) -> Any:
    """Wrap hits as a vector store does, the document in the metadata."""
    hits = [
        {"pk": f"chunk{at}", "score": 1 - at / 10, "metadata": {"source": f"docs/{doc}.md"}}
        for at, doc in enumerate(ids)
    ]
    return {"response": {"docs": hits}, "status": "fine"}


def test_probe_finds_the_patch_that_makes_a_run_work(client: Client, test_set: str) -> None:
    """A wrong shape, a wrong field and a wrong spelling at once: the patch is pasted, and works."""
    with serve_answers(answering(nested)) as endpoint:
        probe = client.probe(
            {
                "endpoint": {"url": endpoint.url, "headers": {"X-Api-Key": "s3cret-value"}},
                "test_set": test_set,
            }
        )
        assert probe.status is RunStatus.COMPLETED
        assert probe.report is not None
        assert len(probe.report.answers) == 5
        first = probe.report.answers[0]
        assert first.code is FailureCode.SCHEMA
        assert first.request is not None
        assert first.request.headers["X-Api-Key"] == "***"
        assert "question 0" in (first.request.body or "")
        assert first.hits[0]["metadata"]["source"] == "docs/guide-40.md"
        best = probe.report.suggestions[0]
        assert best.proven
        patch = best.patch["endpoint"]
        assert (patch["hits"], patch["id"]) == ("response.docs", "metadata.source")
        run = client.run({"test_set": test_set, "endpoint": {"url": endpoint.url, **patch}})
        assert client.wait(run.id, timeout_s=60).status is RunStatus.COMPLETED
    metrics = client.results(run.id).metrics
    assert metrics is not None
    assert metrics["recall@3"].mean == 1.0


def test_run_with_other_ids_blocks_and_carries_the_patch(client: Client, test_set: str) -> None:
    """Ids with chunk numbers never match: the run says so, blocks, and shows what to paste."""
    with serve_answers(answering(lambda ids: [f"{doc}#2" for doc in ids])) as endpoint:
        run = client.run({"test_set": test_set, "endpoint": {"url": endpoint.url}})
        client.wait(run.id, timeout_s=60)
        found = {one.code.value: one for one in client.results(run.id).diagnostics}
        blocked = found["id_mismatch"]
        assert isinstance(blocked.patch, dict)
        mended = client.run(
            {"test_set": test_set, "endpoint": {"url": endpoint.url, **blocked.patch["endpoint"]}}
        )
        client.wait(mended.id, timeout_s=60)
    report = client.results(mended.id)
    assert report.metrics is not None
    assert report.metrics["mrr"].mean == pytest.approx(0.5)


def test_canary_stops_a_run_that_cannot_work(client: Client, test_set: str) -> None:
    """Ten requests that all fail alike are enough; the rest is skipped and the report says why."""
    with serve_answers(answering(nested)) as endpoint:
        run = client.run({"test_set": test_set, "endpoint": {"url": endpoint.url}})
        ended = client.wait(run.id, timeout_s=60)
        assert len(endpoint.seen) == 10
    assert (ended.status, ended.error) == (RunStatus.FAILED, "canary: schema")
    report = client.results(run.id)
    assert (report.counts.failed, report.counts.skipped) == (10, QUERIES - 10)
    assert report.counts.failed_by_code == {"schema": 10, "circuit_open": 20}
    finding = report.diagnostics[0]
    assert finding.code.value == "canary_failed"
    assert isinstance(finding.patch, dict)
    assert finding.patch["endpoint"]["id"] == "metadata.source"


def test_probe_of_own_queries_without_judgments(client: Client) -> None:
    """Without a test set the answers are shown, and what looks like the hits."""
    with serve_answers(answering(nested)) as endpoint:
        probe = client.probe(
            {"endpoint": {"url": endpoint.url}, "queries": [{"query": "question 1"}]}
        )
    assert probe.report is not None
    assert probe.report.overlap.overlap_q is None
    assert probe.report.suggestions[0].patch["endpoint"]["hits"] == "response.docs"


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"endpoint": {"url": "http://127.0.0.1:9/"}}, "/queries"),
        ({"endpoint": {"url": "http://127.0.0.1:9/"}, "test_set": "nowhere"}, "/test_set"),
        (
            {
                "endpoint": {"url": "http://127.0.0.1:9/", "id_rule": [{"op": "split"}]},
                "queries": [{"query": "x"}],
            },
            "/endpoint/id_rule/0",
        ),
    ],
)
def test_bad_probes_are_refused(service_url: str, body: dict[str, Any], pointer: str) -> None:
    """What cannot be probed is said at once, with its place."""
    refused = httpx.post(f"{service_url}/v1/probes", json=body, timeout=20)
    assert refused.status_code in (404, 422)
    assert refused.json()["errors"][0]["pointer"] == pointer


def test_unknown_probe_is_not_found(service_url: str) -> None:
    """Neither an unknown id nor a run's is a probe."""
    for name in ("prb_none", "run_none"):
        assert httpx.get(f"{service_url}/v1/probes/{name}", timeout=10).status_code == 404
