"""The list of runs."""

import httpx
from msgspec.structs import replace

from reteval.contract.api_keys import Scope
from reteval.contract.runs import RunStatus
from reteval.contract.splits import SplitShare
from service.core.headlines import Headline
from service.pages.runs import join
from service.store.store import Store
from tests.factories import stored_key
from tests.unit.reteval.documents import a_run, a_summary
from tests.unit.service.api.ended import TEST_SET, end_run, run_body
from tests.unit.service.api.teams import bearer
from tests.unit.service.pages.markup import read


async def runs_of(client: httpx.AsyncClient, store: Store, *means: float | None) -> list[str]:
    """Return runs with a label, which ended with these means or, for None, have not ended."""
    await client.post("/v1/test-sets", json=TEST_SET)
    made = []
    for mean in means:
        made.append((await client.post("/v1/runs", json=run_body(label="main"))).json()["id"])
        if mean is not None:
            await end_run(store, made[-1], mean=mean)
    return made


async def test_list_has_headlines_and_trends(client: httpx.AsyncClient, store: Store) -> None:
    """An ended run shows its mean, its series is drawn, and two of them can be compared."""
    first, second, waiting = await runs_of(client, store, 0.25, 0.75, None)
    text = (await client.get("/runs?label=main&status=")).text
    page = read(text)
    assert "mrr 0.250" in page.text
    assert "Listed here: 1 queued, 2 completed" in page.text
    assert "main, ended v1, mrr 1 0.25 main, ended v1, mrr 2 0.75" in page.text
    assert '<form method="get" action="/comparisons/new">' in text
    for role in ("baseline", "candidate"):
        assert f'name="{role}" value="{first}"' in text
        assert f'name="{role}" value="{second}"' in text
        assert f'name="{role}" value="{waiting}"' not in text


async def test_run_without_numbers_says_why(client: httpx.AsyncClient, store: Store) -> None:
    """A failed run has its reason where others have a mean, and no part in a trend."""
    (run_id,) = await runs_of(client, store, None)
    await end_run(store, run_id, metrics=False)
    page = read((await client.get("/runs")).text)
    assert "endpoint down" in page.text
    assert "Trends" not in page.text


async def test_empty_list_says_the_next_command(client: httpx.AsyncClient) -> None:
    """Without runs there is a command that makes one."""
    assert "reteval run docs" in read((await client.get("/runs")).text).text


async def test_means_are_for_who_may_read_results(guarded: httpx.AsyncClient, store: Store) -> None:
    """A key that may only list runs sees no number of theirs."""
    key = bearer(await stored_key(store, Scope.RUNS_WRITE, Scope.TEST_SETS_WRITE))
    await guarded.post("/v1/test-sets", json=TEST_SET, headers=key)
    made = await guarded.post("/v1/runs", json=run_body(label="secret"), headers=key)
    await end_run(store, made.json()["id"], mean=0.25)
    page = read((await guarded.get("/runs", headers=key)).text)
    assert "secret" in page.text
    assert "0.250" not in page.text


def test_only_alike_runs_are_joined() -> None:
    """A series has one test-set version, label, split and metric; its means go from old to new."""
    pinned = a_run().test_set
    ended = RunStatus.COMPLETED
    listed = [
        a_run(id="new", status=ended),
        a_run(id="old", status=ended),
        a_run(id="label", status=ended, label="other"),
        a_run(id="version", status=ended, test_set=replace(pinned, version=3)),
        a_run(id="split", status=ended, split=SplitShare(name="tune", outside=1)),
        a_run(id="metric", status=ended),
        a_run(id="null", status=ended),
        a_run(id="gone", status=ended),
    ]
    headlines = {
        run.id: Headline(metric="mrr", summary=a_summary(place / 10))
        for place, run in enumerate(listed)
        if run.id != "gone"
    }
    headlines["metric"] = Headline(metric="map", summary=a_summary())
    headlines["null"] = Headline(metric="mrr", summary=a_summary(None))
    (series,) = join(listed, headlines)
    assert series.name == "baseline, docs v2, mrr"
    assert series.means == (0.1, 0.0)
