"""Pooling: what is in a pool, where it came from, and what a failure or a death leaves."""

import json
from collections import Counter
from typing import Any

import httpx

from service.store.store import Store
from tests.endpoint import serve_answers
from tests.judging import QUERIES, TEXTS, list_pairs, make, pool, search, work
from tests.unit.service.api.ended import TEST_SET, end_run, run_body


async def test_pool_is_the_union_with_where_each_was_seen(
    client: httpx.AsyncClient, redis_url: str
) -> None:
    """Both endpoints' documents with their ranks, the known ones, and one random of others'."""
    with serve_answers(search()) as first, serve_answers(search((1, 3))) as second:
        path = await make(client, first.url, second.url, random=1)
        found = await pool(client, path, redis_url)
    counts = found["pool"]
    assert (counts["searches"], counts["failed_searches"], counts["known"]) == (12, 0, 2)
    assert (counts["random"], counts["without_text"]) == (6, 0)
    rows = await list_pairs(client, path)
    assert len(rows) == counts["pairs"]
    seen = {(row["query_id"], row["pair"]["doc_id"]): row["pair"] for row in rows}
    both = seen["q1", "d11"]
    assert both["found"] == [
        {"config": "endpoint 1", "rank": 2},
        {"config": "endpoint 2", "rank": 1},
    ]
    assert both["text"] == TEXTS["d11"]
    assert both["fetched_at"].endswith("Z")
    assert len(both["text_sha256"]) == 64
    known = seen["q0", "d53"]
    assert (known["known"], known.get("found"), known["text"]) == (0, None, TEXTS["d53"])
    drawn = [pair for pair in seen.values() if pair.get("random")]
    assert all("found" not in pair and pair["text"] for pair in drawn)


async def test_order_and_draws_are_by_the_seed(client: httpx.AsyncClient, redis_url: str) -> None:
    """The same seed, the same pools in the same order; another, another order."""
    orders = []
    with serve_answers(search()) as endpoint:
        for seed in (1, 1, 2):
            path = await make(client, endpoint.url, seed=seed, random=2)
            await pool(client, path, redis_url)
            rows = await list_pairs(client, path)
            orders.append([row["pair"]["doc_id"] for row in rows])
    assert orders[0] == orders[1]
    assert orders[0] != orders[2]


async def test_run_is_pooled_without_texts(
    client: httpx.AsyncClient, store: Store, redis_url: str
) -> None:
    """A run's rankings of the same queries go in under its id, a repeated document once."""
    await client.post("/v1/test-sets", json=TEST_SET)
    run = (await client.post("/v1/runs", json=run_body())).json()["id"]
    await end_run(store, run)
    body = {"test_set": "ended", "runs": [run], "depth": 2}
    path = (await client.post("/v1/judgings", json=body)).headers["Location"]
    found = await pool(client, path, redis_url)
    assert (found["pool"]["searches"], found["pool"]["failed_searches"]) == (3, 1)
    seen = {row["pair"]["doc_id"]: row["pair"] for row in await list_pairs(client, path)}
    assert [seen[doc].get("found") for doc in ("d1", "d 2", "d3", "d4")] == [
        [{"config": run, "rank": 1}],
        [{"config": run, "rank": 2}],
        None,
        None,
    ]
    assert found["pool"]["without_text"] == 4


async def test_failed_searches_are_sent_again_and_no_others(
    client: httpx.AsyncClient, redis_url: str
) -> None:
    """An endpoint that fails for two queries leaves them out; asked again, it gets these alone."""
    answer, failing = search(), [True]

    def stumble(text: str) -> tuple[int, Any]:
        broken = failing[0] and text in (QUERIES["q2"], QUERIES["q4"])
        return (500, {}) if broken else answer(text)

    with serve_answers(stumble) as endpoint:
        path = await make(client, endpoint.url, limits={"retries": 0})
        first = await pool(client, path, redis_url)
        assert (first["state"], first["pool"]["failed_searches"]) == ("pooled", 2)
        assert {row["query_id"] for row in await list_pairs(client, path)} == {
            *("q0", "q1", "q3", "q5")
        }
        failing.clear()
        failing.append(False)
        asked = len(endpoint.seen)
        second = await pool(client, path, redis_url)
        assert Counter(endpoint.seen[asked:]) == Counter((QUERIES["q2"], QUERIES["q4"]))
    assert second["pool"]["failed_searches"] == 0
    assert {row["query_id"] for row in await list_pairs(client, path)} == set(QUERIES)


async def test_pool_with_votes_stays_as_it_is(client: httpx.AsyncClient, redis_url: str) -> None:
    """Once somebody has voted, another pooling is refused."""
    with serve_answers(search()) as endpoint:
        path = await make(client, endpoint.url)
        await pool(client, path, redis_url)
    vote = {"query_id": "q1", "doc_id": "d10", "grade": 1}
    await client.post(f"{path}/votes", json={"votes": [vote]})
    refused = await client.post(f"{path}/pool")
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid")


async def test_endpoint_that_returns_no_texts(client: httpx.AsyncClient, redis_url: str) -> None:
    """Pairs without a text are counted, and wait for people."""
    with serve_answers(search(texts=False)) as endpoint:
        path = await make(client, endpoint.url)
        found = await pool(client, path, redis_url)
    assert found["pool"]["without_text"] == found["pool"]["pairs"]
    review = (await client.get(f"{path}/review")).json()["items"]
    assert {row["reason"] for row in review} == {"unjudged"}
    assert len(review) == found["pool"]["pairs"] - found["pool"]["known"]


async def test_cancelled_before_a_worker_took_it(client: httpx.AsyncClient, redis_url: str) -> None:
    """No search is sent, and pooling can be asked for again."""
    with serve_answers(search()) as endpoint:
        path = await make(client, endpoint.url)
        await client.post(f"{path}/pool")
        busy = await client.post(f"{path}/pool")
        assert (busy.status_code, busy.json()["code"]) == (409, "judging_busy")
        held = await client.delete(path)
        assert (held.status_code, held.json()["code"]) == (409, "judging_busy")
        await client.post(f"{path}/cancel")
        await work(redis_url)
        assert endpoint.seen == []
        assert (await client.get(path)).json()["state"] == "cancelled"
        assert (await pool(client, path, redis_url))["state"] == "pooled"


async def test_headers_of_endpoints_are_sealed(client: httpx.AsyncClient, redis_url: str) -> None:
    """Each endpoint gets its own header, and no answer shows either."""
    with serve_answers(search()) as first, serve_answers(search()) as second:
        endpoints = [
            {"url": first.url, "headers": {"X-Key": "s3cret-one"}},
            {"url": second.url, "headers": {"X-Key": "s3cret-two"}},
        ]
        path = await make(client, endpoints=endpoints)
        found = await pool(client, path, redis_url)
        assert {headers["x-key"] for headers in first.headers} == {"s3cret-one"}
        assert {headers["x-key"] for headers in second.headers} == {"s3cret-two"}
    assert "s3cret" not in json.dumps(found)
    assert [one["headers"] for one in found["request"]["endpoints"]] == [{"X-Key": ""}] * 2
