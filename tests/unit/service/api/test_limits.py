"""Rates and quotas as clients meet them."""

import asyncio
from typing import Any

import httpx
import pytest
import redis

from reteval.contract.api_keys import Scope
from reteval.contract.backups import MEDIA
from service.store.store import Store
from tests.factories import stored_key
from tests.unit.service.api.conftest import Opens
from tests.unit.service.api.ended import TEST_SET, end_run, run_body
from tests.unit.service.api.teams import bearer

KEYS = {
    "RETEVAL_AUTH": "required",
    "RETEVAL_RATE_REQUESTS": "1200",
    "RETEVAL_RATE_WINDOW_S": "86400",
}
"""Slow enough that no request comes back while a test goes on."""
WORKER = (Scope.TEST_SETS_WRITE, Scope.RUNS_WRITE, Scope.RESULTS_READ)


async def test_answers_tell_the_rate(redis_url: str, store: Store, opens: Opens) -> None:
    """Every answer to a key has both fields of the draft, errors and `not modified` included."""
    mine = bearer(await stored_key(store, *WORKER))
    async with opens(redis_url, **KEYS) as client:
        first = await client.get("/v1/runs", headers=mine)
        missing = await client.get("/v1/runs/run_none", headers=mine)
        forbidden = await client.get("/v1/teams", headers=mine)
        open_one = await client.get("/healthz", headers=mine)
    assert first.headers["RateLimit-Policy"] == '"perkey";q=1200;w=86400'
    assert first.headers["RateLimit"] == '"perkey";r=1199;t=72'
    assert (missing.status_code, forbidden.status_code) == (404, 403)
    assert [one.headers["RateLimit"][:15] for one in (missing, forbidden)] == [
        '"perkey";r=1198',
        '"perkey";r=1197',
    ]
    assert "RateLimit" not in open_one.headers


async def test_one_too_many_is_429(redis_url: str, store: Store, opens: Opens) -> None:
    """The refusal says when to come again, and another key of the team goes on."""
    mine, other = [bearer(await stored_key(store, *WORKER)) for _ in range(2)]
    limits = KEYS | {"RETEVAL_RATE_REQUESTS": "3", "RETEVAL_RATE_WINDOW_S": "600"}
    async with opens(redis_url, **limits) as client:
        answers = [await client.get("/v1/runs", headers=mine) for _ in range(5)]
        theirs = await client.get("/v1/runs", headers=other)
    assert [one.status_code for one in answers] == [200, 200, 200, 429, 429]
    refused = answers[-1]
    assert (refused.json()["code"], refused.json()["retryable"]) == ("rate_limited", True)
    assert 190 < int(refused.headers["Retry-After"]) <= 200
    assert refused.headers["RateLimit"].startswith('"perkey";r=0;t=')
    assert theirs.status_code == 200


async def test_wrong_keys_are_counted_by_address(
    redis_url: str, store: Store, opens: Opens
) -> None:
    """Guessing ends in 429, which the audit log is spared; a valid key goes on from there."""
    mine = bearer(await stored_key(store, Scope.ADMIN))
    limits = KEYS | {"RETEVAL_RATE_FAILURES": "3"}
    async with opens(redis_url, **limits) as client:
        guesses = [
            await client.get("/v1/runs", headers=sent)
            for sent in ({}, bearer("wrong"), bearer("wronger"), bearer("wrongest"), {})
        ]
        log = await client.get("/v1/audit", params={"log": "access"}, headers=mine)
    assert [one.status_code for one in guesses] == [401, 401, 401, 429, 429]
    assert guesses[0].headers["RateLimit-Policy"] == '"peraddress";q=3;w=86400'
    assert guesses[0].headers["RateLimit"].startswith('"peraddress";r=2;t=')
    assert log.status_code == 200
    assert len(log.json()["items"]) == 3


