import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from reteval import Client, InvalidError, Results
from reteval.contract.runs import RunStatus
from tests.endpoint import Answer, rankings, serve_answers

CASES = Path(__file__).parents[3] / "shared" / "cases" / "metrics.json"


def load_cases() -> list[dict[str, Any]]:
    """Read the cases that only some machines have."""
    return json.loads(CASES.read_text("utf-8")) if CASES.exists() else []


SCORED = [case for case in load_cases() if "expect" in case]


def evaluate(
    client: Client, test_set: Mapping[str, Any], answer: Answer, **changes: Any
) -> Results:
    """Upload, run against a live endpoint, and fetch the report."""
    made = client.upload(dict(test_set))
    with serve_answers(answer) as endpoint:
        request = {"test_set": made.id, "endpoint": {"url": endpoint.url}} | changes
        run = client.run(request)
        client.wait(run.id, timeout_s=60)
    return client.results(run.id)


def mean(report: Results, metric: str) -> float | None:
    """Return a metric's mean."""
    assert report.metrics is not None
    return report.metrics[metric].mean


def test_graded_lesson(client: Client) -> None:
    """An endpoint that answers ids 1 to k finds one, two, then all three relevant documents."""
    test_set = {
        "name": "lesson-graded",
        "queries": [{"query": "anything", "relevant_ids": [1, 3, 5], "grades": [3, 2, 1]}],
    }
    report = evaluate(
        client,
        test_set,
        lambda _text: (200, [{"id": number} for number in range(1, 11)]),
        k_values=[1, 3, 5],
    )
    assert [1 / 3, 2 / 3, 1.0] == [mean(report, f"recall@{k}") for k in (1, 3, 5)]
    assert mean(report, "mrr") == 1.0


def test_second_document_lesson(client: Client) -> None:
    """Five queries, two of which miss their second document: recall@3 0.80, mrr 0.90."""
    lists = {
        "q0": ([13, 2, 4], [0, 13]),
        "q1": ([10, 2, 4], [9, 10]),
        "q2": ([8, 14, 7], [14]),
        "q3": ([4, 3, 8], [4]),
        "q4": ([5, 6, 3], [5, 6]),
    }
    test_set = {
        "name": "lesson-second",
        "queries": [{"query": text, "relevant_ids": ids} for text, (_, ids) in lists.items()],
    }
    answers = {text: list(found) for text, (found, _) in lists.items()}
    report = evaluate(client, test_set, rankings(answers), k_values=[3])
    assert mean(report, "recall@3") == pytest.approx(0.80, abs=1e-12)
    assert mean(report, "mrr") == pytest.approx(0.90, abs=1e-12)


@pytest.mark.skipif(not SCORED, reason="the shared cases are not on this machine")
@pytest.mark.parametrize("case", SCORED, ids=[case["id"] for case in SCORED])
def test_case_has_its_right_answer(client: Client, case: dict[str, Any]) -> None:
    """Each case known from a bug report elsewhere has its right answer here, over HTTP."""
    test_set = {"name": f"case-{case['id']}"} | case["test_set"]
    made = client.upload(test_set)
    answers = case.get("answers") or {q["query"]: ["A"] for q in test_set["queries"]}
    report = evaluate(client, test_set, rankings(answers), k_values=case["k_values"])
    assert case["expect"] == {
        metric: pytest.approx(mean(report, metric), abs=5e-7) for metric in case["expect"]
    }
    also = case.get("also", {})
    for name, value in also.get("counts", {}).items():
        assert getattr(report.counts, name) == value
    if "warning" in also:
        assert also["warning"] in [warning.code for warning in made.warnings]
    for metric in set(also) - {"counts", "warning"}:
        assert mean(report, metric) == pytest.approx(also[metric])


@pytest.mark.skipif(not SCORED, reason="the shared cases are not on this machine")
def test_impossible_inputs_are_refused(client: Client) -> None:
    """Each refused upload answers 422 and leaves the list of test sets as it was."""
    before = [made.id for made in client.test_sets()]
    refused = 0
    for case in load_cases():
        for upload in [*case.get("refuse_each", ()), *filter(None, [case.get("refuse")])]:
            with pytest.raises(InvalidError) as caught:
                client.upload({"name": "refused"} | upload)
            assert case["refuse_status"] == caught.value.status
            assert caught.value.errors
            refused += 1
    assert refused > 5
    assert before == [made.id for made in client.test_sets()]


@pytest.mark.parametrize("k", [0, -1, 1.5, "ten"])
def test_impossible_cut_offs_are_refused(client: Client, k: Any) -> None:
    """A cut-off that is no positive whole number answers 422 and names its place."""
    made = client.upload({"name": "cut", "queries": [{"query": "a", "relevant_ids": ["d"]}]})
    request = {"test_set": made.id, "endpoint": {"url": "http://127.0.0.1:9/"}, "k_values": [k]}
    with pytest.raises(InvalidError) as caught:
        client.run(request)
    assert [item.pointer for item in caught.value.errors] == ["/k_values/0"]


def failing_tenth(texts: Sequence[str]) -> Answer:
    """Answer 503 to every tenth text, and the right document to the others."""
    return lambda text: (
        (503, {"error": "busy"})
        if texts.index(text) % 10 == 0
        else (200, [f"doc-{texts.index(text)}"])
    )


def test_failures_are_counted_and_bounded(client: Client) -> None:
    """A tenth of 503s: counted, bounds as wide, never a zero; max_error_rate decides the status."""
    texts = [f"question {number}" for number in range(50)]
    test_set = {
        "name": "flaky",
        "queries": [
            {"query": text, "relevant_ids": [f"doc-{number}"]} for number, text in enumerate(texts)
        ],
    }
    strict = evaluate(client, test_set, failing_tenth(texts), limits={"retries": 0})
    assert (strict.status, strict.metrics) == (RunStatus.FAILED, None)
    assert (45, 5) == (strict.counts.ok, strict.counts.failed)
    assert strict.partial
    lenient = evaluate(
        client, test_set, failing_tenth(texts), limits={"retries": 0, "max_error_rate": 0.1}
    )
    assert lenient.status is RunStatus.COMPLETED_WITH_ERRORS
    assert lenient.metrics is not None
    recall = lenient.metrics["recall@1"]
    assert (recall.mean, recall.n, recall.bounds) == (1.0, 45, (0.9, 1.0))
    rows = [row for row in client.query_rows(lenient.id) if row.status == "failed"]
    assert len(rows) == 5
    assert all(row.metrics["recall@1"] is None and row.reason == "http_5xx" for row in rows)
