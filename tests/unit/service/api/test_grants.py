"""Routes of sharing: what readers of another team see, links, and the newest run."""

from typing import Any

import httpx
import pytest

from reteval.contract.api_keys import Scope
from reteval.contract.runs import RunStatus
from service.store.store import Store
from tests.factories import stored_key
from tests.unit.service.api.ended import TEST_SET, end_run, run_body
from tests.unit.service.api.teams import SCOPES, bearer

URL = "http://user:pass@127.0.0.1:9/search?api_key=s3cret&lang=en"


@pytest.fixture
async def mine(store: Store) -> dict[str, str]:
    """Return the headers of the default team's key."""
    return bearer(await stored_key(store, *SCOPES))


@pytest.fixture
async def theirs(store: Store) -> dict[str, str]:
    """Return the headers of another team's key."""
    return bearer(await stored_key(store, *SCOPES, team="others"))


async def make_run(
    client: httpx.AsyncClient, store: Store, key: dict[str, str], **changes: Any
) -> str:
    """Let the default team make a run that has ended."""
    await client.post("/v1/test-sets", json=TEST_SET, headers=key)
    made = await client.post("/v1/runs", json=run_body(**changes), headers=key)
    run_id: str = made.json()["id"]
    await end_run(store, run_id)
    return run_id


async def test_reader_sees_no_endpoint_but_its_address(
    guarded: httpx.AsyncClient, store: Store, mine: dict[str, str], theirs: dict[str, str]
) -> None:
    """Body, headers and keys of an endpoint are its team's; a reader sees where it was."""
    endpoint = {"url": URL.replace("user:pass@", ""), "body": {"q": "{{query}}"}}
    run_id = await make_run(guarded, store, mine, endpoint=endpoint, label="live")
    await guarded.post("/v1/grants", json={"to": "others", "run": run_id}, headers=mine)
    own = (await guarded.get(f"/v1/runs/{run_id}", headers=mine)).json()["endpoint"]
    assert own["body"] == {"q": "{{query}}"}
    for path in (f"/v1/runs/{run_id}", "/v1/latest?label=live"):
        seen = (await guarded.get(path, headers=theirs)).json()["endpoint"]
        assert seen["url"] == "http://127.0.0.1:9/search?api_key=***&lang=en"
        assert "body" not in seen


async def test_list_has_own_runs_only(
    guarded: httpx.AsyncClient, store: Store, mine: dict[str, str], theirs: dict[str, str]
) -> None:
    """What was granted is read by its id or as the newest, and is in no list of one's own."""
    await make_run(guarded, store, mine)
    await guarded.post("/v1/grants", json={"to": "*", "label": "live"}, headers=mine)
    assert (await guarded.get("/v1/runs", headers=theirs)).json()["items"] == []
    assert (await guarded.get("/v1/test-sets", headers=theirs)).json()["items"] == []


async def test_own_run_is_the_newest_before_a_granted_one(
    guarded: httpx.AsyncClient, store: Store, mine: dict[str, str], theirs: dict[str, str]
) -> None:
    """No team can put its run in the place of ours by granting one that is newer."""
    own = await make_run(guarded, store, mine, label="live")
    foreign = await make_foreign_run(guarded, store, theirs, label="live")
    await guarded.post("/v1/grants", json={"to": "*", "label": "live"}, headers=theirs)

    async def newest(query: str) -> Any:
        answer = await guarded.get(f"/v1/latest?{query}", headers=mine)
        return answer.json().get("id", answer.status_code)

    assert await newest("label=live") == own
    assert await newest("label=live&team=others") == foreign
    assert await newest("label=live&team=default") == own
    assert await newest("label=live&team=third") == 404
    await guarded.delete(f"/v1/runs/{own}", headers=mine)
    assert await newest("label=live") == foreign
    assert await newest("label=live&test_set=ended") == foreign
    assert await newest("label=live&test_set=another") == 404
    assert await newest("label=other") == 404


async def make_foreign_run(
    client: httpx.AsyncClient, store: Store, key: dict[str, str], **changes: Any
) -> str:
    """Let the other team make a run that has ended."""
    await client.post("/v1/test-sets", json=TEST_SET, headers=key)
    made = await client.post("/v1/runs", json=run_body(**changes), headers=key)
    run_id: str = made.json()["id"]
    claim = await store.claims.claim("others", run_id, owner="w", lease_s=30)
    assert claim is not None
    await store.journal.finish(claim, status=RunStatus.COMPLETED, report=b"{}", error="")
    return run_id


