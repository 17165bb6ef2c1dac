"""The routes of `/v1/schedules`: read as sent, changed by who has read them, without secrets."""

from typing import Any

import httpx
import pytest
import redis

from reteval.contract.schedules import MAX_SCHEDULES
from service.core.cron import MOST_COUNTED
from service.store import keys
from service.store.store import Store
from tests.unit.service.api.ended import TEST_SET, end_run, run_body

PATH = "/v1/schedules"


def body(**changes: Any) -> dict[str, Any]:
    """Return a valid body."""
    return {"name": "nightly", "cron": "0 3 * * *", "run": run_body(label="nightly"), **changes}


async def make(client: httpx.AsyncClient, **changes: Any) -> httpx.Response:
    """Make a schedule over the set `ended`."""
    await client.post("/v1/test-sets", json=TEST_SET)
    answer = await client.post(PATH, json=body(**changes))
    assert answer.status_code == 201, answer.text
    return answer


async def test_schedule_is_shown_as_it_was_sent(client: httpx.AsyncClient) -> None:
    """With what was left out filled in, when it is due, and no header value."""
    run = run_body(endpoint={"url": "http://127.0.0.1:9/", "headers": {"X-Key": "s3cret"}})
    made = await make(client, run=run, zone="Europe/Lisbon")
    shown = made.json()
    assert made.headers["Location"] == f"{PATH}/{shown['id']}"
    assert (shown["missed"], shown["overlap"], shown["grace_s"]) == ("skip", "skip", 300)
    assert shown["run"]["endpoint"]["headers"] == {"X-Key": ""}
    assert (shown["paused"], shown["last_run"], shown["version"]) == (False, None, 1)
    assert shown["next_at"].endswith(":00:00.000Z")
    read = await client.get(made.headers["Location"])
    listed = await client.get(PATH)
    assert read.json() == shown
    assert read.headers["ETag"] == made.headers["ETag"] == f'"{shown["id"]}-1"'
    assert listed.json()["items"] == [shown]
    assert "s3cret" not in made.text + read.text + listed.text


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"cron": "nonsense"}, "/cron"),
        ({"cron": "* * * * * *"}, "/cron"),
        ({"zone": "Mars/Base"}, "/zone"),
        ({"name": "a\nb"}, "/name"),
        ({"grace_s": 604_801}, "/grace_s"),
        ({"missed": "all"}, "/missed"),
        ({"run": run_body(metrics=["nothing"])}, "/run/metrics/0"),
        ({"run": run_body(endpoint={"url": "http://169.254.169.254/"})}, "/run/endpoint/url"),
        ({"run": run_body(endpoint={"url": "ftp://a/"})}, "/run/endpoint/url"),
    ],
)
async def test_bodies_that_break_a_rule(
    client: httpx.AsyncClient, changes: dict[str, Any], pointer: str
) -> None:
    """Each is refused where it is wrong, what is wrong with the run within the run."""
    await client.post("/v1/test-sets", json=TEST_SET)
    answer = await client.post(PATH, json=body(**changes))
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == pointer
    assert (await client.get(PATH)).json()["items"] == []


@pytest.mark.parametrize(
    ("run", "pointer"),
    [
        (run_body(test_set="none"), "/run/test_set"),
        (run_body(endpoint={"saved": "none"}), "/run/endpoint/saved"),
    ],
)
async def test_run_that_could_not_start_is_not_kept(
    client: httpx.AsyncClient, run: dict[str, Any], pointer: str
) -> None:
    """A test set or an endpoint that is not there is missed now, not at three at night."""
    await client.post("/v1/test-sets", json=TEST_SET)
    answer = await client.post(PATH, json=body(run=run))
    assert answer.status_code == 404
    assert answer.json()["errors"][0]["pointer"] == pointer


