"""Routes of versions: made, listed, told apart."""

from typing import Any

import httpx
import msgspec
import pytest
import redis

from reteval.contract.api_keys import Scope
from reteval.contract.testsets import TestSet
from service.store.keys import DEFAULT_TENANT
from service.store.store import Store
from tests.factories import stored_key
from tests.unit.service.api.conftest import Opens
from tests.unit.service.api.teams import SCOPES, bearer

SET: dict[str, Any] = {
    "name": "docs",
    "relevant_from": 2,
    "queries": [
        {"id": "q1", "query": "reset my password", "relevant_ids": ["d1", "d2"], "grades": [3, 1]},
        {"id": "q2", "query": "refund", "relevant_ids": ["d9"], "grades": [2]},
    ],
}
CHANGES: dict[str, Any] = {
    "note": "second page judged",
    "queries": [{"id": "q3", "query": "delete it", "relevant_ids": ["d5"], "grades": [2]}],
    "judgments": [
        {"query_id": "q1", "id": "d2", "grade": None},
        {"query_id": "q2", "id": "d9", "grade": 3, "rater": "anna", "source": "human"},
    ],
}
COUNTS = {
    "queries": {"added": 1, "removed": 0, "changed": 0},
    "judgments": {"added": 1, "removed": 1, "changed": 1},
    "head": [],
    "reordered": False,
}
CSV = {"Content-Type": "text/csv"}


async def make(client: httpx.AsyncClient, body: Any = SET, **words: Any) -> TestSet:
    """Upload a set."""
    answer = await client.post("/v1/test-sets", json=body, **words)
    return msgspec.json.decode(answer.content, type=TestSet)


async def change(client: httpx.AsyncClient, ref: str, **parts: Any) -> TestSet:
    """Make a version."""
    answer = await client.post(f"/v1/test-sets/{ref}/versions", json=parts)
    assert answer.is_success, answer.text
    return msgspec.json.decode(answer.content, type=TestSet)


async def test_version_says_where_it_comes_from(client: httpx.AsyncClient) -> None:
    """A change set is 201 with a set of the same head, its parent, note and counted changes."""
    parent = await make(client)
    answer = await client.post(f"/v1/test-sets/{parent.id}/versions", json=CHANGES)
    made = answer.json()
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/v1/test-sets/{made['id']}"
    assert (made["version"], made["relevant_from"], made["parent"]) == (2, 2, parent.id)
    assert (made["note"], made["created_by"], made["changes"]) == (CHANGES["note"], "", COUNTS)
    assert (await client.get("/v1/test-sets/docs")).json() == made
    lines = (await client.get(f"/v1/test-sets/{made['id']}/export")).text.splitlines()
    assert '{"id":"d9","grade":3,"rater":"anna","source":"human"}' in lines[1]


async def test_parent_stays_as_it_is(client: httpx.AsyncClient) -> None:
    """Its head, queries and export are the same bytes as before."""
    parent = await make(client)
    paths = [f"/v1/test-sets/{parent.id}{rest}" for rest in ("", "/queries", "/export")]
    before = [(await client.get(path)).content for path in paths]
    await change(client, parent.id, **CHANGES)
    assert [(await client.get(path)).content for path in paths] == before


async def test_content_that_is_there_is_answered(client: httpx.AsyncClient) -> None:
    """The same change again, none at all, one of provenance alone, and the way back: 200."""
    parent = await make(client)
    child = await change(client, parent.id, **CHANGES)
    back = {
        "remove": ["q3"],
        "judgments": [
            {"query_id": "q1", "id": "d2", "grade": 1},
            {"query_id": "q2", "id": "d9", "grade": 2},
        ],
    }
    said = {"judgments": [{"query_id": "q1", "id": "d1", "grade": 3, "rater": "bo"}]}
    for ref, parts, expected in (
        (parent.id, CHANGES, child),
        (parent.id, {}, parent),
        (parent.id, said, parent),
        ("docs", back, parent),
    ):
        answer = await client.post(f"/v1/test-sets/{ref}/versions", json=parts)
        assert answer.status_code == 200
        assert msgspec.json.decode(answer.content, type=TestSet) == expected


