"""Presets over HTTP: the catalogue, and runs that use one."""

from typing import Any

import httpx
import pytest

from tests.unit.service.api.ended import run_body

URL = "http://127.0.0.1:9/indexes/docs/search"
QUERIES = {"name": "ended", "queries": [{"query": "refund", "relevant_ids": ["d1"]}]}


async def create(client: httpx.AsyncClient, **changes: Any) -> httpx.Response:
    """Create a run over a small set."""
    await client.post("/v1/test-sets", json=QUERIES)
    return await client.post("/v1/runs", json=run_body(**changes))


async def test_the_catalogue_shows_whole_descriptions(client: httpx.AsyncClient) -> None:
    """Each preset tells what it sends, how it reads the answer, and what it needs."""
    presets = (await client.get("/v1/endpoints/presets")).json()["presets"]
    found = {preset["name"]: preset for preset in presets}
    assert len(found) == len(presets) >= 13
    solr = found["solr"]
    assert solr["needs"] == ["params.qf"]
    assert solr["endpoint"]["hits"] == "response.docs"
    assert solr["endpoint"]["params"]["q"] == "{{query}}"


async def test_a_run_pins_what_the_preset_stands_for(client: httpx.AsyncClient) -> None:
    """The stored endpoint is the whole description, so that a later preset changes nothing."""
    made = await create(client, endpoint={"preset": "meilisearch", "url": URL, "id": "sku"})
    assert made.status_code == 202
    run = (await client.get(made.headers["Location"])).json()
    endpoint = run["endpoint"]
    assert (endpoint["preset"], endpoint["url"], endpoint["id"]) == ("meilisearch", URL, "sku")
    assert endpoint["body"]["q"] == "{{query}}"
    assert endpoint["took"] == "processingTimeMs"


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"endpoint": {"preset": "elastic", "url": URL}}, "/endpoint/preset"),
        ({"endpoint": {"preset": "solr", "url": URL}}, "/endpoint/params/qf"),
        ({"endpoint": {"url": URL, "overfetch": 3}}, "/endpoint/overfetch"),
        ({"endpoint": {"preset": "qdrant", "url": URL}, "adversarial": {}}, "/adversarial"),
        ({"repeat": 0}, "/repeat"),
        ({"repeat": 21}, "/repeat"),
    ],
)
async def test_what_cannot_be_called_is_refused(
    client: httpx.AsyncClient, changes: dict[str, Any], pointer: str
) -> None:
    """Unknown presets, empty places, and variants that would not arrive are told at once."""
    answer = await create(client, **changes)
    assert answer.status_code == 422
    assert [item["pointer"] for item in answer.json()["errors"]] == [pointer]


async def test_rounds_are_counted_in_the_plan(client: httpx.AsyncClient) -> None:
    """What repeating costs is said before it starts."""
    made = await create(client, repeat=4, limits={"rate_per_s": 2})
    assert made.json()["planned"] == {
        "clean": 1,
        "adversarial": 0,
        "seconds_at_rate": 2.0,
        "repeats": 3,
        "model_calls": 0,
    }
