import asyncio
import time
from typing import Any

import httpx
import pytest
import redis

from service.store.plans import name_shard
from service.store.records import SHARD
from service.store.store import Store
from tests.unit.service.api.ended import CLEAN, OUTCOMES, end_run, run_body

QUERIES = {"name": "ended", "queries": [{"query": "refund", "relevant_ids": ["d1"]}]}
SECRET = "s3cr3t-canary"  # noqa: S105 - a value to look for, not to use


async def create(client: httpx.AsyncClient, body: dict[str, Any], **headers: str) -> httpx.Response:
    """Create a run over a small set."""
    await client.post("/v1/test-sets", json=QUERIES)
    return await client.post("/v1/runs", json=body, headers=headers)


async def test_create_answers_where_the_run_is(client: httpx.AsyncClient) -> None:
    """A run is accepted with its plan, address and a hint when to ask again."""
    made = await create(client, run_body(meta={"commit": "abc"}, label="base"))
    assert made.status_code == 202
    assert made.headers["Retry-After"] == "1"
    run = (await client.get(made.headers["Location"])).json()
    assert (run["status"], run["label"], run["meta"]) == ("queued", "base", {"commit": "abc"})
    assert run["planned"].pop("bytes") > 0
    assert run["planned"] == {
        "clean": 1,
        "adversarial": 0,
        "seconds_at_rate": None,
        "repeats": 0,
        "model_calls": 0,
    }
    assert run["progress"] == {"done": 0, "total": 1, "failed": 0, "eta_s": None}
    assert run["links"]["results"] == f"/v1/runs/{run['id']}/results"


async def test_create_wakes_a_worker(client: httpx.AsyncClient) -> None:
    """The job that names the run waits in the queue when the answer is there."""
    await create(client, run_body())
    assert (await client.get("/readyz")).json()["queues"]["runs"]["queued"] == 1


async def test_header_values_are_never_in_the_clear(
    client: httpx.AsyncClient, redis_url: str
) -> None:
    """Names are shown, values are empty in every answer and encrypted in the store."""
    endpoint = {"url": "http://127.0.0.1:9/", "headers": {"X-Api-Key": SECRET}}
    made = await create(client, run_body(endpoint=endpoint))
    assert made.json()["endpoint"]["headers"] == {"X-Api-Key": ""}
    with redis.Redis.from_url(redis_url) as server:
        stored = b"".join(server.dump(key) or b"" for key in list(server.scan_iter()))
    assert SECRET.encode() not in stored + made.content
    listed = await client.get("/v1/runs")
    assert SECRET not in listed.text


async def test_headers_without_a_key_to_encrypt_them_are_refused(
    opens: Any, redis_url: str
) -> None:
    """Without RETEVAL_SECRET_KEY header values are refused rather than stored in the clear."""
    endpoint = {"url": "http://127.0.0.1:9/", "headers": {"X-Api-Key": SECRET}}
    async with opens(redis_url, RETEVAL_SECRET_KEY="") as client:
        made = await create(client, run_body(endpoint=endpoint))
    assert (made.status_code, made.json()["code"]) == (422, "secrets_unavailable")
    assert SECRET not in made.text


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"metrics": ["ndgc@10"]}, "/metrics/0"),
        ({"depth": 5}, "/depth"),
        ({"k_values": [0]}, "/k_values/0"),
        ({"labl": "x"}, "/labl"),
        ({"test_set": "other"}, "/test_set"),
        ({"endpoint": {"url": "http://169.254.169.254/"}}, "/endpoint/url"),
        ({"endpoint": {"url": "http://127.0.0.1:9/", "headers": {"Host": "x"}}}, None),
    ],
)
async def test_create_refuses_and_names_the_place(
    client: httpx.AsyncClient, changes: dict[str, Any], pointer: str | None
) -> None:
    """A refused request says where and what to do, and no run is made."""
    made = await create(client, run_body(**changes))
    item = made.json()["errors"][0]
    assert (item["pointer"], bool(item["fix"])) == (pointer or "/endpoint/headers", True)
    assert (await client.get("/v1/runs")).json()["items"] == []


