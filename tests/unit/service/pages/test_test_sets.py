"""Pages of test sets: what is in one, its versions, what changed, and what leaks."""

import httpx
from msgspec import UNSET

from reteval.contract.testsets import Judgment, Query
from service.core.profiles import MANY, read_profile
from service.pages.charts.histograms import count_bars
from service.queue import JobQueue
from service.store.store import Store
from tests.factories import stored_test_set
from tests.judging import work
from tests.unit.service.core.backends import Clock, a_backend

HOSTILE = '<script>alert("x")</script>'


def upload(*texts: str) -> dict[str, object]:
    """Return a test set with a query for each text."""
    queries = [
        {"id": f"q{at}", "query": text, "relevant_ids": ["d1"], "source": "faq", "split": "tune"}
        for at, text in enumerate(texts)
    ]
    return {"name": "docs", "queries": queries}


async def test_set_is_shown(client: httpx.AsyncClient) -> None:
    """List and page show the set with its pictures; what somebody typed is text."""
    assert "reteval upload" in (await client.get("/test-sets")).text
    made = (await client.post("/v1/test-sets", json=upload(HOSTILE, "reset password"))).json()
    assert f'href="/test-sets/{made["id"]}"' in (await client.get("/test-sets")).text
    page = (await client.get(f"/test-sets/{made['id']}")).text
    assert HOSTILE not in page
    assert "&lt;script&gt;" in page
    assert page.count("<svg") == 5
    assert 'download="words.csv"' in page


async def test_versions_are_compared(client: httpx.AsyncClient) -> None:
    """The page of a version leads to what another one has not."""
    first = (await client.post("/v1/test-sets", json=upload("one"))).json()
    second = (await client.post("/v1/test-sets", json=upload("one", "two"))).json()
    page = (await client.get(f"/test-sets/{second['id']}")).text
    address = f"/test-sets/{second['id']}/diff?against={first['id']}"
    assert address in page
    shown = (await client.get(address)).text
    assert "query added" in shown
    assert "Queries: 1 added, 0 removed, 0 changed." in shown
    same = await client.get(f"/test-sets/{first['id']}/diff?against={first['id']}")
    assert "are the same" in same.text


async def test_leakage_is_looked_for(client: httpx.AsyncClient, redis_url: str) -> None:
    """The button begins a check; its page says so, and then shows the pairs."""
    made = (
        await client.post("/v1/test-sets", json=upload("reset my password", "Reset my password"))
    ).json()
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    begun = await client.post(f"/test-sets/{made['id']}/leakage", headers=form)
    found = begun.headers["location"]
    assert "being looked for" in (await client.get(found, params={"wait": 0.01})).text
    await work(redis_url)
    assert "Reset my password" in (await client.get(found)).text


async def test_profile_counts_queries(store: Store, queue: JobQueue) -> None:
    """Queries are counted by relevant documents and words; variants are left out."""
    queries = [
        Query(id="a", query="one two", relevant=[Judgment("d", 1), Judgment("e", 0)], source="faq"),
        Query(id="b", query=" ".join("w" * 12), relevant=UNSET),
        Query(id="c", query="x", relevant=[Judgment("d")], parent="a", kind="typo.mixed"),
    ]
    made = await stored_test_set(store, queries)
    profile = await read_profile(a_backend(store, queue, Clock()), made)
    assert profile.queries == 2
    assert profile.relevant == {0: 1, 1: 1}
    assert profile.words == {2: 1, MANY: 1}
    assert (profile.sources, profile.splits) == ({"faq": 1}, {})


def test_long_histogram_says_what_it_leaves_out() -> None:
    """More values than fit are not drawn; the table has them all."""
    chart = count_bars("n", "N", {str(value): 1 for value in range(70)}, axis="value")
    assert len(chart.spec["data"]["values"]) == 60
    assert len(chart.rows) == 70
    assert chart.about == "70 queries by value; 10 more values are not drawn."