async def test_upload_with_other_provenance_is_the_stored_set(client: httpx.AsyncClient) -> None:
    """What was said first about who judged stays; the content alone makes a version."""
    first = [{"id": "q", "query": "a", "relevant": [{"id": "d", "grade": 2, "rater": "anna"}]}]
    other = [{"id": "q", "query": "a", "relevant": [{"id": "d", "grade": 2, "rater": "bo"}]}]
    made = await make(client, {"queries": first})
    assert await make(client, {"queries": other}) == made
    (query,) = (await client.get(f"/v1/test-sets/{made.id}/queries")).json()["items"]
    assert query["relevant"] == [{"id": "d", "grade": 2, "rater": "anna"}]


async def test_ratings_are_a_change_set(client: httpx.AsyncClient) -> None:
    """CSV with its note and rater in the query string; JSON has them inside."""
    await make(client)
    table = "query_id,docid,rating\nq1,d7,2\nq1,d8,\n"
    answer = await client.post(
        "/v1/test-sets/docs/versions?note=by%20hand&rater=bo&source=human&at=2026-01-31T12:00:00Z",
        content=table,
        headers=CSV,
    )
    assert (answer.status_code, answer.json()["note"]) == (201, "by hand")
    (first, _) = (await client.get("/v1/test-sets/docs/queries")).json()["items"]
    said = {"rater": "bo", "at": "2026-01-31T12:00:00Z", "source": "human"}
    assert first["relevant"][2:] == [{"id": "d7", "grade": 2, **said}]
    refused = await client.post("/v1/test-sets/docs/versions?rater=bo", json={})
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "?rater")


@pytest.mark.parametrize(
    ("body", "headers", "status", "code"),
    [
        (b'{"remove": ["nobody"]}', {}, 422, "invalid"),
        (b'{"judgments": [', {}, 400, "malformed_json"),
        (b"{}", {"Content-Type": "application/x-ndjson"}, 415, "unsupported_media_type"),
        (b"\xe4", CSV, 400, "malformed_text"),
        (b"a,b\n", CSV, 422, "invalid"),
        (b" " * 10_000_001, {}, 413, "too_large"),
        (b'{"remove": ["q1", "q2"]}', {}, 422, "invalid"),
    ],
)
async def test_refused_change_leaves_the_store_unchanged(
    client: httpx.AsyncClient,
    redis_url: str,
    body: bytes,
    headers: dict[str, str],
    status: int,
    code: str,
) -> None:
    """No half version, no staged chunk."""
    await make(client)
    with redis.Redis.from_url(redis_url) as server:
        before = set(server.keys("t:default:*"))
        answer = await client.post(
            "/v1/test-sets/docs/versions",
            content=body,
            headers={"Content-Type": "application/json", **headers},
        )
        assert (answer.status_code, answer.json()["code"]) == (status, code)
        assert set(server.keys("t:default:*")) == before


async def test_note_beside_a_table_is_checked(client: httpx.AsyncClient) -> None:
    """As the one inside a document is."""
    await make(client)
    answer = await client.post(
        "/v1/test-sets/docs/versions?note=a%0Ab", content="query_id,docid,rating\n", headers=CSV
    )
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, "?note")


async def test_version_counts_in_the_quota(opens: Opens, store: Store, redis_url: str) -> None:
    """Where a team may have one test set, it has no room for a version of it."""
    mine = bearer(await stored_key(store, *SCOPES))
    limited = {"RETEVAL_AUTH": "required", "RETEVAL_QUOTA_TEST_SETS": "1"}
    async with opens(redis_url, **limited) as client:
        await make(client, headers=mine)
        path = "/v1/test-sets/docs/versions"
        answer = await client.post(path, json=CHANGES, headers=mine)
        assert (answer.status_code, answer.json()["code"]) == (429, "quota_exceeded")
        assert len((await client.get(path, headers=mine)).json()["items"]) == 1


