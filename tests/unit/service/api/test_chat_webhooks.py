"""Webhooks of a chat: whoever knows their URL may write there, so nobody is shown it."""

import httpx
import pytest
import redis
from structlog.testing import capture_logs

from service.store.sealing import unseal
from service.store.store import Store
from service.store.webhooks import ADDRESS
from tests.unit.service.api.conftest import ENVIRONMENT

URL = "http://127.0.0.1:9/services/T0/B0/s3cret"
SHOWN = "http://127.0.0.1:9/…"
CHAT = {"url": URL, "format": "slack", "events": []}


async def address(store: Store, webhook_id: str) -> str:
    """Return the address that a worker would call."""
    sealed = await store.webhooks.sealed("default", webhook_id)
    return unseal(ENVIRONMENT["RETEVAL_SECRET_KEY"], sealed)[ADDRESS]


async def test_address_of_a_chat_is_not_shown(
    client: httpx.AsyncClient, store: Store, redis_url: str
) -> None:
    """Neither an answer, nor the log, nor anything in the store has it in the clear."""
    with capture_logs() as said:
        made = await client.post("/v1/webhooks", json=CHAT, headers={"Idempotency-Key": "k"})
        hook = made.json()
        path = f"/v1/webhooks/{hook['id']}"
        answers = [made, await client.get(path), await client.get("/v1/webhooks")]
        answers += [await client.post(f"{path}/ping"), await client.get("/v1/audit")]
    assert (hook["url"], hook["format"], hook["secret"]) == (SHOWN, "slack", "")
    assert all("s3cret" not in answer.text for answer in answers)
    assert "s3cret" not in str(said)
    with redis.Redis.from_url(redis_url) as server:
        assert all(b"s3cret" not in (server.dump(key) or b"") for key in server.scan_iter())
    assert await address(store, hook["id"]) == URL


async def test_address_stays_where_it_is_sent_as_it_is_shown(
    client: httpx.AsyncClient, store: Store
) -> None:
    """Whoever does not know it can switch a chat off and on; another address replaces it."""
    hook = (await client.post("/v1/webhooks", json=CHAT)).json()
    path = f"/v1/webhooks/{hook['id']}"
    off = await client.put(path, json=CHAT | {"url": SHOWN, "enabled": False})
    assert (off.status_code, off.json()["enabled"], off.json()["url"]) == (200, False, SHOWN)
    assert await address(store, hook["id"]) == URL
    moved = await client.put(path, json=CHAT | {"url": "http://127.0.0.1:8/other"})
    assert moved.json()["url"] == "http://127.0.0.1:8/…"
    assert await address(store, hook["id"]) == "http://127.0.0.1:8/other"
    blocked = await client.put(path, json=CHAT | {"url": "http://169.254.169.254/x"})
    assert (blocked.status_code, blocked.json()["code"]) == (422, "endpoint_not_allowed")


@pytest.mark.parametrize(("one", "other"), [("slack", "signed"), ("signed", "slack")])
async def test_webhook_keeps_its_format(client: httpx.AsyncClient, one: str, other: str) -> None:
    """Another one would need another secret."""
    hook = (await client.post("/v1/webhooks", json=CHAT | {"format": one})).json()
    answer = await client.put(f"/v1/webhooks/{hook['id']}", json=CHAT | {"format": other})
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, "/format")


async def test_chat_has_no_secret_to_rotate(client: httpx.AsyncClient, store: Store) -> None:
    """Its address is what is secret, and stays."""
    hook = (await client.post("/v1/webhooks", json=CHAT)).json()
    answer = await client.post(f"/v1/webhooks/{hook['id']}/rotate", json={})
    assert answer.status_code == 422
    assert "PUT" in answer.json()["errors"][0]["fix"]
    assert await address(store, hook["id"]) == URL
