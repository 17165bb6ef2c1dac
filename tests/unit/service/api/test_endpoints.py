import asyncio
from typing import Any

import httpx
import pytest

ANY = {"If-Match": "*"}
VALUE = "Bearer s3cret-value"
BODY = {
    "name": "prod",
    "description": "the live search",
    "endpoint": {
        "url": "http://127.0.0.1:9/search",
        "headers": {"Authorization": VALUE, "X-Team": "search"},
    },
}


async def save(client: httpx.AsyncClient, **changes: Any) -> dict[str, Any]:
    """Save the endpoint and return it."""
    answer = await client.post("/v1/endpoints", json=BODY | changes)
    assert answer.status_code == 201, answer.text
    saved: dict[str, Any] = answer.json()
    return saved


async def test_saved_endpoint_never_shows_its_secrets(client: httpx.AsyncClient) -> None:
    """Names of headers come back, values never, by whatever way it is read."""
    saved = await save(client)
    for path in (f"/v1/endpoints/{saved['id']}", "/v1/endpoints/prod", "/v1/endpoints"):
        text = (await client.get(path)).text
        assert VALUE not in text
        assert "Authorization" in text


async def test_names_are_unique(client: httpx.AsyncClient) -> None:
    """A name belongs to one endpoint; replacing may take a free one."""
    first = await save(client)
    taken = await client.post("/v1/endpoints", json=BODY)
    assert (taken.status_code, taken.json()["code"]) == (409, "name_taken")
    renamed = await client.put(
        f"/v1/endpoints/{first['id']}", json=BODY | {"name": "live"}, headers=ANY
    )
    assert (renamed.json()["name"], renamed.json()["version"]) == ("live", 2)
    assert (await save(client))["id"] != first["id"]


async def test_rotation_changes_values_and_nothing_else(client: httpx.AsyncClient) -> None:
    """New values count as a version; a header that is not there is refused by name."""
    saved = await save(client)
    path = f"/v1/endpoints/{saved['id']}/secrets"
    rotated = await client.put(path, json={"headers": {"authorization": "Bearer new"}}, headers=ANY)
    assert rotated.json() == saved | {"version": 2, "updated_at": rotated.json()["updated_at"]}
    refused = await client.put(path, json={"headers": {"X-Other": "1"}}, headers=ANY)
    assert refused.json()["errors"][0]["pointer"] == "/headers/X-Other"


async def test_delete_frees_the_name(client: httpx.AsyncClient) -> None:
    """A deleted endpoint is gone by id and by name, and can be saved again."""
    saved = await save(client)
    assert (await client.delete("/v1/endpoints/prod")).status_code == 204
    for ref in (saved["id"], "prod"):
        assert (await client.get(f"/v1/endpoints/{ref}")).status_code == 404
        assert (await client.delete(f"/v1/endpoints/{ref}")).status_code == 404
    await save(client)


@pytest.mark.parametrize(
    ("endpoint", "pointer"),
    [
        ({}, "/endpoint/url"),
        ({"url": "http://127.0.0.1:9/", "saved": "x"}, "/endpoint/saved"),
        ({"url": "http://10.0.0.1/"}, "/endpoint/url"),
        ({"url": "http://127.0.0.1:9/", "headers": {"Host": "x"}}, "/endpoint/headers"),
    ],
)
async def test_bad_descriptions_are_refused(
    client: httpx.AsyncClient, endpoint: dict[str, Any], pointer: str
) -> None:
    """What could not be called is not saved, and the place is named."""
    refused = await client.post("/v1/endpoints", json=BODY | {"endpoint": endpoint})
    assert refused.status_code == 422
    assert pointer in [item["pointer"] for item in refused.json()["errors"]]