async def test_lineage_is_listed_newest_first(client: httpx.AsyncClient) -> None:
    """Pages hold each version once with its parent and counts; an upload has neither."""
    first = await make(client)
    second = await change(client, first.id, **CHANGES)
    third = await make(client, SET | {"scale": {"max": 4}})
    fork = await change(client, first.id, remove=["q2"])
    await make(client, SET | {"name": "other"})
    found: list[Any] = []
    cursor = ""
    while cursor is not None:
        query = {"limit": 3, "cursor": cursor}
        page = (await client.get("/v1/test-sets/docs/versions", params=query)).json()
        found += page["items"]
        cursor = page["next_cursor"]
    assert [(one["id"], one["version"], one["parent"]) for one in found] == [
        (fork.id, 4, first.id),
        (third.id, 3, None),
        (second.id, 2, first.id),
        (first.id, 1, None),
    ]
    assert [one["changes"] for one in found[1:]] == [None, COUNTS, None]
    assert (found[0]["queries"], found[0]["judgments"]) == (1, 2)
    by_id = await client.get(f"/v1/test-sets/{first.id}/versions")
    assert by_id.json()["items"] == found


async def test_lineage_outlives_a_deleted_parent(client: httpx.AsyncClient) -> None:
    """The child keeps the id and the counts; the difference to what is gone is not found."""
    parent = await make(client)
    child = await change(client, parent.id, **CHANGES)
    await client.delete(f"/v1/test-sets/{parent.id}")
    (only,) = (await client.get("/v1/test-sets/docs/versions")).json()["items"]
    assert (only["parent"], only["changes"]) == (parent.id, COUNTS)
    gone = await client.get(f"/v1/test-sets/{child.id}/diff")
    assert (gone.status_code, gone.json()["code"]) == (404, "not_found")


async def test_backup_keeps_lineage_and_provenance(client: httpx.AsyncClient) -> None:
    """A version that is restored is the one that was saved, who judged included."""
    child = await change(client, (await make(client)).id, **CHANGES)
    paths = [f"/v1/test-sets/{child.id}{rest}" for rest in ("", "/export")]
    before = [(await client.get(path)).content for path in paths]
    saved = await client.post("/v1/backups", json={"test_sets": [child.id]})
    await client.delete(paths[0])
    media = {"Content-Type": saved.headers["Content-Type"]}
    restored = await client.post("/v1/restores", content=saved.content, headers=media)
    assert restored.json()["restored"] == [child.id]
    assert [(await client.get(path)).content for path in paths] == before


async def test_diff_is_against_the_parent_or_any_other(client: httpx.AsyncClient) -> None:
    """Rows in pages, the counts of all on each; forwards and backwards."""
    parent = await make(client)
    child = await change(client, parent.id, **CHANGES)
    path = f"/v1/test-sets/{child.id}/diff"
    rows: list[Any] = []
    cursor = ""
    while cursor is not None:
        page = (await client.get(path, params={"limit": 3, "cursor": cursor})).json()
        assert page["changes"] == COUNTS
        assert (page["test_set"]["version"], page["against"]["id"]) == (2, parent.id)
        rows += page["items"]
        cursor = page["next_cursor"]
    assert [(row["change"], row["document_id"], row["before"], row["after"]) for row in rows] == [
        ("removed", "d2", 1, None),
        ("changed", "d9", 2, 3),
        ("added", None, None, None),
        ("added", "d5", None, 2),
    ]
    back = (
        await client.get(f"/v1/test-sets/{parent.id}/diff", params={"against": child.id})
    ).json()
    assert back["changes"]["judgments"] == {"added": 1, "removed": 1, "changed": 1}
    assert back["changes"]["queries"] == {"added": 0, "removed": 1, "changed": 0}
    other = await make(client, SET | {"name": "else", "relevant_from": 1})
    apart = await client.get(f"/v1/test-sets/{other.id}/diff?against=docs")
    assert apart.json()["changes"]["head"] == ["relevant_from"]


async def test_diff_is_sent_once(client: httpx.AsyncClient) -> None:
    """It never changes, so it is confirmed by its tag."""
    await change(client, (await make(client)).id, **CHANGES)
    first = await client.get("/v1/test-sets/docs/diff")
    again = await client.get(
        "/v1/test-sets/docs/diff", headers={"If-None-Match": first.headers["ETag"]}
    )
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")


