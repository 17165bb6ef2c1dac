from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from reteval import Client, Results
from reteval.contract.runs import RunStatus
from tests.endpoint import serve_answers

TEXTS = [f"question {number}" for number in range(60)]


def grades(number: int) -> list[dict[str, Any]]:
    """Two graded documents a query."""
    return [{"id": f"best-{number}", "grade": 3}, {"id": f"fair-{number}", "grade": 1}]


def answer(text: str, *, good: bool) -> tuple[int, Any]:
    """Put the best document first, or last."""
    number = TEXTS.index(text)
    page = [f"best-{number}", f"other-{number}", f"fair-{number}"]
    return 200, page if good or number % 3 == 0 else page[::-1]


@pytest.fixture(scope="module")
def client(service_url: str) -> Iterator[Client]:
    """Open one client for the module."""
    with Client(service_url) as opened:
        yield opened


@pytest.fixture(scope="module")
def pair(client: Client) -> tuple[Results, Results]:
    """Run a worse and a better endpoint over the same set."""
    made = client.upload(
        {
            "name": "pair",
            "queries": [
                {
                    "query": text,
                    "relevant": grades(number),
                    "tags": ["even"] if not number % 2 else [],
                }
                for number, text in enumerate(TEXTS)
            ],
        }
    )
    reports = []
    for good in (False, True):
        with serve_answers(lambda text, good=good: answer(text, good=good)) as endpoint:
            run = client.run({"test_set": made.id, "endpoint": {"url": endpoint.url}})
            client.wait(run.id, timeout_s=60)
        reports.append(client.results(run.id))
    return reports[0], reports[1]


def post(service_url: str, path: str, body: dict[str, Any]) -> httpx.Response:
    """Send a body as any HTTP client would."""
    return httpx.post(f"{service_url}/v1{path}", json=body, timeout=40)


def test_better_endpoint_is_better(service_url: str, pair: tuple[Results, Results]) -> None:
    """A clear improvement is called better; the other way round it is worse by as much."""
    ids = [report.id for report in pair]
    forth = post(service_url, "/comparisons?wait=30", {"baseline": ids[0], "candidate": ids[1]})
    back = post(service_url, "/comparisons?wait=30", {"baseline": ids[1], "candidate": ids[0]})
    assert (forth.status_code, back.status_code) == (200, 200)
    better, worse = forth.json()["report"], back.json()["report"]
    assert (better["verdict"], worse["verdict"]) == ("better", "worse")
    assert better["n_common"] == 60
    gain = better["metrics"]["ndcg@10"]["difference"]["mean"]
    loss = worse["metrics"]["ndcg@10"]["difference"]["mean"]
    assert gain == pytest.approx(-loss)
    assert better["slices"]["tag:even"]["n"] == 30
    metrics = [report.metrics for report in pair]
    assert metrics[0]
    assert metrics[1]
    means = [found["ndcg@10"].mean for found in metrics if found]
    assert gain == pytest.approx((means[1] or 0) - (means[0] or 0))


def test_same_question_is_answered_once(service_url: str, pair: tuple[Results, Results]) -> None:
    """Asking again answers the same comparison, by POST and by GET."""
    body = {"baseline": pair[0].id, "candidate": pair[1].id, "metrics": ["mrr"]}
    first = post(service_url, "/comparisons?wait=30", body).json()
    again = post(service_url, "/comparisons?wait=30", body).json()
    read = httpx.get(f"{service_url}/v1/comparisons/{first['id']}", timeout=10).json()
    assert first == again == read


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"metrics": ["recall@77"]}, 422, "invalid"),
        ({"primary": "nonsense"}, 422, "invalid"),
        ({"candidate": "run_none"}, 404, "not_found"),
        ({"margin": 0}, 422, "invalid"),
    ],
)
def test_bad_questions_are_refused(
    service_url: str, pair: tuple[Results, Results], change: dict[str, Any], status: int, code: str
) -> None:
    """A comparison that cannot be made says why and where."""
    body = {"baseline": pair[0].id, "candidate": pair[1].id} | change
    refused = post(service_url, "/comparisons", body)
    assert (refused.status_code, refused.json()["code"]) == (status, code)
    assert refused.json()["errors"][0]["pointer"]


