"""The history of a test set."""

import httpx

from reteval.contract.api_keys import Scope
from service.store.store import Store
from tests.factories import stored_key
from tests.unit.service.api.ended import TEST_SET, end_run, run_body
from tests.unit.service.api.teams import bearer
from tests.unit.service.pages.markup import HOSTILE, Page, read


async def look(client: httpx.AsyncClient, **asked: str) -> Page:
    """Read the page."""
    answer = await client.get("/history", params=asked)
    assert answer.status_code == 200, answer.text
    return read(answer.text)


async def test_versions_have_series_of_their_own(client: httpx.AsyncClient, store: Store) -> None:
    """Each version and endpoint has its own table, labels are texts, and a picture shows all."""
    await client.post("/v1/test-sets", json=TEST_SET)
    ids = []
    for label, mean in (("first", 0.25), (HOSTILE, 0.75)):
        ids.append((await client.post("/v1/runs", json=run_body(label=label))).json()["id"])
        await end_run(store, ids[-1], mean=mean)
        await client.post("/v1/test-sets", json={**TEST_SET, "queries": TEST_SET["queries"][:3]})
    page = await look(client, test_set="ended")
    for said in (
        "mrr of ended",
        "http://127.0.0.1:9/search, v2, relevant from 1",
        "http://127.0.0.1:9/search, v1, relevant from 1",
        "first 0.250",
        f"{HOSTILE} 0.750",
    ):
        assert said in page.text, said
    assert f"/runs/{ids[0]}" in page.links
    assert "/history?test_set=ended&metric=mrr" in page.links
    of_one = await look(client, test_set="ended", label="first")
    assert HOSTILE not in of_one.text


async def test_run_without_a_number_says_why(client: httpx.AsyncClient, store: Store) -> None:
    """A failed run is in the table with its reason; without any number there is no picture."""
    await client.post("/v1/test-sets", json=TEST_SET)
    run_id = (await client.post("/v1/runs", json=run_body())).json()["id"]
    await end_run(store, run_id, metrics=False)
    page = await look(client, test_set="ended", metric="mrr")
    assert "No run here measured mrr" in page.text
    assert "endpoint down" in page.text
    assert "Numbers of this chart" not in page.text


async def test_empty_pages_say_what_to_do(client: httpx.AsyncClient) -> None:
    """Without a set, a choice or a run the page names the next step."""
    assert "reteval upload" in (await look(client)).text
    await client.post("/v1/test-sets", json=TEST_SET)
    assert "/history?test_set=ended" in (await look(client)).links
    found = await look(client, test_set="ended", label="x")
    assert "No run of this test set has ended with the label x." in found.text
    assert "reteval run docs" in found.text


async def test_names_are_listed_for_whoever_may(guarded: httpx.AsyncClient, store: Store) -> None:
    """A key that reads results alone gets the form, and no names of test sets."""
    writer = bearer(await stored_key(store, Scope.TEST_SETS_WRITE))
    await guarded.post("/v1/test-sets", json=TEST_SET, headers=writer)
    reader = bearer(await stored_key(store, Scope.RESULTS_READ))
    page = read((await guarded.get("/history", headers=reader)).text)
    assert "ended" not in page.text
    form = read((await guarded.get("/comparisons/new", headers=reader)).text)
    assert "Runs that can be compared" not in form.text