@pytest.mark.parametrize(
    ("content", "media", "status"),
    [
        (b"{", "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b"[]", "application/json", 422),
        (b'{"test_set": 1', "application/json", 400),
        (b"test_set=x", "application/x-www-form-urlencoded", 415),
    ],
)
async def test_create_tells_broken_from_wrong(
    client: httpx.AsyncClient, content: bytes, media: str, status: int
) -> None:
    """Broken JSON is 400 even after a wrong value, a wrong value 422, another type 415."""
    made = await client.post("/v1/runs", content=content, headers={"Content-Type": media})
    assert made.status_code == status


async def test_list_filters_by_set_label_and_status(
    client: httpx.AsyncClient, ended_run: str
) -> None:
    """Filters combine; a set is named by name or id; an unknown one is 404."""
    await client.post("/v1/runs", json=run_body(label="second"))
    labels = [item["label"] for item in (await client.get("/v1/runs")).json()["items"]]
    assert labels == ["second", "first"]
    for query in ("label=first", "status=completed", "test_set=ended&status=completed"):
        found = (await client.get(f"/v1/runs?{query}")).json()["items"]
        assert [item["id"] for item in found] == [ended_run]
    assert (await client.get("/v1/runs?test_set=none")).status_code == 404
    assert (await client.get("/v1/runs?status=done")).json()["errors"][0]["pointer"] == "?status"


async def test_list_pages_stay_put_while_runs_arrive(client: httpx.AsyncClient) -> None:
    """A page after the first one shows no run twice though a new run came meanwhile."""
    made = [(await create(client, run_body())).json()["id"] for _ in range(3)]
    first = (await client.get("/v1/runs?limit=2")).json()
    await create(client, run_body())
    second = (await client.get(f"/v1/runs?limit=2&cursor={first['next_cursor']}")).json()
    found = [item["id"] for item in (*first["items"], *second["items"])]
    assert (found, second["next_cursor"]) == (made[::-1], None)


async def test_wait_returns_when_the_run_has_ended(client: httpx.AsyncClient, store: Store) -> None:
    """A long poll answers the end, without a hint to ask again."""
    await client.post("/v1/test-sets", json=QUERIES)
    run_id = (await client.post("/v1/runs", json=run_body())).json()["id"]
    polled = asyncio.create_task(client.get(f"/v1/runs/{run_id}?wait=20"))
    await asyncio.sleep(0.1)
    await end_run(store, run_id)
    answer = await polled
    assert (answer.json()["status"], "Retry-After" in answer.headers) == ("completed", False)
    assert answer.json()["poll_after_s"] is None


async def test_wait_answers_progress_when_time_is_over(client: httpx.AsyncClient) -> None:
    """A run that does not end is answered as it is."""
    run_id = (await create(client, run_body())).json()["id"]
    began = time.monotonic()
    answer = await client.get(f"/v1/runs/{run_id}?wait=0.3")
    assert (answer.json()["status"], time.monotonic() - began >= 0.3) == ("queued", True)
    assert (await client.get(f"/v1/runs/{run_id}?wait=31")).status_code == 422


async def test_running_run_tells_when_it_will_be_done(
    client: httpx.AsyncClient, store: Store
) -> None:
    """Once requests are done, progress carries an estimate and the poll hint follows it."""
    run_id = (await create(client, run_body())).json()["id"]
    claim = await store.claims.claim("default", run_id, owner="w", lease_s=30)
    assert claim is not None
    await store.plans.put(claim, CLEAN, clean=4, shard=SHARD)
    await store.shards.write(claim, name_shard(0), [(0, OUTCOMES[0]), (2, OUTCOMES[2])])
    run = (await client.get(f"/v1/runs/{run_id}")).json()
    assert (run["status"], run["progress"]["done"], run["progress"]["failed"]) == ("running", 2, 1)
    assert run["progress"]["eta_s"] >= 0
    assert run["poll_after_s"] >= 0.5


async def test_cancel_ends_a_queued_run(client: httpx.AsyncClient) -> None:
    """Cancelling is accepted once; after the end it is a conflict."""
    run_id = (await create(client, run_body())).json()["id"]
    cancelled = await client.post(f"/v1/runs/{run_id}/cancel")
    assert (cancelled.status_code, cancelled.json()["status"]) == (202, "cancelled")
    again = await client.post(f"/v1/runs/{run_id}/cancel")
    assert (again.status_code, again.json()["code"]) == (409, "already_terminal")
    report = await client.get(f"/v1/runs/{run_id}/results")
    assert (report.status_code, report.json()["metrics"]) == (200, None)
    for part in ("queries", "outcomes", "variants"):
        assert (await client.get(f"/v1/runs/{run_id}/{part}")).json()["items"] == []


async def test_delete_waits_for_the_end(client: httpx.AsyncClient, ended_run: str) -> None:
    """An active run and a set in use stay; afterwards both go."""
    active = (await client.post("/v1/runs", json=run_body())).json()["id"]
    refused = await client.delete(f"/v1/runs/{active}")
    assert (refused.status_code, refused.json()["code"]) == (409, "run_active")
    set_id = (await client.get("/v1/test-sets/ended")).json()["id"]
    used = await client.delete(f"/v1/test-sets/{set_id}")
    assert (used.status_code, used.json()["code"]) == (409, "referenced")
    await client.post(f"/v1/runs/{active}/cancel")
    for run_id in (active, ended_run):
        assert (await client.delete(f"/v1/runs/{run_id}")).status_code == 204
        assert (await client.get(f"/v1/runs/{run_id}")).status_code == 404
    assert (await client.delete(f"/v1/test-sets/{set_id}")).status_code == 204


async def test_header_values_of_a_model_are_sealed_as_the_endpoints_are(
    client: httpx.AsyncClient, store: Store, redis_url: str
) -> None:
    """Given or saved, they are kept encrypted beside the endpoint's own, and in no answer."""
    saved = {"url": "http://127.0.0.1:9/write", "headers": {"X-Model-Key": SECRET}}
    await client.post("/v1/endpoints", json={"name": "writer", "endpoint": saved})
    for model in (saved, {"saved": "writer"}):
        made = await create(client, run_body(adversarial={"preset": "quick", "model": model}))
        assert made.status_code == 202
        assert made.json()["planned"]["model_calls"] == 1
        spec = (await store.runs.get("default", made.json()["id"])).spec
        assert spec.request.adversarial
        assert spec.request.adversarial.model
        assert spec.request.adversarial.model.url == saved["url"]
        assert spec.request.adversarial.model.headers == {"X-Model-Key": ""}
        assert spec.request.endpoint.headers == {}
        assert SECRET not in made.text
    with redis.Redis.from_url(redis_url) as server:
        stored = b"".join(server.dump(key) or b"" for key in list(server.scan_iter()))
    assert SECRET.encode() not in stored
    lost = run_body(adversarial={"model": {"saved": "none"}})
    missing = await create(client, lost)
    assert missing.json()["errors"][0]["pointer"] == "/adversarial/model/saved"
