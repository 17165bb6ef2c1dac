"""The queries of a run: the list, and the page of each."""

import httpx

from service.store.store import Store
from tests.unit.service.api.ended import TEST_SET, end_run, run_body
from tests.unit.service.pages.markup import read


async def test_list_is_sorted_cut_and_paged(client: httpx.AsyncClient, ended_run: str) -> None:
    """A page of rows in the order asked for; the next page and the headings keep the choice."""
    path = f"/runs/{ended_run}/queries"
    page = read((await client.get(f"{path}?sort=-mrr&slice=tag:faq&limit=1&status=")).text)
    assert "reset =password ok 0.500" in page.text
    assert "refund" not in page.text
    (following,) = [link for link in page.links if "cursor=" in link]
    assert "refund ok empty" in read((await client.get(following)).text).text
    assert f"{path}?sort=mrr&slice=tag%3Afaq" in page.links


async def test_list_without_rows_says_how_to_get_some(
    client: httpx.AsyncClient, ended_run: str
) -> None:
    """A choice that fits nothing is no blank page."""
    answer = await client.get(f"/runs/{ended_run}/queries?status=skipped")
    assert "No query of this run is like that" in read(answer.text).text


async def test_failed_run_lists_queries_without_metrics(
    client: httpx.AsyncClient, store: Store
) -> None:
    """Where nothing was measured, the rows say what became of each request."""
    await client.post("/v1/test-sets", json=TEST_SET)
    run_id = (await client.post("/v1/runs", json=run_body())).json()["id"]
    await end_run(store, run_id, metrics=False)
    page = read((await client.get(f"/runs/{run_id}/queries")).text)
    assert "delete account failed timeout" in page.text


async def test_page_of_a_query_tells_all_about_it(
    client: httpx.AsyncClient, ended_run: str
) -> None:
    """Its hits have grades, its metrics their meaning, and its variants stand below."""
    page = read((await client.get(f"/runs/{ended_run}/queries/q1")).text)
    for said in (
        "2 documents are judged, 2 of them relevant (grade 1 or more); 0 of the 3 hits",
        "1 d1 1 ✓",
        "3 d1 repeated 1 ✓",
        "All 2 relevant documents are in the answer.",
        "1 / rank of the first relevant document, 0 if there is none mrr 0.500",
        "typo.mixed 1 variant 1",
    ):
        assert said in page.text, said
    assert "variant 3" not in page.text


async def test_page_of_a_query_names_what_is_missing(
    client: httpx.AsyncClient, ended_run: str
) -> None:
    """An empty or failed answer lacks every relevant document, and the page says why."""
    empty = read((await client.get(f"/runs/{ended_run}/queries/q%202")).text)
    assert "Nothing was returned. 1 of 1 relevant documents are not in the answer" in empty.text
    failed = read((await client.get(f"/runs/{ended_run}/queries/q3")).text)
    assert "There is no answer: timeout. 1 of 1 relevant documents" in failed.text
    nothing = read((await client.get(f"/runs/{ended_run}/queries/q4")).text)
    assert "Expects nothing" in nothing.text
    assert "1 x ? unjudged" in nothing.text


async def test_unknown_query_is_a_page_of_its_own(
    client: httpx.AsyncClient, ended_run: str
) -> None:
    """A query that the run did not ask is not found."""
    answer = await client.get(f"/runs/{ended_run}/queries/q9")
    assert answer.status_code == 404
    assert "did not ask a query 'q9'" in read(answer.text).text