async def test_change_needs_what_was_read(client: httpx.AsyncClient) -> None:
    """Without a tag it is 428, with that of an earlier version 412, with the newest or `*` done."""
    made = await make(client)
    path, tag = made.headers["Location"], made.headers["ETag"]
    assert (await client.put(path, json=body())).status_code == 428
    changed = await client.put(path, json=body(name="b"), headers={"If-Match": tag})
    assert (changed.status_code, changed.json()["name"]) == (200, "b")
    late = await client.put(path, json=body(), headers={"If-Match": tag})
    assert (late.status_code, late.json()["code"]) == (412, "changed")
    forced = await client.put(path, json=body(), headers={"If-Match": "*"})
    assert (forced.status_code, forced.json()["version"]) == (200, 3)


async def test_pause_and_resume(client: httpx.AsyncClient) -> None:
    """Paused, it has no next time; resumed, it has one; both may be asked for again."""
    path = (await make(client)).headers["Location"]
    for _ in range(2):
        paused = await client.post(f"{path}/pause")
        assert (paused.status_code, paused.json()["next_at"]) == (200, None)
    for _ in range(2):
        assert (await client.delete(f"{path}/pause")).status_code == 204
    assert (await client.get(path)).json()["next_at"] is not None


async def test_run_by_hand_and_its_history(client: httpx.AsyncClient, store: Store) -> None:
    """It is a run like any other, found by its schedule, also when that is gone."""
    path = (await make(client)).headers["Location"]
    started = []
    for _ in range(3):
        answer = await client.post(f"{path}/run")
        assert answer.status_code == 202
        run = answer.json()
        assert answer.headers["Location"] == f"/v1/runs/{run['id']}"
        assert (run["schedule"], run["label"]) == (path.rpartition("/")[2], "nightly")
        await end_run(store, run["id"])
        started.append(run["id"])
    links = (await client.get(path)).json()["links"]
    assert (await client.delete(path)).status_code == 204
    assert (await client.get(path)).status_code == 404
    first = (await client.get(links["fires"], params={"limit": 2})).json()
    rest = (await client.get(links["fires"], params={"cursor": first["next_cursor"]})).json()
    rows = first["items"] + rest["items"]
    assert [row["run"] for row in rows] == started[::-1]
    assert all(row["by_hand"] for row in rows)
    listed = (await client.get(links["runs"])).json()["items"]
    assert [run["id"] for run in listed] == started[::-1]
    log = (await client.get("/v1/audit")).json()["items"]
    assert [one["event"] for one in log[:2]] == ["schedule_deleted", "run_created"]


async def test_refused_run_by_hand_says_why(client: httpx.AsyncClient) -> None:
    """The caller is answered; the history has only what the schedule did by itself, or began."""
    path = (await make(client)).headers["Location"]
    (test_set,) = (await client.get("/v1/test-sets")).json()["items"]
    await client.delete(f"/v1/test-sets/{test_set['id']}")
    answer = await client.post(f"{path}/run")
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (404, "/run/test_set")
    assert (await client.get(f"{path}/fires")).json()["items"] == []


async def test_times_are_told_before_anything_is_made(client: httpx.AsyncClient) -> None:
    """In UTC and by the clocks of the zone; what is none says so as a parameter."""
    params = {"cron": "30 6 * * *", "zone": "Asia/Kolkata", "count": "3"}
    told = (await client.get(f"{PATH}/times", params=params)).json()
    assert [time["local"][11:] for time in told["times"]] == ["06:30+05:30"] * 3
    assert [time["at"][11:] for time in told["times"]] == ["01:00:00.000Z"] * 3
    wrong = await client.get(f"{PATH}/times", params={"cron": "x", "zone": "y"})
    assert [item["pointer"] for item in wrong.json()["errors"]] == ["?zone", "?cron"]
    assert (await client.get(f"{PATH}/times")).status_code == 422


async def test_so_many_and_no_more(client: httpx.AsyncClient, redis_url: str) -> None:
    """The answer says what to do."""
    await make(client)
    with redis.Redis.from_url(redis_url) as server:
        others = {f"sch_{number}": number for number in range(MAX_SCHEDULES - 1)}
        server.zadd(keys.schedules(keys.DEFAULT_TENANT), others)
    answer = await client.post(PATH, json=body())
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert "delete one" in answer.json()["detail"]
    assert MOST_COUNTED == 1_000  # which the description of `missed` says
