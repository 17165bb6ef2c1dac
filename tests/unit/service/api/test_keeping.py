"""Usage, pins, and runs that the store has no room for."""

import httpx
import pytest
import redis

from service.store.keys import DEFAULT_TENANT
from service.store.store import Store
from tests.unit.service.api.conftest import Opens
from tests.unit.service.api.ended import TEST_SET, run_body


async def test_usage_adds_up_what_is_kept(client: httpx.AsyncClient, ended_run: str) -> None:
    """Sums are those of the objects; runs under way are counted apart."""
    await client.post("/v1/runs", json=run_body())
    usage = (await client.get("/v1/usage")).json()
    run = (await client.get(f"/v1/runs/{ended_run}")).json()
    test_set = (await client.get("/v1/test-sets/ended")).json()
    assert usage["runs"] == {"count": 1, "bytes": run["bytes"]}
    assert usage["test_sets"] == {"count": 1, "bytes": test_set["bytes"]}
    assert usage["bytes"] == run["bytes"] + test_set["bytes"] > 0
    assert (usage["runs_under_way"], usage["retention_days"]) == (1, None)
    assert usage["oldest_run"] == run["created_at"]
    assert usage["store"]["used_bytes"] > usage["bytes"]
    assert usage["store"]["left_bytes"] is usage["store"]["bound_bytes"] is None


async def test_usage_of_nothing(client: httpx.AsyncClient) -> None:
    """An empty store has no oldest run."""
    usage = (await client.get("/v1/usage")).json()
    assert (usage["bytes"], usage["runs_under_way"], usage["oldest_run"]) == (0, 0, None)


async def test_usage_tells_the_settings(redis_url: str, opens: Opens) -> None:
    """The operator's retention and bound are shown, with what is left."""
    bounds = {"RETEVAL_RETENTION_DAYS": "30", "RETEVAL_STORE_BYTES": "1000000000"}
    async with opens(redis_url, **bounds) as client:
        usage = (await client.get("/v1/usage")).json()
    store = usage["store"]
    assert (usage["retention_days"], store["bound_bytes"]) == (30, 1_000_000_000)
    assert store["left_bytes"] == 1_000_000_000 - store["used_bytes"]


async def test_pin_and_unpin(client: httpx.AsyncClient, ended_run: str) -> None:
    """A pin shows on the run until it is taken off, however often either is asked for."""
    for _ in range(2):
        pinned = await client.post(f"/v1/runs/{ended_run}/pin")
        assert (pinned.status_code, pinned.json()["pinned"]) == (200, True)
    assert (await client.get(f"/v1/runs/{ended_run}")).json()["pinned"] is True
    for _ in range(2):
        assert (await client.delete(f"/v1/runs/{ended_run}/pin")).status_code == 204
    assert (await client.get(f"/v1/runs/{ended_run}")).json()["pinned"] is False
    assert (await client.delete("/v1/runs/run_none/pin")).status_code == 404
    assert (await client.post("/v1/runs/run_none/pin")).status_code == 404


async def test_pinned_run_can_be_deleted(client: httpx.AsyncClient, ended_run: str) -> None:
    """A pin guards against time, not against people."""
    await client.post(f"/v1/runs/{ended_run}/pin")
    assert (await client.delete(f"/v1/runs/{ended_run}")).status_code == 204


async def test_run_that_does_not_fit_is_refused(
    redis_url: str, client: httpx.AsyncClient, opens: Opens
) -> None:
    """The refusal says how much is needed and left; nothing is stored of the run."""
    await client.post("/v1/test-sets", json=TEST_SET)
    first = await client.post("/v1/runs", json=run_body())  # the scripts take room, too
    with redis.Redis.from_url(redis_url) as connection:
        used = connection.info("memory")["used_memory"]
    async with opens(redis_url, RETEVAL_STORE_BYTES=str(used + 100_000)) as bounded:
        await bounded.post("/v1/test-sets", json=TEST_SET)
        small = await bounded.post("/v1/runs", json=run_body())
        attacked = {"preset": "full"}
        refused = await bounded.post("/v1/runs", json=run_body(adversarial=attacked))
        runs = (await bounded.get("/v1/runs")).json()["items"]
    assert small.status_code == 202
    assert (refused.status_code, refused.json()["code"]) == (507, "storage_full")
    assert "are left beside what is stored" in refused.json()["detail"]
    assert [run["id"] for run in runs] == [one.json()["id"] for one in (small, first)]


async def test_servers_own_bound_holds(redis_url: str, client: httpx.AsyncClient) -> None:
    """Without a setting of ours, maxmemory decides."""
    await client.post("/v1/test-sets", json=TEST_SET)
    with redis.Redis.from_url(redis_url) as connection:
        used = connection.info("memory")["used_memory"]
        connection.config_set("maxmemory", used + 200_000)
        try:
            refused = await client.post("/v1/runs", json=run_body(adversarial={"preset": "full"}))
            usage = (await client.get("/v1/usage")).json()
        finally:
            connection.config_set("maxmemory", 0)
    assert refused.status_code == 507
    assert usage["store"]["bound_bytes"] == used + 200_000


async def test_accepted_runs_keep_their_room(redis_url: str, opens: Opens) -> None:
    """Runs that each fit alone are refused once those before them need the rest."""
    with redis.Redis.from_url(redis_url) as connection:
        used = connection.info("memory")["used_memory"]
    async with opens(redis_url, RETEVAL_STORE_BYTES=str(used + 300_000)) as client:
        await client.post("/v1/test-sets", json=TEST_SET)
        statuses = [(await client.post("/v1/runs", json=run_body())).status_code for _ in range(20)]
    assert statuses[0] == 202
    assert statuses.count(507) > 10


async def test_replay_needs_no_room(redis_url: str, opens: Opens) -> None:
    """A repeated request is answered with its run, though the store is full by now."""
    headers = {"Idempotency-Key": "k"}
    async with opens(redis_url) as client:
        await client.post("/v1/test-sets", json=TEST_SET)
        first = await client.post("/v1/runs", json=run_body(), headers=headers)
    async with opens(redis_url, RETEVAL_STORE_BYTES="1") as client:
        again = await client.post("/v1/runs", json=run_body(), headers=headers)
        other = await client.post("/v1/runs", json=run_body())
    assert (again.status_code, again.json()["id"]) == (202, first.json()["id"])
    assert other.status_code == 507


@pytest.mark.parametrize("route", ["rescore", "rankings"])
async def test_runs_without_calls_need_room_too(
    redis_url: str, opens: Opens, store: Store, ended_run: str, route: str
) -> None:
    """Rescored and uploaded runs are refused alike, and leave nothing behind."""
    before = (await store.runs.span(DEFAULT_TENANT))[0]
    async with opens(redis_url, RETEVAL_STORE_BYTES="1") as client:
        if route == "rescore":
            refused = await client.post(f"/v1/runs/{ended_run}/rescore", json={})
        else:
            files = {
                "request": ("r.json", b'{"test_set": "ended"}', "application/json"),
                "rankings": ("r.trec", b"q1 Q0 d1 1 1 t\n", "text/plain"),
            }
            refused = await client.post("/v1/rankings", files=files)
    assert (refused.status_code, refused.json()["code"]) == (507, "storage_full")
    assert (await store.runs.span(DEFAULT_TENANT))[0] == before


async def test_deleted_comparison_is_made_anew(client: httpx.AsyncClient) -> None:
    """A comparison that is not there cannot be deleted."""
    missing = await client.delete("/v1/comparisons/cmp_none")
    assert (missing.status_code, missing.json()["code"]) == (404, "not_found")
