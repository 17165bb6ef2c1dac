"""Routes of previews: accepted, refused, read."""

from typing import Any

import httpx
import msgspec
import pytest

from reteval.contract.previews import PreviewReport
from reteval.contract.runs import RunStatus
from service.store.keys import DEFAULT_TENANT
from service.store.store import Store
from tests.unit.service.api.ended import TEST_SET

BODY: dict[str, Any] = {"queries": ["reset password"], "adversarial": {"kinds": ["case.upper"]}}
REPORT = PreviewReport(suite="2026.1", seed=0, fingerprint="f", language="en", variants=())


async def test_preview_is_accepted_and_read(client: httpx.AsyncClient, store: Store) -> None:
    """202 with a place to look; 200 with the report once a worker has ended it."""
    made = await client.post("/v1/adversarial/preview", json=BODY)
    assert made.status_code == 202
    preview = made.json()
    place = f"/v1/adversarial/previews/{preview['id']}"
    assert made.headers["location"] == place == preview["links"]["self"]
    assert made.headers["retry-after"] == "1"
    claim = await store.claims.claim(DEFAULT_TENANT, preview["id"], owner="w", lease_s=30)
    assert claim is not None
    await store.journal.finish(
        claim,
        status=RunStatus.COMPLETED,
        report=msgspec.json.encode(REPORT),
        error="",
    )
    read = await client.get(f"{place}?wait=5")
    assert read.status_code == 200
    assert (read.json()["status"], read.json()["report"]["fingerprint"]) == ("completed", "f")


async def test_preview_of_a_test_set_has_its_language(
    client: httpx.AsyncClient, store: Store
) -> None:
    """A name stands for its newest version, whose language counts."""
    made = (await client.post("/v1/test-sets", json=TEST_SET | {"language": "de"})).json()
    asked = {"test_set": "ended", "language": "fr"}
    preview = (await client.post("/v1/adversarial/preview", json=asked)).json()
    assert preview["links"]["test_set"] == f"/v1/test-sets/{made['id']}"
    record = await store.previews.get(DEFAULT_TENANT, preview["id"])
    assert record.spec.language == "de"


@pytest.mark.parametrize(
    ("body", "status", "code", "pointer"),
    [
        ({}, 422, "invalid", "/queries"),
        (BODY | {"test_set": "ended"}, 422, "invalid", "/queries"),
        ({"queries": [""]}, 422, "invalid", "/queries/0"),
        ({"queries": ["x"] * 51}, 422, "invalid", "/queries"),
        ({"test_set": "nowhere"}, 404, "not_found", "/test_set"),
        (BODY | {"adversarial": {"kinds": ["typo"]}}, 422, "invalid", "/adversarial/kinds/0"),
        (BODY | {"surprise": 1}, 422, "invalid", None),
    ],
)
async def test_bad_previews_are_refused(
    client: httpx.AsyncClient,
    store: Store,
    body: dict[str, Any],
    status: int,
    code: str,
    pointer: str | None,
) -> None:
    """Each refusal names its place, and nothing is stored."""
    refused = await client.post("/v1/adversarial/preview", json=body)
    assert (refused.status_code, refused.json()["code"]) == (status, code)
    if pointer is not None:
        assert refused.json()["errors"][0]["pointer"] == pointer
    assert await store.jobs.active() == []


async def test_unknown_preview_is_not_found(client: httpx.AsyncClient) -> None:
    """An id that nobody knows, or another job's."""
    for name in ("prv_none", "prb_none"):
        missing = await client.get(f"/v1/adversarial/previews/{name}")
        assert (missing.status_code, missing.json()["code"]) == (404, "not_found")


async def test_preview_has_no_model(client: httpx.AsyncClient) -> None:
    """Nothing is called for a preview, so a model is refused, and none of it kept."""
    asked = BODY | {"adversarial": {"model": {"url": "http://127.0.0.1:9/"}}}
    refused = await client.post("/v1/adversarial/preview", json=asked)
    assert refused.status_code == 422
    assert [item["pointer"] for item in refused.json()["errors"]] == ["/adversarial/model"]
