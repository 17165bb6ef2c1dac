"""Routes for admins: teams, and the audit log."""

from importlib.metadata import version
from typing import Any

import httpx
import pytest

from reteval.contract.api_keys import Scope
from service.store.store import Store
from tests.factories import stored_key
from tests.unit.service.api.conftest import Opens
from tests.unit.service.api.ended import TEST_SET, end_run, run_body
from tests.unit.service.api.teams import ADDRESS, SCOPES, bearer


@pytest.fixture
async def admin(store: Store) -> dict[str, str]:
    """Return the headers of an admin's key."""
    return bearer(await stored_key(store, Scope.ADMIN))


async def test_teams_are_made_once_and_listed(
    guarded: httpx.AsyncClient, admin: dict[str, str]
) -> None:
    """An id is taken for ever, `default` from the start; the list is by id."""
    body = {"id": "search", "name": "Search team"}
    made = await guarded.post("/v1/teams", json=body, headers=admin)
    assert made.status_code == 201
    read = await guarded.get(made.headers["Location"], headers=admin)
    assert read.json() == made.json()
    for taken in (body, {"id": "default", "name": "x"}):
        again = await guarded.post("/v1/teams", json=taken, headers=admin)
        assert (again.status_code, again.json()["code"]) == (409, "name_taken")
    listed = (await guarded.get("/v1/teams", headers=admin)).json()["items"]
    assert [team["id"] for team in listed] == ["default", "search"]
    assert (await guarded.get("/v1/teams/nobody", headers=admin)).status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        {"id": "", "name": "x"},
        {"id": "*", "name": "x"},
        {"id": "_", "name": "x"},
        {"id": "A", "name": "x"},
        {"id": "a:b", "name": "x"},
        {"id": "a/b", "name": "x"},
        {"id": "-a", "name": "x"},
        {"id": "a\n", "name": "x"},
        {"id": "a" * 64, "name": "x"},
        {"id": "a", "name": "x\u0000"},
        {"id": "a", "name": ""},
    ],
)
async def test_team_id_can_stand_in_a_key(
    guarded: httpx.AsyncClient, admin: dict[str, str], body: dict[str, str]
) -> None:
    """What could be another key of the store, or everyone, is no id of a team."""
    answer = await guarded.post("/v1/teams", json=body, headers=admin)
    assert answer.status_code == 422


async def test_changes_are_in_the_log(
    guarded: httpx.AsyncClient, store: Store, admin: dict[str, str]
) -> None:
    """Each thing made, changed or deleted is an event with actor, object and request."""
    key = await stored_key(store, *SCOPES)
    mine = bearer(key)

    async def do(method: str, path: str, body: Any = None) -> dict[str, Any]:
        answer = await guarded.request(
            method, path, json=body, headers={**mine, "X-Request-Id": f"{method}.1"}
        )
        assert answer.is_success, answer.text
        return answer.json() if answer.content else {}

    test_set = (await do("POST", "/v1/test-sets", TEST_SET))["id"]
    await do("POST", "/v1/test-sets", TEST_SET)  # 200: there already
    run = (await do("POST", "/v1/runs", run_body()))["id"]
    cancelled = (await do("POST", "/v1/runs", run_body()))["id"]
    await do("POST", f"/v1/runs/{cancelled}/cancel")
    await end_run(store, run)
    child = (await do("POST", f"/v1/runs/{run}/rescore", {"metrics": ["mrr"]}))["id"]
    link = (await do("POST", f"/v1/runs/{run}/links", {}))["id"]
    await do("DELETE", f"/v1/runs/{run}/links/{link}")
    made = (await do("POST", "/v1/keys", {"name": "k", "scopes": ["runs:read"]}))["id"]
    heir = (await do("POST", f"/v1/keys/{made}/rotate"))["id"]
    await do("DELETE", f"/v1/keys/{made}")
    saved = {"name": "e", "endpoint": {"url": "http://127.0.0.1:9/x"}}
    endpoint = (await do("POST", "/v1/endpoints", saved))["id"]
    await do("DELETE", f"/v1/endpoints/{endpoint}")
    hook = (await do("POST", "/v1/webhooks", {"url": "http://127.0.0.1:9/x"}))["id"]
    await do("PUT", f"/v1/webhooks/{hook}", {"url": "http://127.0.0.1:9/y"})
    await do("POST", f"/v1/webhooks/{hook}/rotate", {})
    await do("POST", f"/v1/webhooks/{hook}/ping")
    await do("DELETE", f"/v1/webhooks/{hook}")
    log = (await guarded.get("/v1/audit?limit=50", headers=admin)).json()["items"]
    assert log.pop()["event"] == "service_started"
    assert [(row["event"], row["target"]) for row in reversed(log)] == [
        ("test_set_created", test_set),
        ("run_created", run),
        ("run_created", cancelled),
        ("run_cancelled", cancelled),
        ("run_created", f"{run}/{child}"),
        ("link_created", f"{run}/{link}"),
        ("link_deleted", f"{run}/{link}"),
        ("key_created", made),
        ("key_rotated", f"{made}/{heir}"),
        ("key_revoked", made),
        ("endpoint_saved", endpoint),
        ("endpoint_deleted", endpoint),
        ("webhook_created", hook),
        ("webhook_changed", hook),
        ("webhook_rotated", hook),
        ("webhook_deleted", hook),
    ]
    assert {row["key"] for row in log} == {f"key_{key.split('_')[1]}"}
    assert {row["request_id"] for row in log} == {"POST.1", "PUT.1", "DELETE.1"}
    assert {(row["team"], row["ip"]) for row in log} == {("default", "127.0.0.1")}


