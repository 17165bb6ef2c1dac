"""Pages of schedules and alerts: what is there, and what became of it."""

import html

import httpx

from service.core.alerting import evaluate_ended
from service.store.store import Store
from tests.unit.service.api.ended import TEST_SET
from tests.unit.service.api.scored import scored_run

HOSTILE = "<b>nightly</b>"
GATE = {"floors": [{"metric": "mrr", "at_least": 0.9}]}


async def test_empty_page_says_what_to_do(client: httpx.AsyncClient) -> None:
    """Where nothing is scheduled or watched, the page holds the commands."""
    page = html.unescape((await client.get("/schedules")).text)
    assert "reteval schedule create nightly '0 3 * * *'" in page
    assert "reteval alert create alert.yaml" in page


async def test_schedule_is_shown_with_its_times(client: httpx.AsyncClient) -> None:
    """A schedule stands in the list; its page has each time that came, with its run."""
    await client.post("/v1/test-sets", json=TEST_SET)
    run = {"test_set": TEST_SET["name"], "endpoint": {"url": "http://127.0.0.1:9/search"}}
    asked = {"name": HOSTILE, "cron": "0 3 * * *", "run": run}
    made = (await client.post("/v1/schedules", json=asked)).json()
    listed = (await client.get("/schedules")).text
    assert HOSTILE not in listed
    assert f'href="/schedules/{made["id"]}"' in listed
    page = f"/schedules/{made['id']}"
    assert "reteval schedule start sch_" in (await client.get(page)).text
    started = (await client.post(f"/v1/schedules/{made['id']}/run")).json()
    assert f'href="/runs/{started["id"]}"' in (await client.get(page)).text


async def test_alert_is_shown_with_what_it_found(client: httpx.AsyncClient, store: Store) -> None:
    """An alert stands in the list with its state; its page has the runs it was held against."""
    made = (await client.post("/v1/alerts", json={"name": HOSTILE, "gate": GATE})).json()
    page = f"/alerts/{made['id']}"
    assert "None has ended" in (await client.get(page)).text
    run_id = await scored_run(store)
    await evaluate_ended(client._transport.app.state.backend)  # type: ignore[attr-defined]
    shown = (await client.get(page)).text
    assert f'href="/runs/{run_id}"' in shown
    assert "failing" in (await client.get("/schedules")).text
