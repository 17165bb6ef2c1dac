"""The routes of `/v1/webhooks`: a secret shown once, a URL judged, a log that can be replayed."""

import base64
from typing import Any

import httpx
import pytest
import redis

from reteval.contract.limits import MAX_WEBHOOKS
from service.store.store import Store
from tests.hooks import DELIVERED, take
from tests.unit.service.api.conftest import Opens
from tests.unit.service.api.ended import TEST_SET, end_run, run_body

URL = "http://127.0.0.1:9/hook"


async def register(client: httpx.AsyncClient, **changes: Any) -> dict[str, Any]:
    """Register a webhook and return the answer."""
    answer = await client.post("/v1/webhooks", json={"url": URL} | changes)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    assert answer.headers["Location"] == f"/v1/webhooks/{made['id']}"
    return made


async def test_secret_is_shown_once(client: httpx.AsyncClient) -> None:
    """The secret has 24 random bytes, and is in no later answer."""
    made = await register(client)
    key = base64.b64decode(made["secret"].removeprefix("whsec_"), validate=True)
    assert len(key) == 24
    webhook = {name: value for name, value in made.items() if name != "secret"}
    path = f"/v1/webhooks/{webhook['id']}"
    read = await client.get(path)
    listed = await client.get("/v1/webhooks")
    assert read.json() == webhook
    assert listed.json()["items"] == [webhook]
    assert made["secret"] not in read.text + listed.text
    assert (await register(client))["secret"] != made["secret"]


async def test_secrets_lie_sealed_in_the_store(client: httpx.AsyncClient, redis_url: str) -> None:
    """Neither the first secret nor a rotated one can be read from any key."""
    made = await register(client)
    rotated = await client.post(f"/v1/webhooks/{made['id']}/rotate", json={})
    with redis.Redis.from_url(redis_url) as server:
        hashes = [name for name in server.keys("t:*") if server.type(name) == b"hash"]
        stored = b"".join(value for name in hashes for value in server.hgetall(name).values())
    assert made["url"].encode() in stored
    for secret in (made["secret"], rotated.json()["secret"]):
        assert secret.removeprefix("whsec_").encode() not in stored


async def test_defaults_are_all_ends_of_all_runs(client: httpx.AsyncClient) -> None:
    """A URL is enough; what is asked for twice is kept once, in a fixed order."""
    webhook = await register(client)
    assert webhook["enabled"]
    assert len(webhook["events"]) == 4
    assert (webhook["label"], webhook["test_set"], webhook["disabled_reason"]) == ("", "", None)
    twice = await register(client, events=["run.failed", "run.completed", "run.failed"])
    assert twice["events"] == ["run.completed", "run.failed"]


