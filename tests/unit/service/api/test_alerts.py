"""The routes of `/v1/alerts`: what is wrong is told at once; state and findings are read."""

from typing import Any

import httpx
import pytest

from reteval.contract.alerts import MAX_ALERTS
from service.core.alerting import evaluate_ended
from service.store.store import Store
from tests.unit.service.api.scored import scored_run

PATH = "/v1/alerts"
FLOOR = {"floors": [{"metric": "mrr", "at_least": 0.9}]}


async def make(client: httpx.AsyncClient, **changes: Any) -> httpx.Response:
    """Make an alert that no run of these tests passes."""
    answer = await client.post(PATH, json={"name": "quality", "gate": FLOOR} | changes)
    assert answer.status_code == 201, answer.text
    return answer


async def test_alert_is_shown_as_it_was_sent(client: httpx.AsyncClient) -> None:
    """With what was left out filled in, and a state that knows nothing."""
    made = await make(client, runs={"label": "main"}, fail_after=2)
    shown = made.json()
    assert made.headers["Location"] == f"{PATH}/{shown['id']}"
    assert (shown["recover_after"], shown["quiet_s"], shown["enabled"]) == (1, 3_600, True)
    assert (shown["state"], shown["failing"], shown["told_at"]) == ("unknown", 0, None)
    read = await client.get(made.headers["Location"])
    assert read.json() == shown
    assert read.headers["ETag"] == f'"{shown["id"]}-1"'
    assert (await client.get(PATH)).json()["items"] == [shown]


@pytest.mark.parametrize(
    ("changes", "status", "pointer"),
    [
        ({"gate": {}}, 422, "/gate"),
        ({"gate": {"floors": [{"metric": "x", "at_least": 1}]}}, 422, "/gate/floors/0/metric"),
        ({"gate": {"drops": [{"metric": "mrr", "max_drop": 0}]}}, 422, "/gate/baseline"),
        ({"gate": {**FLOOR, "run": "run_1"}}, 422, "/gate"),
        ({"gate": {**FLOOR, "baseline": "run_1"}, "previous": True}, 422, "/previous"),
        ({"gate": {**FLOOR, "baseline": "run_1"}}, 404, "/gate/baseline"),
        ({"webhooks": ["wh_none"]}, 404, "/webhooks/0"),
        ({"runs": {"schedule": "sch_none"}}, 404, "/runs/schedule"),
        ({"webhooks": ["wh_none"] * 11}, 422, "/webhooks"),
        ({"fail_after": 0}, 422, "/fail_after"),
        ({"name": ""}, 422, "/name"),
    ],
)
async def test_bodies_that_break_a_rule(
    client: httpx.AsyncClient, changes: dict[str, Any], status: int, pointer: str
) -> None:
    """A gate that could never be evaluated is refused now, and points into the gate."""
    answer = await client.post(PATH, json={"name": "quality", "gate": FLOOR} | changes)
    assert answer.status_code == status, answer.text
    assert answer.json()["errors"][0]["pointer"].startswith(pointer)


async def test_change_needs_what_was_read(client: httpx.AsyncClient) -> None:
    """Without a tag it is 428, with that of an earlier version 412."""
    made = await make(client)
    path, tag = made.headers["Location"], made.headers["ETag"]
    other = {"name": "other", "gate": FLOOR, "enabled": False}
    assert (await client.put(path, json=other)).status_code == 428
    changed = await client.put(path, json=other, headers={"If-Match": tag})
    assert (changed.status_code, changed.json()["enabled"]) == (200, False)
    late = await client.put(path, json=other, headers={"If-Match": tag})
    assert (late.status_code, late.json()["code"]) == (412, "changed")


async def test_alert_that_names_what_is_gone_can_be_switched_off(
    client: httpx.AsyncClient,
) -> None:
    """On, it is refused; off, it is kept as it is."""
    hook = (await client.post("/v1/webhooks", json={"url": "http://127.0.0.1:9/"})).json()["id"]
    path = (await make(client, webhooks=[hook])).headers["Location"]
    await client.delete(f"/v1/webhooks/{hook}")
    body = {"name": "quality", "gate": FLOOR, "webhooks": [hook]}
    anyhow = {"If-Match": "*"}
    assert (await client.put(path, json=body, headers=anyhow)).status_code == 404
    off = await client.put(path, json=body | {"enabled": False}, headers=anyhow)
    assert (off.status_code, off.json()["webhooks"]) == (200, [hook])


async def test_alert_in_yaml(client: httpx.AsyncClient) -> None:
    """A file is sent as it is; what is wrong in it is named as in JSON."""
    text = "name: quality\ngate:\n  floors: [{metric: mrr, at_least: 0.9}]\n"
    for media in ("application/yaml", "text/yaml"):
        made = await client.post(PATH, content=text, headers={"Content-Type": media})
        assert (made.status_code, made.json()["gate"]["floors"][0]["metric"]) == (201, "mrr")
    headers = {"Content-Type": "application/yaml"}
    wrong = await client.post(PATH, content=text + "quiet_s: -1\n", headers=headers)
    assert (wrong.status_code, wrong.json()["errors"][0]["pointer"]) == (422, "/quiet_s")
    torn = await client.post(PATH, content="name: [", headers=headers)
    assert (torn.status_code, torn.json()["code"]) == (400, "malformed_text")


async def test_findings_are_paged(client: httpx.AsyncClient, store: Store) -> None:
    """Newest first, with verdict, state and what was told."""
    hook = (
        await client.post("/v1/webhooks", json={"url": "http://127.0.0.1:9/", "events": []})
    ).json()
    path = (await make(client, webhooks=[hook["id"]])).headers["Location"]
    runs = [await scored_run(store) for _ in range(3)]
    await evaluate_ended(client._transport.app.state.backend)
    first = (await client.get(f"{path}/evaluations", params={"limit": 2})).json()
    cursor = {"cursor": first["next_cursor"]}
    rest = (await client.get(f"{path}/evaluations", params=cursor)).json()
    rows = first["items"] + rest["items"]
    assert [row["run"] for row in rows] == runs[::-1]
    assert {(row["verdict"], row["state"]) for row in rows} == {("fail", "failing")}
    assert [row["event"] for row in rows] == [None, None, "alert.failing"]
    assert [row["told"] for row in rows] == [[], [], [hook["id"]]]
    delivered = (await client.get(f"/v1/webhooks/{hook['id']}/deliveries")).json()["items"]
    assert [(one["type"], one["run"]) for one in delivered] == [("alert.failing", runs[0])]
    assert (await client.delete(path)).status_code == 204
    assert (await client.get(f"{path}/evaluations")).status_code == 404


async def test_so_many_and_no_more(client: httpx.AsyncClient) -> None:
    """The answer says what to do."""
    for _ in range(MAX_ALERTS):
        await make(client)
    answer = await client.post(PATH, json={"name": "one more", "gate": FLOOR})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert "delete one" in answer.json()["detail"]
