"""Sessions: a key given once, a cookie that stands for it, and how that ends."""

import httpx

from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditLog
from service.core.audit import page_audit
from service.store.store import Store
from tests.factories import stored_key
from tests.unit.service.api.conftest import Opens


async def sign_in(client: httpx.AsyncClient, key: str, going: str = "/runs") -> httpx.Response:
    """Send the form."""
    return await client.post("/sign-in", data={"key": key, "next": going})


async def test_cookie_is_kept_from_scripts_and_other_sites(
    guarded: httpx.AsyncClient, store: Store
) -> None:
    """The cookie holds no key, no script reads it, and it is sent encrypted where that can be."""
    key = await stored_key(store, Scope.RUNS_READ)
    plain = (await sign_in(guarded, key)).headers["set-cookie"]
    assert key not in plain
    assert {"HttpOnly", "Path=/", "SameSite=lax", "Max-Age=43200"} <= set(plain.split("; "))
    proxied = await guarded.post(
        "/sign-in", data={"key": key}, headers={"X-Forwarded-Proto": "https"}
    )
    assert "Secure" in proxied.headers["set-cookie"].split("; ")


async def test_session_shows_pages_and_reads_the_api(
    guarded: httpx.AsyncClient, store: Store
) -> None:
    """A session is led to where it wanted to go, sees it, and may read /v1, but not write there."""
    key = await stored_key(store, Scope.RUNS_WRITE, Scope.TEST_SETS_WRITE)
    answer = await sign_in(guarded, key, "/runs?label=x")
    assert (answer.status_code, answer.headers["location"]) == (303, "/runs?label=x")
    assert "Sign out" in (await guarded.get("/runs")).text
    assert (await guarded.get("/v1/runs")).status_code == 200
    assert (await guarded.post("/v1/test-sets", json={"queries": []})).status_code == 401


async def test_refused_key_is_told_why(guarded: httpx.AsyncClient) -> None:
    """A key that opens nothing gets the form again, with the reason, and no cookie."""
    answer = await sign_in(guarded, "reteval_nonsense")
    assert answer.status_code == 401
    assert "The API key is not valid here." in answer.text
    assert "set-cookie" not in answer.headers


async def test_signing_in_leads_nowhere_else(guarded: httpx.AsyncClient, store: Store) -> None:
    """An address of another site is no place to go after signing in."""
    key = await stored_key(store, Scope.RUNS_READ)
    for going in ("https://evil.example", "//evil.example", "/\\evil.example", "/\tevil", ""):
        assert (await sign_in(guarded, key, going)).headers["location"] == "/runs"
    asked = await guarded.get("/sign-in", params={"next": '/runs"><script>'})
    assert "<script>" not in asked.text


async def test_session_ends_when_asked(guarded: httpx.AsyncClient, store: Store) -> None:
    """Signed out, the old cookie opens nothing any more; the log has both moments."""
    await sign_in(guarded, await stored_key(store, Scope.ADMIN))
    cookie = {"Cookie": f"reteval_session={guarded.cookies['reteval_session']}"}
    assert (await guarded.post("/sign-out")).headers["location"] == "/sign-in"
    assert not guarded.cookies
    answer = await guarded.get("/runs", headers=cookie)
    assert answer.headers["location"] == "/sign-in?next=%2Fruns"
    page = await page_audit(
        guarded._transport.app.state.backend,  # type: ignore[attr-defined]
        AuditLog.ACCESS,
        cursor="",
        limit=9,
    )
    assert [row.event for row in page.items if row.target] == ["signed_out", "signed_in"]


async def test_session_ends_with_its_key(guarded: httpx.AsyncClient, store: Store) -> None:
    """A key that is revoked takes its sessions along; so does a broken or unknown cookie fail."""
    key = await stored_key(store, Scope.RUNS_READ, Scope.KEYS_ADMIN)
    await sign_in(guarded, key)
    assert (await guarded.get("/runs")).status_code == 200
    revoked = await guarded.delete(
        f"/v1/keys/key_{key.split('_')[1]}", headers={"Authorization": f"Bearer {key}"}
    )
    assert revoked.is_success
    assert (await guarded.get("/runs")).status_code == 303
    for broken in ("x", "session_x", f"session_{'a' * 22}_{'b' * 43}_000000"):
        answer = await guarded.get("/runs", headers={"Cookie": f"reteval_session={broken}"})
        assert answer.status_code == 303


async def test_operator_signs_in(redis_url: str, opens: Opens) -> None:
    """The operator's key begins a session, which ends where the settings name another key."""
    async with opens(redis_url, RETEVAL_AUTH="required", RETEVAL_API_KEY="old secret") as client:
        await sign_in(client, "old secret")
        cookie = {"Cookie": f"reteval_session={client.cookies['reteval_session']}"}
        assert (await client.get("/runs")).status_code == 200
    async with opens(redis_url, RETEVAL_AUTH="required", RETEVAL_API_KEY="new secret") as client:
        assert (await client.get("/runs", headers=cookie)).status_code == 303