@pytest.mark.parametrize(
    "url",
    ["http://169.254.169.254/", "http://user:pw@search.example/", "ftp://a/", "http://10.0.0.1/"],
)
async def test_refused_urls(client: httpx.AsyncClient, url: str) -> None:
    """What may not be called cannot be registered, and no webhook can be moved there."""
    made = await register(client)
    path = f"/v1/webhooks/{made['id']}"
    for answer in (
        await client.post("/v1/webhooks", json={"url": url}),
        await client.put(path, json={"url": url}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (422, "endpoint_not_allowed")
        assert answer.json()["errors"][0]["pointer"] == "/url"
    assert (await client.get(path)).json()["url"] == URL


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"url": URL, "events": ["run.started"]},
        {"url": URL, "secret": "mine"},
        {"url": URL, "label": "x" * 201},
    ],
)
async def test_bodies_that_break_a_rule(client: httpx.AsyncClient, body: dict[str, Any]) -> None:
    """Unknown events and fields are refused, a secret of one's own among them."""
    answer = await client.post("/v1/webhooks", json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")


async def test_so_many_and_no_more(client: httpx.AsyncClient) -> None:
    """The answer says what to do."""
    for _ in range(MAX_WEBHOOKS):
        await register(client)
    answer = await client.post("/v1/webhooks", json={"url": URL})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert "delete one" in answer.json()["detail"]


async def test_without_a_key_nothing_is_registered(opens: Opens, redis_url: str) -> None:
    """A secret that cannot be sealed is not made."""
    async with opens(redis_url, RETEVAL_SECRET_KEY="") as client:
        answer = await client.post("/v1/webhooks", json={"url": URL})
        assert (answer.status_code, answer.json()["code"]) == (422, "secrets_unavailable")
        assert (await client.get("/v1/webhooks")).json()["items"] == []


async def test_change_keeps_the_secret(client: httpx.AsyncClient, store: Store) -> None:
    """Everything else is replaced by what is sent."""
    made = await register(client, label="main", description="ours")
    sealed = await store.webhooks.sealed("default", made["id"])
    path = f"/v1/webhooks/{made['id']}"
    changed = await client.put(path, json={"url": URL + "2", "enabled": False})
    assert changed.status_code == 200
    shown = {name: value for name, value in made.items() if name != "secret"}
    assert changed.json() == shown | {
        "url": URL + "2",
        "label": "",
        "description": "",
        "enabled": False,
        "updated_at": changed.json()["updated_at"],
    }
    assert await store.webhooks.sealed("default", made["id"]) == sealed


async def test_rotation_names_the_end_of_the_old_secret(client: httpx.AsyncClient) -> None:
    """A new secret comes back; the old one has a day, or what was asked for."""
    made = await register(client)
    path = f"/v1/webhooks/{made['id']}"
    rotated = await client.post(f"{path}/rotate", json={})
    assert rotated.json()["secret"] != made["secret"]
    assert rotated.json()["old_secret_until"] is not None
    at_once = await client.post(f"{path}/rotate", json={"grace_s": 0})
    assert at_once.json()["old_secret_until"] is None
    too_long = await client.post(f"{path}/rotate", json={"grace_s": 604_801})
    assert too_long.json()["errors"][0]["pointer"] == "/grace_s"


async def test_ping_can_be_followed_and_replayed(client: httpx.AsyncClient, store: Store) -> None:
    """It is queued like any event; a replay keeps its id and its attempts."""
    made = await register(client)
    path = f"/v1/webhooks/{made['id']}"
    pinged = await client.post(f"{path}/ping")
    assert (pinged.status_code, pinged.json()["state"]) == (202, "pending")
    assert (pinged.json()["type"], pinged.json()["run"]) == ("ping", "")
    where = pinged.headers["Location"]
    await store.deliveries.settle(await take(store), DELIVERED)
    read = (await client.get(where)).json()
    assert (read["state"], len(read["attempts"])) == ("delivered", 1)
    again = await client.post(f"{where}/replay")
    assert (again.status_code, again.headers["Location"]) == (202, where)
    assert again.json() == read | {
        "state": "pending",
        "next_attempt_at": again.json()["next_attempt_at"],
    }


async def test_ended_run_is_in_the_log(client: httpx.AsyncClient, store: Store) -> None:
    """The log names the run, and is paged."""
    made = await register(client)
    path = f"/v1/webhooks/{made['id']}/deliveries"
    await client.post("/v1/test-sets", json=TEST_SET)
    runs = []
    for _ in range(3):
        run = (await client.post("/v1/runs", json=run_body())).json()
        await end_run(store, run["id"])
        runs.append(run["id"])
    first = (await client.get(path, params={"limit": 2})).json()
    rest = (await client.get(path, params={"cursor": first["next_cursor"]})).json()
    assert [one["run"] for one in first["items"] + rest["items"]] == runs[::-1]
    assert {one["type"] for one in first["items"]} == {"run.completed"}


async def test_webhook_that_is_off_refuses(client: httpx.AsyncClient) -> None:
    """Neither ping nor replay is queued for it."""
    made = await register(client)
    path = f"/v1/webhooks/{made['id']}"
    pinged = (await client.post(f"{path}/ping")).json()
    await client.put(path, json={"url": URL, "enabled": False})
    for where in (f"{path}/ping", f"{path}/deliveries/{pinged['id']}/replay"):
        answer = await client.post(where)
        assert (answer.status_code, answer.json()["code"]) == (409, "webhook_disabled")


async def test_deleted_or_unknown_is_not_found(client: httpx.AsyncClient) -> None:
    """Every route of a webhook that is gone answers 404, and so do unknown deliveries."""
    made = await register(client)
    path = f"/v1/webhooks/{made['id']}"
    assert (await client.get(f"{path}/deliveries/evt_none")).status_code == 404
    assert (await client.delete(path)).status_code == 204
    answers = [
        await client.get(path),
        await client.delete(path),
        await client.put(path, json={"url": URL}),
        await client.post(f"{path}/rotate", json={}),
        await client.post(f"{path}/ping"),
        await client.get(f"{path}/deliveries"),
        await client.get(f"{path}/deliveries/evt_none"),
        await client.post(f"{path}/deliveries/evt_none/replay"),
    ]
    assert {answer.status_code for answer in answers} == {404}