async def test_links_have_a_rate_of_their_own(redis_url: str, store: Store, opens: Opens) -> None:
    """Whoever has a link uses neither the rate nor the day of the team."""
    mine = bearer(await stored_key(store, *WORKER))
    limits = KEYS | {"RETEVAL_RATE_REQUESTS": "4", "RETEVAL_RATE_WINDOW_S": "600"}
    async with opens(redis_url, **limits) as client:
        await client.post("/v1/test-sets", json=TEST_SET, headers=mine)
        run_id = (await client.post("/v1/runs", json=run_body(), headers=mine)).json()["id"]
        await end_run(store, run_id)
        link = (await client.post(f"/v1/runs/{run_id}/links", json={}, headers=mine)).json()
        share = {"share": link["token"]} if "token" in link else {"share": link["secret"]}
        reads = [await client.get(f"/v1/runs/{run_id}", params=share) for _ in range(5)]
        own = (await client.get("/v1/limits", headers=mine)).json()
    assert [one.status_code for one in reads] == [200] * 4 + [429]
    assert own["rate"]["remaining"] == 0
    used = {quota["name"]: quota["used"] for quota in own["quotas"]}
    assert used["requests_per_day"] == 4


async def test_requests_of_a_day_are_the_teams(redis_url: str, store: Store, opens: Opens) -> None:
    """They are one sum over its keys, and a quota where they are used up."""
    mine, other = [bearer(await stored_key(store, *WORKER)) for _ in range(2)]
    async with opens(redis_url, **KEYS, RETEVAL_QUOTA_REQUESTS_PER_DAY="3") as client:
        answers = [await client.get("/v1/runs", headers=one) for one in (mine, other, mine, other)]
    assert [one.status_code for one in answers] == [200, 200, 200, 429]
    refused = answers[-1].json()
    assert (refused["code"], refused["quota"]["name"]) == ("quota_exceeded", "requests_per_day")
    assert 0 < int(answers[-1].headers["Retry-After"]) <= 86_400


async def test_parallel_runs_fill_the_quota_exactly(
    redis_url: str, store: Store, opens: Opens
) -> None:
    """Of 50 posts at once as many are accepted as may wait; the others are told why not."""
    mine = bearer(await stored_key(store, *WORKER))
    async with opens(redis_url, **KEYS, RETEVAL_QUOTA_QUEUED_RUNS="7") as client:
        await client.post("/v1/test-sets", json=TEST_SET, headers=mine)
        answers = await asyncio.gather(
            *(client.post("/v1/runs", json=run_body(), headers=mine) for _ in range(50))
        )
        listed = (await client.get("/v1/runs", headers=mine)).json()["items"]
    assert sorted(one.status_code for one in answers) == [202] * 7 + [429] * 43
    assert len(listed) == 7
    refused = next(one for one in answers if one.status_code == 429)
    assert refused.headers["Retry-After"] == "5"
    assert refused.json()["quota"] == {"name": "queued_runs", "limit": 7, "used": 7, "asked": 1}
    assert "retryable" not in refused.json()


@pytest.mark.parametrize(
    ("quota", "value", "route", "body"),
    [
        ("queries_per_day", "3", "/v1/runs", run_body()),
        ("stored_bytes", "3000", "/v1/runs", run_body()),
        ("test_sets", "1", "/v1/test-sets", TEST_SET | {"name": "another"}),
        (
            "queries_per_day",
            "1",
            "/v1/probes",
            {
                "endpoint": {"url": "http://127.0.0.1:9/search"},
                "queries": [{"query": "a"}, {"query": "b"}],
            },
        ),
    ],
)
async def test_each_quota_refuses(
    redis_url: str, store: Store, opens: Opens, quota: str, value: str, route: str, body: Any
) -> None:
    """What would go beyond a quota is refused by its name."""
    mine = bearer(await stored_key(store, *WORKER))
    limit = {f"RETEVAL_QUOTA_{quota.upper()}": value}
    async with opens(redis_url, **KEYS, **limit) as client:
        made = await client.post("/v1/test-sets", json=TEST_SET, headers=mine)
        assert made.status_code == 201
        refused = await client.post(route, json=body, headers=mine)
    assert refused.status_code == 429, refused.text
    assert refused.json()["quota"]["name"] == quota