async def test_log_is_paged_newest_first(
    guarded: httpx.AsyncClient, store: Store, admin: dict[str, str]
) -> None:
    """Pages together are the log; a cursor of one log is none of the other."""
    for number in range(5):
        body = {"id": f"t{number}", "name": "x"}
        await guarded.post("/v1/teams", json=body, headers=admin)
    seen: list[str] = []
    cursor = ""
    while cursor is not None:
        page = (await guarded.get(f"/v1/audit?limit=2&cursor={cursor}", headers=admin)).json()
        seen += [row["target"] for row in page["items"]]
        last, cursor = cursor, page["next_cursor"]
    assert seen == ["t4", "t3", "t2", "t1", "t0", version("reteval-service")]
    other = await guarded.get(f"/v1/audit?log=access&cursor={last}", headers=admin)
    assert (other.status_code, other.json()["code"]) == (400, "bad_cursor")
    assert (await store.audit.page("changes", before=None, limit=9))[1] is None


async def test_failed_change_is_no_event(guarded: httpx.AsyncClient, admin: dict[str, str]) -> None:
    """What was refused or missing has changed nothing."""
    await guarded.post("/v1/runs", json=run_body(test_set="none"), headers=admin)
    await guarded.delete("/v1/runs/run_none", headers=admin)
    log = (await guarded.get("/v1/audit", headers=admin)).json()["items"]
    assert [row["event"] for row in log] == ["service_started"]


async def test_start_is_in_the_log_with_settings_and_no_secret(
    opens: Opens, redis_url: str
) -> None:
    """Values and counts of what decides who gets in and where the service calls, not more."""
    secrets = {"RETEVAL_API_KEY": "operators-own-key", "RETEVAL_SECRET_KEY": "A" * 43 + "="}
    settings = {
        "RETEVAL_AUTH": "required",
        "RETEVAL_EGRESS": "public",
        "RETEVAL_EGRESS_ALLOW": "search.internal:9200,10.1.0.0/16:443",
        "RETEVAL_CORS_ORIGINS": "https://dash.example",
        "RETEVAL_RATE_REQUESTS": "7",
    }
    async with opens(redis_url, **secrets, **settings) as client:
        log = await client.get("/v1/audit", headers=bearer(secrets["RETEVAL_API_KEY"]))
    (row,) = log.json()["items"]
    assert (row["event"], row["team"], row["key"], row["ip"]) == ("service_started", "", "", "")
    assert row["detail"] == (
        "auth=required operator_key=set secret_key=set egress=public egress_allow=2 "
        "cors_origins=1 rate=7/60 retention_days=0"
    )
    private = [*secrets.values(), "search.internal", "10.1.0.0", "dash.example"]
    assert not any(text in log.text for text in private)


async def test_address_that_is_not_called_is_in_the_log(
    guarded: httpx.AsyncClient, store: Store, admin: dict[str, str]
) -> None:
    """Whoever names one the policy refuses is an event with its origin; its path is nowhere."""
    await guarded.post("/v1/test-sets", json=TEST_SET, headers=admin)
    mine = await stored_key(store, *SCOPES)
    url = "http://169.254.169.254/latest?token=s3cret"
    odd = "http://user:s3cret@search.example/"
    for path, body in (
        ("/v1/runs", run_body(endpoint={"url": url})),
        ("/v1/webhooks", {"url": url}),
        ("/v1/endpoints", {"name": "x", "endpoint": {"url": odd}}),
        ("/v1/runs", run_body(endpoint={"url": ADDRESS, "headers": {"Host": "x"}})),
    ):
        assert (await guarded.post(path, json=body, headers=bearer(mine))).status_code == 422
    log = (await guarded.get("/v1/audit?log=access", headers=admin)).json()["items"]
    assert [(row["event"], row["target"]) for row in reversed(log)] == [
        ("egress_denied", "http://169.254.169.254"),
        ("egress_denied", "http://169.254.169.254"),
        ("egress_denied", "userinfo_not_allowed"),
    ]
    assert [row["detail"].partition(":")[0] for row in reversed(log)] == [
        "createRun",
        "createWebhook",
        "saveEndpoint",
    ]
    assert {row["key"] for row in log} == {f"key_{mine.split('_')[1]}"}
    assert "s3cret" not in str(log)


async def test_replay_is_no_event(
    guarded: httpx.AsyncClient, store: Store, admin: dict[str, str]
) -> None:
    """A POST repeated with its idempotency key made one run, and is in the log once."""
    await guarded.post("/v1/test-sets", json=TEST_SET, headers=admin)
    for _ in range(2):
        await guarded.post("/v1/runs", json=run_body(), headers={**admin, "Idempotency-Key": "k"})
    log = (await guarded.get("/v1/audit", headers=admin)).json()["items"]
    assert [row["event"] for row in log] == ["run_created", "test_set_created", "service_started"]
    assert (await store.audit.page("changes", before=None, limit=9))[1] is None
