"""The short way of hot reads: an answer, and who gets it, is the same as on the long way."""

from collections.abc import AsyncIterator

import httpx
import pytest

from reteval.contract.api_keys import Scope
from service.store.keys import DEFAULT_TENANT
from service.store.store import Store
from tests.factories import stored_key
from tests.unit.service.api.conftest import Opens
from tests.unit.service.api.ended import TEST_SET, end_run, run_body
from tests.unit.service.api.teams import bearer

LONG = {"Accept": "application/json;q=0.9"}
"""Needs a look at what is accepted, and so goes the long way."""
LIMITS = {
    "RETEVAL_AUTH": "required",
    "RETEVAL_RATE_REQUESTS": "12",
    "RETEVAL_RATE_WINDOW_S": "86400",
}
WORKER = (Scope.TEST_SETS_WRITE, Scope.RUNS_WRITE, Scope.RESULTS_READ)
parts = pytest.mark.parametrize("part", ["", "/results"])


def told(answer: httpx.Response) -> tuple[int, bytes, dict[str, str]]:
    """Return an answer without the request's id."""
    headers = {name: text for name, text in answer.headers.items() if name != "x-request-id"}
    return answer.status_code, answer.content, headers


@pytest.fixture
async def limited(redis_url: str, opens: Opens) -> AsyncIterator[httpx.AsyncClient]:
    """Open the API with keys, each good for twelve requests."""
    async with opens(redis_url, **LIMITS) as client:
        yield client


async def make_run(client: httpx.AsyncClient, store: Store) -> str:
    """Let a key of the default team make a run that has ended; return its id."""
    mine = bearer(await stored_key(store, *WORKER))
    await client.post("/v1/test-sets", json=TEST_SET, headers=mine)
    endpoint = {"url": "http://127.0.0.1:9/search?token=hidden"}
    made = await client.post("/v1/runs", json=run_body(endpoint=endpoint), headers=mine)
    run_id = str(made.json()["id"])
    await end_run(store, run_id)
    return run_id


@parts
async def test_both_ways_answer_alike(client: httpx.AsyncClient, ended_run: str, part: str) -> None:
    """Status, bytes and every header agree, for what is sent and for what is confirmed."""
    path = f"/v1/runs/{ended_run}{part}"
    tag = (await client.get(path)).headers["ETag"]
    for sent in ({}, {"If-None-Match": tag}, {"If-None-Match": '"other"'}):
        short = await client.get(path, headers=sent)
        long = await client.get(path, headers=LONG | sent)
        assert told(short) == told(long)
        assert short.headers["X-Request-Id"] != long.headers["X-Request-Id"]


@parts
async def test_short_way_asks_no_store(
    client: httpx.AsyncClient, store: Store, ended_run: str, part: str
) -> None:
    """It answers what is kept, and sends a caller's own request id back."""
    path = f"/v1/runs/{ended_run}{part}"
    first = await client.get(path)
    await store.runs.delete(DEFAULT_TENANT, ended_run)
    again = await client.get(path, headers={"X-Request-Id": "mine"})
    assert (again.content, again.headers["X-Request-Id"]) == (first.content, "mine")
    assert (await client.head(path)).content == b""


@parts
async def test_every_request_is_counted_once(
    limited: httpx.AsyncClient, store: Store, part: str
) -> None:
    """Both ways use one request of the key each, tell what is left, and end in 429."""
    path = f"/v1/runs/{await make_run(limited, store)}{part}"
    mine = bearer(await stored_key(store, *WORKER))
    answers = [
        await limited.get(path, headers=mine | (LONG if number % 2 else {})) for number in range(13)
    ]
    left = [answer.headers["RateLimit"].split(";")[1] for answer in answers]
    assert left == [f"r={number}" for number in [*range(11, -1, -1), 0]]
    assert [answer.status_code for answer in answers] == [200] * 12 + [429]


@parts
async def test_what_is_kept_opens_to_nobody_else(
    guarded: httpx.AsyncClient, store: Store, part: str
) -> None:
    """With the answer at hand: no key 401, no scope 403, another team's key 404, in the log."""
    path = f"/v1/runs/{await make_run(guarded, store)}{part}"
    mine = bearer(await stored_key(store, *WORKER))
    assert (await guarded.get(path, headers=mine)).status_code == 200
    assert (await guarded.get(path, headers=mine)).status_code == 200
    lacking = bearer(await stored_key(store, Scope.TEST_SETS_READ))
    foreign = bearer(await stored_key(store, *WORKER, team="others"))
    seen = [(await guarded.get(path, headers=sent)) for sent in ({}, lacking, foreign)]
    assert [answer.status_code for answer in seen] == [401, 403, 404]
    assert seen[0].headers["WWW-Authenticate"].startswith("Bearer")
    admin = bearer(await stored_key(store, Scope.ADMIN))
    log = await guarded.get("/v1/audit", params={"log": "access"}, headers=admin)
    assert [row["event"] for row in log.json()["items"]] == ["access_refused"] * 2


async def test_reader_by_link_is_shown_less(guarded: httpx.AsyncClient, store: Store) -> None:
    """A link goes the long way, though the team's own answer is kept."""
    run_id = await make_run(guarded, store)
    mine = bearer(await stored_key(store, *WORKER))
    made = await guarded.post(f"/v1/runs/{run_id}/links", json={}, headers=mine)
    path = f"/v1/runs/{run_id}"
    own = await guarded.get(path, headers=mine)
    shared = await guarded.get(path, headers={"Reteval-Share": made.json()["token"]})
    assert (own.status_code, shared.status_code) == (200, 200)
    assert (b"hidden" in own.content, b"hidden" in shared.content) == (True, False)


async def test_short_way_is_measured(newborn: httpx.AsyncClient, ended_run: str) -> None:
    """Each answer is in the numbers of its operation, with its time."""
    for _ in range(3):
        await newborn.get(f"/v1/runs/{ended_run}/results")
    page = (await newborn.get("/metrics")).text
    assert 'reteval_http_requests_total{operation="getResults",status="200"} 3.0' in page
    assert 'reteval_http_request_seconds_count{operation="getResults"} 3.0' in page