async def test_child_runs_are_counted(redis_url: str, store: Store, opens: Opens) -> None:
    """A retry, a rescoring and uploaded rankings wait as other runs do."""
    mine = bearer(await stored_key(store, *WORKER))
    async with opens(redis_url, **KEYS, RETEVAL_QUOTA_QUEUED_RUNS="1") as client:
        await client.post("/v1/test-sets", json=TEST_SET, headers=mine)
        run_id = (await client.post("/v1/runs", json=run_body(), headers=mine)).json()["id"]
        await end_run(store, run_id)
        await client.post("/v1/runs", json=run_body(), headers=mine)
        files = {
            "request": ("request.json", b'{"test_set": "ended"}', "application/json"),
            "rankings": ("run.trec", b"q1 Q0 d1 1 1.0 x\n", "text/plain"),
        }
        answers = [
            await client.post(f"/v1/runs/{run_id}/retry", json={}, headers=mine),
            await client.post(f"/v1/runs/{run_id}/rescore", json={}, headers=mine),
            await client.post("/v1/rankings", files=files, headers=mine),
        ]
    assert [one.status_code for one in answers] == [429, 429, 429], [one.text for one in answers]


async def test_limits_are_told(redis_url: str, store: Store, opens: Opens) -> None:
    """What may be used, what is used, when a day is new, and the bounds of each request."""
    token = await stored_key(store, *WORKER)
    mine = bearer(token)
    allow = {"RETEVAL_EGRESS_ALLOW": "10.0.0.1:80,search.internal:*"}
    async with opens(redis_url, **KEYS, **allow, RETEVAL_QUOTA_STORED_BYTES="0") as client:
        await client.post("/v1/test-sets", json=TEST_SET, headers=mine)
        await client.post("/v1/runs", json=run_body(), headers=mine)
        answer = await client.get("/v1/limits", headers=mine)
    told = answer.json()
    quotas = {quota.pop("name"): quota for quota in told["quotas"]}
    assert told["team"] == "default"
    assert told["key"].startswith("key_")
    assert told["key"] in token.replace("reteval_", "key_")
    assert (told["rate"]["requests"], told["rate"]["remaining"]) == (1200, 1197)
    assert answer.headers["RateLimit"].startswith('"perkey";r=1197;')
    assert quotas["queued_runs"] == {"limit": 1000, "used": 1, "left": 999, "resets_at": None}
    assert (quotas["test_sets"]["used"], quotas["test_sets"]["left"]) == (1, 999)
    assert quotas["queries_per_day"]["used"] == 4
    assert quotas["requests_per_day"]["resets_at"].endswith("T00:00:00.000Z")
    assert (quotas["stored_bytes"]["limit"], quotas["stored_bytes"]["left"]) == (None, None)
    assert quotas["stored_bytes"]["used"] > 0
    assert (told["caps"]["max_depth"], told["caps"]["max_queries"]) == (1_000, 50_000)
    assert told["egress"] == {"policy": "loopback", "allowed": 2}


async def test_without_keys_only_waiting_runs_are_bounded(redis_url: str, opens: Opens) -> None:
    """There is no rate, and of the quotas only that one, which keeps the queue finite."""
    limits = {"RETEVAL_RATE_REQUESTS": "1", "RETEVAL_QUOTA_TEST_SETS": "1"}
    async with opens(redis_url, **limits, RETEVAL_QUOTA_QUEUED_RUNS="2") as client:
        for name in ("ended", "another"):
            made = await client.post("/v1/test-sets", json=TEST_SET | {"name": name})
            assert made.status_code == 201
        runs = [await client.post("/v1/runs", json=run_body()) for _ in range(3)]
        told = await client.get("/v1/limits")
    assert [run.status_code for run in runs] == [202, 202, 429]
    assert "RateLimit" not in runs[0].headers
    assert (told.json()["rate"], told.json()["key"]) == (None, "")
    assert [quota["name"] for quota in told.json()["quotas"]] == ["queued_runs"]


