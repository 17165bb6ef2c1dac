"""Metrics put right by people, over real sockets: a lenient judge, and a person who knows."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import numpy as np
import pytest

from examples.judge.oracle import Oracle
from examples.judge.server import serve_judge
from tests.endpoint import serve_answers
from tests.judging import judge, make, model, pool, search, work
from worker.judging.priorities import ndcg

QUERIES = 40
PARTS = 4
LENIENT = ((0.1, 0.2, 0.6, 0.1), (0, 0.1, 0.3, 0.6), (0, 0, 0.2, 0.8), (0, 0, 0, 1))
"""A judge that gives what is worth nothing a 2 more often than not."""
TEXTS = {
    f"d{at}-{part}": f"Page {at}-{part} of the handbook, in words of its own."
    for at in range(QUERIES)
    for part in range(PARTS)
}


def grade(at: int, part: int) -> int:
    """Return what a document is worth: one is right, the others hardly are."""
    return 3 if part == at % PARTS else 0


def find(text: str) -> tuple[int, Any]:
    """Answer every query with its documents, in the order of their names."""
    at = int(text.split()[1].rstrip(":"))
    ids = [f"d{at}-{part}" for part in range(PARTS)]
    return 200, {"results": [{"id": doc, "text": TEXTS[doc]} for doc in ids]}


def oracle() -> Oracle:
    """Return what the judge was told, and how it errs."""
    grades = {
        (f"question {at}: what is it", TEXTS[f"d{at}-{part}"]): grade(at, part)
        for at in range(QUERIES)
        for part in range(PARTS)
    }
    return Oracle(grades, documents=TEXTS.values(), matrix=LENIENT)


def truth() -> float:
    """Return the endpoint's nDCG@4 by the right grades."""
    ranks = np.arange(1, PARTS + 1)[None, :]
    grades = np.array([[grade(at, part) for part in range(PARTS)] for at in range(QUERIES)])
    return float(ndcg(grades, ranks, k=PARTS).mean())


@pytest.fixture
async def path(client: httpx.AsyncClient, redis_url: str) -> AsyncIterator[str]:
    """Return the path of a judging that was pooled and judged by the lenient judge."""
    queries = [{"id": f"q{at}", "query": f"question {at}: what is it"} for at in range(QUERIES)]
    await client.post(
        "/v1/test-sets", json={"name": "many", "allow_unscorable": True, "queries": queries}
    )
    with serve_answers(find) as endpoint, serve_judge(oracle()) as fake:
        body = {"test_set": "many", "endpoints": [{"url": endpoint.url}], "depth": PARTS}
        path = (await client.post("/v1/judgings", json=body)).headers["Location"]
        await pool(client, path, redis_url)
        await judge(client, path, redis_url, model=model(fake.url), votes=3)
        yield path


async def review(
    client: httpx.AsyncClient, path: str, audit: str = "queries"
) -> list[dict[str, Any]]:
    """Return every pair of the drawn queries, or of the queue, that waits for a person."""
    rows: list[dict[str, Any]] = []
    cursor = ""
    while True:
        sent = {"audit": audit, "limit": 50, "cursor": cursor}
        page = (await client.get(f"{path}/review", params=sent)).json()
        rows += page["items"]
        cursor = page["next_cursor"]
        if not cursor:
            return rows


async def measure(client: httpx.AsyncClient, path: str, redis_url: str) -> dict[str, Any]:
    """Measure, and return what was found."""
    begun = await client.post(f"{path}/measure")
    await work(redis_url)
    job = (await client.get(begun.headers["Location"])).json()
    found: dict[str, Any] = job["report"]["measurement"]
    return found


def vote(row: dict[str, Any]) -> dict[str, Any]:
    """Say what a pair is really worth."""
    at, part = map(int, row["doc_id"][1:].split("-"))
    return {"query_id": row["query_id"], "doc_id": row["doc_id"], "grade": grade(at, part)}