async def test_diff_needs_something_to_compare_with(client: httpx.AsyncClient) -> None:
    """An upload has no parent: 422; what is named and not there: 404."""
    made = await make(client)
    alone = await client.get(f"/v1/test-sets/{made.id}/diff")
    assert (alone.status_code, alone.json()["errors"][0]["pointer"]) == (422, "?against")
    missing = await client.get(f"/v1/test-sets/{made.id}/diff?against=nobody")
    assert missing.status_code == 404


async def test_names_that_no_path_holds_are_listed(client: httpx.AsyncClient) -> None:
    """`?name=` finds the versions of a name with a slash, newest first, and no others."""
    first = await make(client, SET | {"name": "a/b"})
    second = await change(client, first.id, **CHANGES)
    await make(client)
    found = await client.get("/v1/test-sets", params={"name": "a/b", "limit": 1})
    assert [one["id"] for one in found.json()["items"]] == [second.id]
    rest = await client.get(
        "/v1/test-sets", params={"name": "a/b", "cursor": found.json()["next_cursor"]}
    )
    assert [one["id"] for one in rest.json()["items"]] == [first.id]
    assert (await client.get("/v1/test-sets?name=nobody")).json()["items"] == []


async def test_grant_opens_what_was_granted(guarded: httpx.AsyncClient, store: Store) -> None:
    """A reader lists granted versions only, and compares only what it may read on both sides."""
    mine = bearer(await stored_key(store, *SCOPES))
    theirs = bearer(await stored_key(store, *SCOPES, team="others"))
    parent = await make(guarded, headers=mine)
    answer = await guarded.post(f"/v1/test-sets/{parent.id}/versions", json=CHANGES, headers=mine)
    child = answer.json()["id"]
    assert answer.json()["created_by"].startswith("key_")
    await guarded.post("/v1/grants", json={"to": "others", "test_set": child}, headers=mine)

    async def ask(path: str) -> httpx.Response:
        return await guarded.get(f"/v1/test-sets/{path}", headers=theirs)

    listed = (await ask(f"{child}/versions")).json()["items"]
    assert [one["id"] for one in listed] == [child]
    assert (await ask(f"{child}/diff")).status_code == 404
    assert (await ask(f"{child}/diff?against={parent.id}")).status_code == 404
    own = await make(guarded, headers=theirs)
    assert (await ask(f"{own.id}/diff?against={parent.id}")).status_code == 404
    for path in (f"{own.id}/diff?against={child}", f"{child}/diff?against={own.id}"):
        assert (await ask(path)).json()["changes"]["queries"]["removed"] in (0, 1)
    await guarded.post("/v1/grants", json={"to": "others", "test_set": parent.id}, headers=mine)
    assert (await ask(f"{child}/diff")).json()["changes"] == COUNTS
    refused = await guarded.post(f"/v1/test-sets/{child}/versions", json={}, headers=theirs)
    assert refused.status_code == 404
    log = (await guarded.get("/v1/audit", headers=bearer(await admin(store)))).json()["items"]
    made = [row for row in log if row["event"] == "version_created"]
    assert [row["target"] for row in made] == [f"{parent.id}/{child}"]


async def admin(store: Store) -> str:
    """Return the token of an admin of the default team."""
    return await stored_key(store, Scope.ADMIN, team=DEFAULT_TENANT)


async def test_parent_that_goes_while_it_is_read_makes_no_version(
    client: httpx.AsyncClient, redis_url: str
) -> None:
    """A set of which chunks are missing is not changed into a shorter one."""
    queries = [{"query": f"text {n}", "relevant_ids": ["d"]} for n in range(600)]
    made = await make(client, {"name": "long", "queries": queries})
    with redis.Redis.from_url(redis_url) as server:
        server.hdel(f"t:default:ts:{made.id}:queries", "1")
    answer = await client.post(
        "/v1/test-sets/long/versions",
        json={"queries": [{"id": "x", "query": "x", "relevant_ids": ["d"]}]},
    )
    assert (answer.status_code, "deleted while" in answer.json()["detail"]) == (404, True)
    assert len((await client.get("/v1/test-sets/long/versions")).json()["items"]) == 1
