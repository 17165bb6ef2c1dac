"""Routes of probes: accepted, refused, read."""

from typing import Any

import httpx
import msgspec
import pytest

from reteval.contract.runs import RunStatus
from service.store.keys import DEFAULT_TENANT
from service.store.store import Store
from tests.unit.service.api.ended import TEST_SET
from tests.unit.service.store.test_errands import REPORT

BODY: dict[str, Any] = {
    "endpoint": {"url": "http://127.0.0.1:9/search", "headers": {"X-Key": "s3cret"}},
    "queries": [{"query": "reset", "relevant_ids": [7]}],
}


async def end(store: Store, probe_id: str) -> None:
    """Do a worker's part."""
    claim = await store.claims.claim(DEFAULT_TENANT, probe_id, owner="w", lease_s=30)
    assert claim is not None
    await store.journal.finish(
        claim,
        status=RunStatus.COMPLETED,
        report=msgspec.json.encode(REPORT),
        error="",
    )


async def test_probe_is_accepted_and_read(client: httpx.AsyncClient, store: Store) -> None:
    """202 with a place to look, no secret in it; 200 with the report once it has ended."""
    made = await client.post("/v1/probes", json=BODY)
    assert made.status_code == 202
    probe = made.json()
    assert made.headers["location"] == f"/v1/probes/{probe['id']}" == probe["links"]["self"]
    assert probe["endpoint"]["headers"] == {"X-Key": ""}
    assert "s3cret" not in made.text
    assert made.headers["retry-after"] == "1"
    await end(store, probe["id"])
    read = await client.get(f"/v1/probes/{probe['id']}?wait=5")
    assert read.status_code == 200
    assert (read.json()["status"], read.json()["report"]["answers"]) == ("completed", [])


async def test_probe_of_a_test_set_is_linked(client: httpx.AsyncClient) -> None:
    """A name stands for its newest version."""
    made = (await client.post("/v1/test-sets", json=TEST_SET)).json()
    probe = (
        await client.post("/v1/probes", json={"endpoint": BODY["endpoint"], "test_set": "ended"})
    ).json()
    assert probe["links"]["test_set"] == f"/v1/test-sets/{made['id']}"


@pytest.mark.parametrize(
    ("change", "status", "code", "pointer"),
    [
        ({"queries": []}, 422, "invalid", "/queries"),
        ({"queries": [{"query": ""}]}, 422, "invalid", "/queries/0/query"),
        ({"queries": [{"query": "x"}] * 6}, 422, "invalid", "/queries"),
        ({"test_set": "nowhere"}, 404, "not_found", "/test_set"),
        ({"depth": 0}, 422, "invalid", "/depth"),
        ({"surprise": 1}, 422, "invalid", None),
        ({"endpoint": {"url": "ftp://a/"}}, 422, "endpoint_not_allowed", "/endpoint/url"),
        ({"endpoint": {"url": "http://a/", "hits": "["}}, 422, "invalid", "/endpoint/hits"),
    ],
)
async def test_bad_probes_are_refused(
    client: httpx.AsyncClient,
    store: Store,
    change: dict[str, Any],
    status: int,
    code: str,
    pointer: str | None,
) -> None:
    """Each refusal names its place, and nothing is stored."""
    refused = await client.post("/v1/probes", json=BODY | change)
    assert (refused.status_code, refused.json()["code"]) == (status, code)
    if pointer is not None:
        assert refused.json()["errors"][0]["pointer"] == pointer
    assert await store.jobs.active() == []


async def test_unknown_probe_is_not_found(client: httpx.AsyncClient) -> None:
    """An id that nobody knows, or knew yesterday."""
    missing = await client.get("/v1/probes/prb_none")
    assert (missing.status_code, missing.json()["code"]) == (404, "not_found")