async def test_newest_is_of_completed_runs(
    guarded: httpx.AsyncClient, store: Store, mine: dict[str, str]
) -> None:
    """A run that failed, or has not ended, has no numbers and is passed over; so is nothing."""
    done = await make_run(guarded, store, mine, label="live")
    waiting = await guarded.post("/v1/runs", json=run_body(label="live"), headers=mine)
    failed = await guarded.post("/v1/runs", json=run_body(label="live"), headers=mine)
    await end_run(store, failed.json()["id"], metrics=False)
    assert waiting.status_code == 202
    for query in ("label=live", "test_set=ended", "test_set=ended&label=live"):
        answer = await guarded.get(f"/v1/latest?{query}", headers=mine)
        assert answer.json()["id"] == done
    empty = await guarded.get("/v1/latest", headers=mine)
    assert (empty.status_code, empty.json()["errors"][0]["pointer"]) == (422, "?test_set")


async def test_run_granted_by_id_is_the_newest_until_it_goes(
    guarded: httpx.AsyncClient, store: Store, mine: dict[str, str], theirs: dict[str, str]
) -> None:
    """A grant of one run answers for its label; deleted, there is none."""
    run_id = await make_run(guarded, store, mine, label="live")
    await guarded.post("/v1/grants", json={"to": "others", "run": run_id}, headers=mine)
    test_set = (await guarded.get("/v1/test-sets/ended", headers=mine)).json()["id"]
    await guarded.post("/v1/grants", json={"to": "others", "test_set": test_set}, headers=mine)
    found = await guarded.get("/v1/latest?label=live", headers=theirs)
    assert found.json()["id"] == run_id
    assert (await guarded.get("/v1/latest?label=x", headers=theirs)).status_code == 404
    await guarded.delete(f"/v1/runs/{run_id}", headers=mine)
    assert (await guarded.get("/v1/latest?label=live", headers=theirs)).status_code == 404


async def test_link_lives_over_http(
    guarded: httpx.AsyncClient, store: Store, mine: dict[str, str]
) -> None:
    """The address of a new link answers the report; the list has no token; closed, it is 401."""
    run_id = await make_run(guarded, store, mine)
    made = await guarded.post(f"/v1/runs/{run_id}/links", json={}, headers=mine)
    assert made.status_code == 201
    assert (await guarded.get(made.json()["url"])).json()["id"] == run_id
    listed = await guarded.get(f"/v1/runs/{run_id}/links", headers=mine)
    assert [link["id"] for link in listed.json()["items"]] == [made.json()["id"]]
    assert made.json()["token"] not in listed.text
    other = await make_run(guarded, store, mine)
    wrong = f"/v1/runs/{other}/links/{made.json()['id']}"
    assert (await guarded.delete(wrong, headers=mine)).status_code == 404
    gone = await guarded.delete(made.headers["Location"], headers=mine)
    assert gone.status_code == 204
    assert (await guarded.get(made.json()["url"])).status_code == 401
    assert (await guarded.delete(made.headers["Location"], headers=mine)).status_code == 404


async def test_deleted_run_takes_its_links_along(
    guarded: httpx.AsyncClient, store: Store, mine: dict[str, str]
) -> None:
    """A link to a run that is gone opens nothing."""
    run_id = await make_run(guarded, store, mine)
    made = await guarded.post(f"/v1/runs/{run_id}/links", json={}, headers=mine)
    await guarded.delete(f"/v1/runs/{run_id}", headers=mine)
    assert (await guarded.get(made.json()["url"])).status_code == 404


async def test_auth_off_reads_a_link_like_anything(
    client: httpx.AsyncClient, store: Store, ended_run: str
) -> None:
    """Without keys a link's address still answers, so that it can be tried on one machine."""
    made = await client.post(f"/v1/runs/{ended_run}/links", json={"expires_in_days": 1})
    assert (await client.get(made.json()["url"])).status_code == 200
    assert await store.links.find(made.json()["id"]) is not None


async def test_scope_of_results_alone_reads_by_a_grant(
    guarded: httpx.AsyncClient, store: Store, mine: dict[str, str]
) -> None:
    """A grant gives no more than the reader's key has: results, not the run."""
    weak = bearer(await stored_key(store, Scope.RESULTS_READ, team="others"))
    run_id = await make_run(guarded, store, mine)
    await guarded.post("/v1/grants", json={"to": "others", "run": run_id}, headers=mine)
    assert (await guarded.get(f"/v1/runs/{run_id}/results", headers=weak)).status_code == 200
    assert (await guarded.get(f"/v1/runs/{run_id}", headers=weak)).status_code == 403