async def test_metric_is_put_right_by_whole_random_queries(
    client: httpx.AsyncClient, path: str, redis_url: str
) -> None:
    """Before people said anything it is null with what to do; after that it is the truth."""
    early = await measure(client, path, redis_url)
    (row,) = early["metrics"]
    assert (row["config"], row["metric"]) == ("endpoint 1", f"ndcg@{PARTS}")
    assert row["debiased"]["corrected"]["value"] is None
    assert row["debiased"]["corrected"]["reason"] == "too_few_labelled"
    audit = early["query_audit"]
    assert (audit["sampled"], audit["labelled"], audit["pairs_left"]) == (30, 0, 120)
    assert f"{path}/review?audit=queries" in audit["fix"]
    rows = await review(client, path)
    assert {row["reason"] for row in rows} == {"query"}
    assert len({row["query_id"] for row in rows}) == 30
    assert len(rows) == 30 * PARTS
    await client.post(f"{path}/votes", json={"votes": [vote(row) for row in rows[: 20 * PARTS]]})
    assert await review(client, path) == rows[20 * PARTS :]
    late = await measure(client, path, redis_url)
    (row,) = late["metrics"]
    raw, corrected = row["debiased"]["raw"], row["debiased"]["corrected"]
    assert raw == early["metrics"][0]["debiased"]["raw"]
    assert (row["debiased"]["queries"], row["debiased"]["labelled"]) == (QUERIES, 20)
    assert abs(raw["value"] - truth()) > 0.1
    assert abs(corrected["value"] - truth()) < abs(raw["value"] - truth()) / 2
    assert corrected["ci"][0] <= truth() <= corrected["ci"][1]
    assert late["query_audit"]["fix"] is None


async def test_bands_of_labels_narrow_as_people_vote(
    client: httpx.AsyncClient, path: str, redis_url: str
) -> None:
    """People's grades are certain, and calibrate the judge's chances; "unrateable" is none."""
    rows = await review(client, path)
    unsaid = {**vote(rows[0]), "grade": "unrateable"}
    await client.post(f"{path}/votes", json={"votes": [unsaid]})
    early = (await measure(client, path, redis_url))["labels"]
    assert (early["queries"], early["calibrated_by"]) == (QUERIES, 0)
    assert 0 < early["uncertain"] <= QUERIES
    votes = [vote(row) for row in rows]
    await client.post(f"{path}/votes", json={"votes": votes})
    late = (await measure(client, path, redis_url))["labels"]
    assert late["calibrated_by"] == len(votes)
    assert late["mean_width"] < early["mean_width"] / 2
    assert len(late["widest"]) == 5


async def test_queue_is_made_anew_by_calibrated_chances(
    client: httpx.AsyncClient, path: str, redis_url: str
) -> None:
    """The same judge once more asks nothing; of pairs that nobody voted on others are in doubt."""
    rows = await review(client, path)
    await client.post(f"{path}/votes", json={"votes": [vote(row) for row in rows]})
    before = [row["doc_id"] for row in await review(client, path, "pairs")]
    (known,) = (await client.get(path)).json()["judges"]
    asked = {"model": known["request"]["model"], "votes": 3}
    judged = await judge(client, path, redis_url, **asked)
    assert judged["judges"][0]["progress"]["spent"]["calls"] == QUERIES * PARTS * 3
    after = [row["doc_id"] for row in await review(client, path, "pairs")]
    assert {row["doc_id"] for row in rows}.isdisjoint(after)
    assert after != before


async def test_without_a_judge_no_metric_is_told(client: httpx.AsyncClient, redis_url: str) -> None:
    """Six queries, judged by nobody: only how many pairs wait, and that they are too few."""
    with serve_answers(search()) as endpoint:
        path = await make(client, endpoint.url)
        await pool(client, path, redis_url)
    rows = await review(client, path)
    pair = {"query_id": rows[0]["query_id"], "doc_id": rows[0]["doc_id"], "grade": 1}
    await client.post(f"{path}/votes", json={"votes": [pair]})
    found = await measure(client, path, redis_url)
    assert (found["metrics"], found["labels"]) == ([], None)
    assert found["query_audit"]["pairs_left"] == len(rows) - 1
    assert found["query_audit"]["fix"] == "Judge more queries: of 6 no metric can be put right."


async def test_table_of_the_drawn_queries(client: httpx.AsyncClient, path: str) -> None:
    """As CSV it holds the same pairs as the pages, and reads back as votes."""
    sent = await client.get(f"{path}/review", params={"audit": "queries", "format": "csv"})
    lines = sent.text.splitlines()
    assert len(lines) == 1 + 30 * PARTS
    assert {line.split(",")[-4] for line in lines[1:]} == {"query"}
    refused = await client.get(f"{path}/review", params={"audit": "nothing"})
    assert refused.status_code == 422