def test_rescore_needs_no_endpoint(
    client: Client, service_url: str, pair: tuple[Results, Results]
) -> None:
    """A child run has other metrics and threshold over the very answers of its parent."""
    asked = {
        "metrics": ["recall@2", "ndcg@3"],
        "relevant_from": 3,
        "label": "strict",
        "interval": "wald",
    }
    child = post(service_url, f"/runs/{pair[0].id}/rescore", asked).json()
    assert child["parent"] == pair[0].id
    assert client.wait(child["id"], timeout_s=30).status is RunStatus.COMPLETED
    report = client.results(child["id"])
    assert report.metrics is not None
    assert sorted(report.metrics) == ["ndcg@3", "recall@2"]
    assert report.metrics["recall@2"].mean == pytest.approx(1 / 3)
    assert report.definitions["threshold"] == 3
    assert report.metrics["ndcg@3"].method == "wald"
    assert [row.outcome for row in client.outcomes(child["id"])] == [
        row.outcome for row in client.outcomes(pair[0].id)
    ]


def test_rescore_with_a_newer_version_counts_what_it_cannot_score(
    client: Client, service_url: str, pair: tuple[Results, Results]
) -> None:
    """Changed judgments are scored anew; a query that the parent never sent is skipped, not 0."""
    queries = [
        {"query": text, "relevant_ids": [f"other-{number}"]}
        for number, text in enumerate([*TEXTS, "a new question"])
    ]
    newer = client.upload({"name": "pair", "queries": queries})
    asked = {"test_set": newer.id, "metrics": ["mrr"], "max_error_rate": 0.1}
    child = post(service_url, f"/runs/{pair[1].id}/rescore", asked).json()
    client.wait(child["id"], timeout_s=30)
    report = client.results(child["id"])
    assert report.status is RunStatus.COMPLETED_WITH_ERRORS
    assert (60, 1) == (report.counts.ok, report.counts.skipped)
    assert report.counts.failed_by_code == {"not_in_parent": 1}
    assert report.metrics is not None
    assert report.metrics["mrr"].mean == 0.5
    other = post(service_url, "/comparisons", {"baseline": pair[0].id, "candidate": child["id"]})
    assert (other.status_code, other.json()["code"]) == (409, "not_comparable")
    shared = post(
        service_url,
        "/comparisons?wait=30",
        {"baseline": pair[0].id, "candidate": child["id"], "on": "intersection"},
    )
    assert shared.json()["report"]["n_common"] == 60


def test_comparison_tells_whose_misspellings_hurt_more(client: Client, service_url: str) -> None:
    """An endpoint that forgives a misspelling is better under attack than one that does not."""
    made = client.upload(
        {
            "name": "attacked",
            "queries": [
                {"query": f"replace broken pedal {number}", "relevant_ids": [f"d{number}"]}
                for number in range(30)
            ],
        }
    )

    def strict(text: str) -> tuple[int, Any]:
        known = text.rpartition(" ")[0] == "replace broken pedal"
        return 200, [f"d{text.rpartition(' ')[2]}"] if known else []

    def forgiving(text: str) -> tuple[int, Any]:
        return 200, [f"d{text.rpartition(' ')[2]}"]

    runs = []
    for answer_to in (strict, forgiving):
        with serve_answers(answer_to) as endpoint:
            request = {
                "test_set": made.id,
                "endpoint": {"url": endpoint.url},
                "adversarial": {"kinds": ["control.repeat", "typo.transpose"], "severities": [1]},
            }
            run = client.run(request)
            client.wait(run.id, timeout_s=60)
        runs.append(run.id)
    asked = {"baseline": runs[0], "candidate": runs[1]}
    report = post(service_url, "/comparisons?wait=30", asked).json()["report"]
    (kind,) = report["robustness"]["kinds"]
    assert (kind["kind"], kind["verdict"]) == ("typo.transpose", "better")
    assert kind["baseline_drop"] == 1.0
    assert kind["candidate_drop"] == 0.0