async def test_run_pins_a_copy_of_the_saved_endpoint(client: httpx.AsyncClient) -> None:
    """A run shows the description it was made with, overrides included, and no secret."""
    saved = await save(client)
    made = await client.post(
        "/v1/test-sets", json={"queries": [{"query": "a", "relevant_ids": ["d"]}]}
    )
    body = {
        "test_set": made.json()["id"],
        "endpoint": {"saved": "prod", "headers": {"X-Team": "other"}, "id": "doc.id"},
    }
    run = await client.post("/v1/runs", json=body)
    assert run.status_code == 202, run.text
    assert run.json()["endpoint"] == {
        "url": "http://127.0.0.1:9/search",
        "saved": saved["id"],
        "headers": {"Authorization": "", "X-Team": ""},
        "id": "doc.id",
    }
    missing = await client.post("/v1/runs", json=body | {"endpoint": {"saved": "none"}})
    assert missing.json()["errors"][0]["pointer"] == "/endpoint/saved"


async def test_saved_secrets_stay_where_they_belong(client: httpx.AsyncClient) -> None:
    """A run may change the path of a saved endpoint; its secrets go to no other host or port."""
    await save(client)
    made = await client.post(
        "/v1/test-sets", json={"queries": [{"query": "a", "relevant_ids": ["d"]}]}
    )
    body = {"test_set": made.json()["id"]}
    for url, status in (
        ("http://127.0.0.1:9/other", 202),
        ("http://127.0.0.1:10/search", 422),
        ("https://127.0.0.1:9/search", 422),
    ):
        answer = await client.post(
            "/v1/runs", json=body | {"endpoint": {"saved": "prod", "url": url}}
        )
        assert answer.status_code == status
        if status == 422:
            assert answer.json()["errors"][0]["pointer"] == "/endpoint/url"


async def test_names_of_routes_are_refused(client: httpx.AsyncClient) -> None:
    """A name under which the endpoint could never be read is not taken."""
    refused = await client.post("/v1/endpoints", json=BODY | {"name": "presets"})
    assert refused.json()["errors"][0]["pointer"] == "/name"


async def test_change_names_what_it_changes(client: httpx.AsyncClient) -> None:
    """A change without If-Match is 428, of something older 412, and of what was read passes."""
    saved = await save(client)
    path = f"/v1/endpoints/{saved['id']}"
    read = (await client.get(path)).headers["ETag"]
    secrets = {"headers": {"X-Team": "b"}}
    for address, body in ((path, BODY), (f"{path}/secrets", secrets)):
        bare = await client.put(address, json=body)
        assert (bare.status_code, bare.json()["code"]) == (428, "precondition_missing")
        weak = await client.put(address, json=body, headers={"If-Match": f"W/{read}"})
        assert (weak.status_code, weak.json()["code"]) == (412, "changed")
    changed = await client.put(path, json=BODY, headers={"If-Match": f'"x", {read}'})
    assert (changed.status_code, changed.headers["ETag"] != read) == (200, True)
    late = await client.put(f"{path}/secrets", json=secrets, headers={"If-Match": read})
    assert late.status_code == 412
    rotated = await client.put(
        f"{path}/secrets", json=secrets, headers={"If-Match": changed.headers["ETag"]}
    )
    assert rotated.json()["version"] == 3
    kept = await client.get(path, headers={"If-None-Match": rotated.headers["ETag"]})
    assert (kept.status_code, kept.content) == (304, b"")


async def test_changes_at_once_do_not_overwrite_each_other(client: httpx.AsyncClient) -> None:
    """Of ten changes of one version, one passes; the others are told."""
    saved = await save(client)
    path = f"/v1/endpoints/{saved['id']}"
    read = {"If-Match": (await client.get(path)).headers["ETag"]}
    answers = await asyncio.gather(
        *(
            client.put(path, json=BODY | {"description": str(number)}, headers=read)
            for number in range(10)
        )
    )
    assert sorted(answer.status_code for answer in answers) == [200] + [412] * 9
    passed = next(answer for answer in answers if answer.status_code == 200)
    assert (await client.get(path)).content == passed.content
