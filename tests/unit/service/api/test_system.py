import asyncio
from typing import Any

import httpx
import pytest
import redis

from service.api.openapi import list_operations
from service.api.problems import error_kinds
from service.app import create_app, openapi_yaml
from service.settings import Settings

SETTINGS = Settings.from_env({})
DEAD = "redis://127.0.0.1:1/0"


async def test_every_answer_carries_an_id_and_protective_headers(client: httpx.AsyncClient) -> None:
    """Found or not, an answer has a request id and tells browsers to keep off."""
    for path in ("/healthz", "/v1/metrics", "/nowhere", "/v1/runs/none"):
        headers = (await client.get(path)).headers
        assert len(headers["X-Request-Id"]) == 32
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Content-Security-Policy"].startswith("default-src 'none'")
        assert headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(("sent", "kept"), [("ci-42.a_b", True), ("a b", False), ("x" * 65, False)])
async def test_request_id_is_taken_from_the_caller_when_well_formed(
    client: httpx.AsyncClient, sent: str, kept: object
) -> None:
    """A well-formed id comes back, in the header and in a problem; another is replaced."""
    answer = await client.get("/nowhere", headers={"X-Request-Id": sent})
    assert (answer.headers["X-Request-Id"] == sent) is kept
    assert answer.json()["instance"].endswith(answer.headers["X-Request-Id"])


async def test_unknown_route_and_method_are_problems(client: httpx.AsyncClient) -> None:
    """404 and 405 have the one error shape; 405 lists what the route answers."""
    missing = await client.get("/v2/none")
    assert (missing.status_code, missing.json()["code"]) == (404, "not_found")
    wrong = await client.put("/v1/runs")
    assert (wrong.status_code, wrong.json()["code"]) == (405, "method_not_allowed")
    assert wrong.headers["Allow"] == "GET, HEAD, OPTIONS, POST"
    assert wrong.headers["Content-Type"] == "application/problem+json"


async def test_bad_host_is_a_bad_request(client: httpx.AsyncClient) -> None:
    """What the framework cannot read is 400 in the one error shape."""
    answer = await client.get("/healthz", headers={"Host": "a b"})
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_request")


async def test_head_answers_like_get_without_a_body(
    client: httpx.AsyncClient, ended_run: str
) -> None:
    """HEAD has GET's status and headers and no body, on every kind of route."""
    for path in ("/healthz", "/docs", f"/v1/runs/{ended_run}/results", "/v1/test-sets/ended"):
        full, head = await client.get(path), await client.head(path)
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["Content-Length"] == str(len(full.content))


async def test_readiness_tells_flaws_and_faults_apart(
    client: httpx.AsyncClient, redis_url: str
) -> None:
    """A flawed service is 200 with findings; one that may lose work is 503 with the same."""
    flawed = await client.get("/readyz")
    assert (flawed.status_code, flawed.json()["status"]) == (200, "degraded")
    assert {one["code"] for one in flawed.json()["findings"]} == {"no_worker"}
    with redis.Redis.from_url(redis_url) as server:
        server.config_set("maxmemory-policy", "allkeys-lru")
        try:
            faulty = await client.get("/readyz")
        finally:
            server.config_set("maxmemory-policy", "noeviction")
    problem = faulty.json()
    assert (faulty.status_code, problem["code"]) == (503, "not_ready")
    assert problem["errors"][0]["code"] == "eviction"
    assert "allkeys-lru" in problem["detail"]
    assert problem["errors"][0]["fix"]


async def test_store_away_is_503_and_worth_repeating(opens: Any) -> None:
    """Without Redis the process lives and says so; catalogues still answer."""
    async with opens(DEAD) as client:
        for path in ("/v1/runs", "/v1/test-sets/x"):
            answer = await client.get(path)
            assert (answer.status_code, answer.json()["code"]) == (503, "store_unavailable")
            assert (answer.json()["retryable"], answer.headers["Retry-After"]) == (True, "1")
        assert (await client.get("/healthz")).status_code == 200
        assert (await client.get("/v1/metrics")).status_code == 200


async def test_defect_tells_nothing_of_its_inside(redis_url: str, opens: Any) -> None:
    """An error nobody foresaw is 500 in the one shape, without its message."""
    async with opens(redis_url) as client:
        app = client._transport.app
        app.state.backend = None
        answer = await client.get("/v1/test-sets")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert "NoneType" not in answer.text


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (None, 401),
        ("Basic eDp5", 401),
        ("Bearer wrong", 401),
        ("Bearer ", 401),
        ("Bearer \xff", 401),
        ("Bearer team-key", 200),
        ("bearer team-key", 200),
    ],
)
async def test_key_guards_every_v1_route(
    redis_url: str, opens: Any, sent: str | None, status: int
) -> None:
    """Only the exact key opens /v1; operations stay open."""
    headers = {} if sent is None else {"Authorization": sent.encode("latin-1")}
    async with opens(redis_url, RETEVAL_AUTH="required", RETEVAL_API_KEY="team-key") as client:
        answer = await client.get("/v1/runs", headers=headers)
        assert answer.status_code == status
        if status == 401:
            assert answer.headers["WWW-Authenticate"] == 'Bearer realm="reteval"'
            assert answer.json()["code"] == "unauthorized"
        assert (await client.get("/healthz")).status_code == 200


async def test_no_key_configured_admits_nobody(redis_url: str, opens: Any) -> None:
    """Auth that is required without a key fails closed, for an empty key, too."""
    async with opens(redis_url, RETEVAL_AUTH="required", RETEVAL_API_KEY="") as client:
        answer = await client.get("/v1/runs", headers={"Authorization": "Bearer "})
    assert answer.status_code == 401


async def test_catalogues_list_what_can_be_asked_for(client: httpx.AsyncClient) -> None:
    """Metrics have formulas, kinds have severities; parameters are refused."""
    metrics = (await client.get("/v1/metrics")).json()["metrics"]
    assert all(metric["formula"] and metric["example"] for metric in metrics)
    kinds = (await client.get("/v1/adversarial/kinds")).json()
    assert kinds["suite"] == "2026.1"
    assert all(kind["example"]["variant"] and kind["variants"] for kind in kinds["kinds"])
    assert (await client.get("/v1/metrics?x=1")).status_code == 422


async def test_documents_describe_every_operation(client: httpx.AsyncClient) -> None:
    """The OpenAPI document is served; the page names each path and error and no outside address."""
    paths = {one.path for one in list_operations(create_app(SETTINGS).routes)}
    assert (await client.get("/openapi.yaml")).text == openapi_yaml(SETTINGS)
    page = await client.get("/docs")
    assert page.headers["Content-Type"].startswith("text/html")
    assert all(path in page.text for path in paths)
    assert all(f'id="error-{kind.code}"' in page.text for kind in error_kinds())
    assert "://" not in page.text
    assert "<script" not in page.text


async def test_event_loop_stays_free_during_an_upload(client: httpx.AsyncClient) -> None:
    """Health is answered while a large test set is read."""
    queries = [
        {"id": f"q{n}", "query": f"text {n}", "relevant_ids": [f"d{n}-{d}" for d in range(20)]}
        for n in range(10_000)
    ]
    upload = asyncio.create_task(client.post("/v1/test-sets", json={"queries": queries}))
    answered = 0
    while not upload.done():
        await client.get("/healthz")
        answered += 1
        await asyncio.sleep(0.005)
    assert (await upload).status_code == 201
    assert answered > 5