async def test_a_team_can_have_limits_of_its_own(
    redis_url: str, store: Store, opens: Opens
) -> None:
    """An admin sets them, they hold at once, and what is left out is the deployment's again."""
    admin = bearer(await stored_key(store, Scope.ADMIN))
    theirs = bearer(await stored_key(store, *WORKER, team="search"))
    path = "/v1/teams/search/limits"
    async with opens(redis_url, **KEYS) as client:
        assert (await client.get(path, headers=admin)).json() == {}
        own = {"rate_requests": 5, "rate_window_s": 600, "test_sets": 0}
        put = await client.put(path, json=own, headers=admin)
        told = await client.get("/v1/limits", headers=theirs)
        read = await client.get(path, headers=admin)
        back = await client.put(path, json={}, headers=admin)
        log = (await client.get("/v1/audit", headers=admin)).json()["items"]
    assert (put.status_code, put.json(), read.json(), back.json()) == (200, own, own, {})
    assert told.headers["RateLimit-Policy"] == '"perkey";q=5;w=600'
    quotas = {quota["name"]: quota["limit"] for quota in told.json()["quotas"]}
    assert (quotas["test_sets"], quotas["queued_runs"]) == (None, 1_000)
    assert log.pop()["event"] == "service_started"
    assert [(row["event"], row["target"]) for row in log] == [
        ("team_limits_changed", "search"),
        ("team_limits_changed", "search"),
    ]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"rate_requests": -1}, 422),
        ({"rate_window_s": 0}, 422),
        ({"runs": 1}, 422),
        ({"test_sets": None}, 422),
    ],
)
async def test_limits_that_cannot_be(
    client: httpx.AsyncClient, body: dict[str, Any], status: int
) -> None:
    """Negative, unknown and empty ones are refused; so is a team that there is not."""
    assert (await client.put("/v1/teams/default/limits", json=body)).status_code == status
    assert (await client.put("/v1/teams/nobody/limits", json={})).status_code == 404
    assert (await client.get("/v1/teams/nobody/limits")).status_code == 404


async def test_full_store_is_still_read(redis_url: str, store: Store, opens: Opens) -> None:
    """A limiter that writes does not turn a store without room into one without answers."""
    mine = bearer(await stored_key(store, *WORKER))
    async with opens(redis_url, **KEYS) as client:
        await client.post("/v1/test-sets", json=TEST_SET, headers=mine)
        with redis.Redis.from_url(redis_url) as connection:
            connection.config_set("maxmemory", 1)
            try:
                await asyncio.sleep(1.1)  # what was lent is lent anew
                read = await client.get("/v1/test-sets/ended", headers=mine)
            finally:
                connection.config_set("maxmemory", 0)
    assert read.status_code == 200
    assert "RateLimit" in read.headers


async def test_store_that_is_away_lets_nobody_pass(opens: Opens) -> None:
    """Without a count there is no answer but 503, which is worth repeating; not an open door."""
    async with opens("redis://127.0.0.1:1", **KEYS, RETEVAL_API_KEY="operators-key") as client:
        answer = await client.get("/v1/limits", headers=bearer("operators-key"))
        guess = await client.get("/v1/limits", headers=bearer("wrong"))
    for one in (answer, guess):
        assert (one.status_code, one.json()["code"]) == (503, "store_unavailable")
        assert one.headers["Retry-After"] == "1"


@pytest.mark.parametrize(
    ("limits", "name", "restored"),
    [
        ({"RETEVAL_QUOTA_TEST_SETS": "1"}, "test_sets", 1),
        ({"RETEVAL_QUOTA_STORED_BYTES": "{sets}"}, "stored_bytes", 2),
    ],
    ids=["a set", "a run"],
)
async def test_restoring_is_no_way_round(
    redis_url: str,
    store: Store,
    opens: Opens,
    limits: dict[str, str],
    name: str,
    restored: int,
) -> None:
    """What a backup brings is held to the quotas; what stands before the refused one stays."""
    async with opens(redis_url) as client:
        sets = [await client.post("/v1/test-sets", json=TEST_SET | {"name": n}) for n in "ab"]
        run_id = (await client.post("/v1/runs", json=run_body(test_set="b"))).json()["id"]
        await end_run(store, run_id)
        file = (await client.post("/v1/backups", json={"all": True})).content
    with redis.Redis.from_url(redis_url) as connection:
        connection.flushall()
    mine = bearer(await stored_key(store, *WORKER))
    stored = sum(one.json()["bytes"] for one in sets)
    chosen = {variable: value.format(sets=stored) for variable, value in limits.items()}
    async with opens(redis_url, **KEYS, **chosen) as client:
        refused = await client.post(
            "/v1/restores", content=file, headers=mine | {"Content-Type": MEDIA}
        )
        kept = (await client.get("/v1/test-sets", headers=mine)).json()["items"]
        runs = (await client.get("/v1/runs", headers=mine)).json()["items"]
    assert (refused.status_code, refused.json()["quota"]["name"]) == (429, name)
    assert (len(kept), runs) == (restored, [])
