"""Routes of keys: made, used, rotated, revoked over HTTP."""

import httpx

from reteval.contract.api_keys import Scope
from service.store.store import Store
from tests.factories import stored_key
from tests.unit.service.api.teams import bearer


async def test_key_lives_over_http(guarded: httpx.AsyncClient, store: Store) -> None:
    """A made key opens, its rotation leaves two, and a revoked one opens nothing."""
    admin = bearer(await stored_key(store, Scope.KEYS_ADMIN))
    body = {"name": "ci", "scopes": ["runs:read"]}
    made = await guarded.post("/v1/keys", json=body, headers=admin)
    assert made.status_code == 201
    assert made.headers["Location"] == f"/v1/keys/{made.json()['id']}"
    old = bearer(made.json()["secret"])
    rotated = await guarded.post(f"{made.headers['Location']}/rotate", headers=admin)
    new = bearer(rotated.json()["secret"])
    for key in (old, new):
        assert (await guarded.get("/v1/runs", headers=key)).status_code == 200
    gone = await guarded.delete(made.headers["Location"], headers=admin)
    assert (gone.status_code, gone.content) == (204, b"")
    assert (await guarded.get("/v1/runs", headers=old)).status_code == 401
    assert (await guarded.get("/v1/runs", headers=new)).status_code == 200
    listed = (await guarded.get("/v1/keys", headers=admin)).json()["items"]
    assert [key["revoked_at"] is None for key in listed] == [True, False, True]
    assert listed[0]["last_used_at"] is not None
    assert all("secret" not in key and "digest" not in key for key in listed)


async def test_key_request_is_bounded(guarded: httpx.AsyncClient, store: Store) -> None:
    """No scope, an unknown one, no end, a foreign field: 422 names the place."""
    admin = bearer(await stored_key(store, Scope.ADMIN))
    sound = {"name": "ci", "scopes": ["runs:read"]}
    for change, pointer in (
        ({"scopes": []}, "/scopes"),
        ({"scopes": ["runs:everything"]}, "/scopes/0"),
        ({"expires_in_days": 366}, "/expires_in_days"),
        ({"expires_in_days": 0}, "/expires_in_days"),
        ({"team": "No Team"}, "/team"),
    ):
        answer = await guarded.post("/v1/keys", json=sound | change, headers=admin)
        assert answer.status_code == 422, change
        assert answer.json()["errors"][0]["pointer"] == pointer
    for hours in ("-1", "721", "x"):
        answer = await guarded.post(f"/v1/keys/key_1/rotate?overlap_hours={hours}", headers=admin)
        assert answer.status_code == 422
