"""Suites over HTTP: join, start all or none, read as one, cancel as one."""

import asyncio
from typing import Any

import httpx
import pytest
import redis

from reteval.contract.api_keys import Scope
from reteval.contract.runs import RunStatus
from reteval.contract.suites import MAX_SUITES
from service.store.keys import DEFAULT_TENANT, job_part
from service.store.store import Store
from tests.factories import stored_key
from tests.unit.reteval.documents import a_summary
from tests.unit.service.api.conftest import Opens
from tests.unit.service.api.scored import score_run
from tests.unit.service.api.teams import bearer

ENDPOINT = {"url": "http://127.0.0.1:9/search"}
BODY: dict[str, Any] = {
    "endpoint": ENDPOINT,
    "metrics": ["mrr"],
    "label": "k60",
    "meta": {"a": "b"},
}


@pytest.fixture
async def sets(client: httpx.AsyncClient) -> list[str]:
    """Upload two sets, the second with four queries, and return their ids."""
    return [await upload(client, "docs", 2), await upload(client, "faq", 4)]


async def upload(client: httpx.AsyncClient, name: str, n: int) -> str:
    """Upload a set of so many queries and return its id."""
    queries = [{"id": f"q{i}", "query": f"query {i}", "relevant_ids": ["d1"]} for i in range(n)]
    made = await client.post("/v1/test-sets", json={"name": name, "queries": queries})
    return str(made.json()["id"])


async def create(client: httpx.AsyncClient, **changes: Any) -> httpx.Response:
    """Create a suite of both sets."""
    return await client.post(
        "/v1/suites", json={"name": "all", "test_sets": ["docs", "faq"], **changes}
    )


async def start(client: httpx.AsyncClient, **changes: Any) -> dict[str, Any]:
    """Start the suite `all` and return its run."""
    made = await client.post("/v1/suites/all/runs", json={**BODY, **changes})
    assert made.status_code == 202, made.text
    found: dict[str, Any] = made.json()
    return found


async def end(store: Store, run_id: str, mean: float, **changes: Any) -> None:
    """End a run with a mean, or as `changes` say."""
    record = await store.runs.get(DEFAULT_TENANT, run_id)
    metrics = {"metrics": {"mrr": a_summary(mean)}, **changes}
    await score_run(store, record.spec, **metrics)


async def test_suites_are_kept_by_name(client: httpx.AsyncClient, sets: list[str]) -> None:
    """A suite has what it was made of, is read by id and name, listed, and deleted."""
    made = await create(client, test_sets=["docs", sets[1]], weights=[2, 1])
    suite = made.json()
    assert made.status_code == 201
    assert made.headers["location"] == f"/v1/suites/{suite['id']}"
    assert suite["members"] == [
        {"test_set": "docs", "weight": 2.0},
        {"test_set": sets[1], "weight": 1.0},
    ]
    for ref in (suite["id"], "all"):
        assert (await client.get(f"/v1/suites/{ref}")).json() == suite
    assert (await client.get("/v1/suites")).json() == {"items": [suite], "next_cursor": None}
    assert (await client.delete("/v1/suites/all")).status_code == 204
    for ref in (suite["id"], "all"):
        assert (await client.get(f"/v1/suites/{ref}")).status_code == 404
        assert (await client.delete(f"/v1/suites/{ref}")).status_code == 404
    assert (await create(client)).status_code == 201


@pytest.mark.parametrize(
    ("changes", "status", "pointer"),
    [
        ({"test_sets": ["docs", "none"]}, 404, "/test_sets/1"),
        ({"test_sets": ["docs", "docs"]}, 422, "/test_sets"),
        ({"test_sets": []}, 422, "/test_sets"),
        ({"weights": [1]}, 422, "/weights"),
        ({"weights": [1, 0]}, 422, "/weights/1"),
        ({"name": "a\x00b"}, 422, "/name"),
    ],
)
@pytest.mark.usefixtures("sets")
async def test_a_suite_that_cannot_be_is_refused(
    client: httpx.AsyncClient, changes: dict[str, Any], status: int, pointer: str
) -> None:
    """What is wrong is named by its place, and nothing is kept."""
    refused = await create(client, **changes)
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (status, pointer)
    assert (await client.get("/v1/suites")).json()["items"] == []


@pytest.mark.usefixtures("sets")
async def test_a_name_is_taken_once(client: httpx.AsyncClient) -> None:
    """Another suite under the name is a conflict; under an idempotency key it is the same."""
    keyed = {"headers": {"Idempotency-Key": "k"}}
    body = {"name": "all", "test_sets": ["docs"]}
    first = await client.post("/v1/suites", json=body, **keyed)  # type: ignore[arg-type]
    again = await client.post("/v1/suites", json=body, **keyed)  # type: ignore[arg-type]
    assert (again.status_code, again.json()) == (201, first.json())
    taken = await create(client)
    assert (taken.status_code, taken.json()["code"]) == (409, "name_taken")


@pytest.mark.usefixtures("sets")
async def test_suites_are_bounded(client: httpx.AsyncClient) -> None:
    """Beyond the bound there is none more, until one is deleted."""
    for number in range(MAX_SUITES):
        assert (await create(client, name=f"s{number}")).status_code == 201
    assert (await create(client)).status_code == 422
    await client.delete("/v1/suites/s0")
    assert (await create(client)).status_code == 201


async def test_a_run_over_a_suite_is_read_as_one(
    client: httpx.AsyncClient, store: Store, sets: list[str]
) -> None:
    """Rows, sums and macro means, once all runs have ended; label and meta are those of all."""
    await create(client, weights=[3, 1])
    made = await client.post("/v1/suites/all/runs", json=BODY)
    started = made.json()
    assert made.status_code == 202
    assert made.headers["location"] == f"/v1/suite-runs/{started['id']}"
    assert (started["status"], started["macro"]) == ("queued", {})
    assert [row["test_set"]["id"] for row in started["rows"]] == sets
    assert [row["reason"] for row in started["rows"]] == ["not_ended"] * 2
    assert started["progress"]["total"] == 6
    docs, faq = (row["run"] for row in started["rows"])
    run = (await client.get(f"/v1/runs/{faq}")).json()
    assert (run["label"], run["meta"], run["test_set"]["name"]) == ("k60", {"a": "b"}, "faq")
    await end(store, docs, 1.0)
    half = (await client.get(f"/v1/suite-runs/{started['id']}")).json()
    assert (half["status"], half["macro"]) == ("running", {})
    await end(store, faq, 0.5)
    whole = (await client.get(f"/v1/suite-runs/{started['id']}?wait=1")).json()
    assert whole["status"] == "completed"
    assert whole["macro"]["mrr"]["mean"] == 0.875
    assert whole["counts"]["planned"] == 2 * whole["rows"][0]["counts"]["planned"]
    assert whole["poll_after_s"] is None
    listed = (await client.get("/v1/suites/all/runs")).json()["items"]
    assert [(one["id"], one["runs"]) for one in listed] == [(started["id"], [docs, faq])]
    await client.delete("/v1/suites/all")
    assert (await client.get(f"/v1/suite-runs/{started['id']}")).status_code == 404
    assert (await client.get(f"/v1/runs/{docs}")).status_code == 200


@pytest.mark.usefixtures("sets")
async def test_a_set_without_numbers_leaves_no_macro_mean(
    client: httpx.AsyncClient, store: Store
) -> None:
    """A failed or deleted run is named with its reason, and the other rows stay."""
    await create(client)
    started = await start(client)
    docs, faq = (row["run"] for row in started["rows"])
    await end(store, docs, 1.0)
    failed = {"status": RunStatus.FAILED, "metrics": None, "reason": "no_answers"}
    await end(store, faq, 0.0, **failed)
    path = f"/v1/suite-runs/{started['id']}"
    found = (await client.get(path)).json()
    assert (found["status"], found["rows"][1]["reason"]) == (
        "completed_with_errors",
        "no_answers",
    )
    macro = found["macro"]["mrr"]
    assert (macro["mean"], macro["sets"]) == (None, 1)
    assert macro["reason"] == "no mean of faq: no_answers"
    await client.delete(f"/v1/runs/{faq}")
    row = (await client.get(path)).json()["rows"][1]
    assert (row["status"], row["reason"], row["metrics"]) == (None, "deleted", None)
    await client.delete(f"/v1/runs/{docs}")
    assert (await client.get(f"{path}?wait=1")).json()["status"] == "failed"


@pytest.mark.usefixtures("sets")
async def test_a_suite_is_cancelled_as_one(client: httpx.AsyncClient, store: Store) -> None:
    """What has not ended stops; when all has ended, there is nothing to cancel."""
    await create(client)
    started = await start(client)
    await end(store, started["rows"][0]["run"], 1.0)
    path = f"/v1/suite-runs/{started['id']}"
    cancelled = await client.post(f"{path}/cancel")
    assert cancelled.status_code == 202
    rows = cancelled.json()["rows"]
    assert [row["status"] for row in rows] == ["completed", "cancelled"]
    assert [(row["metrics"], row["reason"]) for row in rows] == [(None, "not_shown")] * 2
    assert cancelled.json()["status"] == "cancelled"
    again = await client.post(f"{path}/cancel")
    assert (again.status_code, again.json()["code"]) == (409, "already_terminal")


@pytest.mark.parametrize(
    ("changes", "status", "pointer"),
    [
        ({"split": "tune"}, 422, "/split"),
        ({"metrics": ["ndgc@10"]}, 422, "/metrics/0"),
        ({"endpoint": {"url": "http://10.0.0.1/x"}}, 422, "/endpoint/url"),
        ({"test_set": "docs"}, 422, "/test_set"),
    ],
)
@pytest.mark.usefixtures("sets")
async def test_a_start_that_is_refused_starts_nothing(
    client: httpx.AsyncClient, changes: dict[str, Any], status: int, pointer: str
) -> None:
    """One refusal for all sets, and no run is made for any."""
    await create(client)
    refused = await client.post("/v1/suites/all/runs", json={**BODY, **changes})
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (status, pointer)
    assert (await client.get("/v1/runs")).json()["items"] == []


async def test_a_suite_whose_set_is_gone_starts_nothing(
    client: httpx.AsyncClient, sets: list[str]
) -> None:
    """The set is named by its place; another version of it makes the suite whole again."""
    await create(client)
    await client.delete(f"/v1/test-sets/{sets[1]}")
    refused = await client.post("/v1/suites/all/runs", json=BODY)
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (404, "/test_sets/1")
    newest = await upload(client, "faq", 3)
    assert (await start(client))["rows"][1]["test_set"]["id"] == newest
    assert (await client.post("/v1/suites/none/runs", json=BODY)).status_code == 404


@pytest.mark.parametrize(
    ("quota", "value", "used", "asked"),
    [("queued_runs", "3", 2, 2), ("queries_per_day", "11", 6, 6)],
)
async def test_quotas_count_each_run(
    redis_url: str, store: Store, opens: Opens, quota: str, value: str, used: int, asked: int
) -> None:
    """A suite for which there is no room is refused whole; what it would send counts in full."""
    scopes = (Scope.TEST_SETS_WRITE, Scope.RUNS_WRITE)
    mine = bearer(await stored_key(store, *scopes))
    limit = {f"RETEVAL_QUOTA_{quota.upper()}": value}
    async with opens(redis_url, RETEVAL_AUTH="required", **limit) as client:
        client.headers.update(mine)
        await upload(client, "docs", 2)
        await upload(client, "faq", 4)
        await create(client)
        await start(client)
        refused = await client.post("/v1/suites/all/runs", json=BODY)
        assert len((await client.get("/v1/runs")).json()["items"]) == 2
    told = refused.json()["quota"]
    assert (refused.status_code, told["name"]) == (429, quota)
    assert (told["used"], told["asked"]) == (used, asked)


@pytest.mark.usefixtures("sets")
async def test_starts_under_one_key_are_one(client: httpx.AsyncClient) -> None:
    """Of many at once, some get the same suite run, the others a conflict; two runs are made."""
    await create(client)
    headers = {"Idempotency-Key": "once"}
    answers = await asyncio.gather(
        *(client.post("/v1/suites/all/runs", json=BODY, headers=headers) for _ in range(20))
    )
    assert {answer.status_code for answer in answers} <= {202, 409}
    made = {answer.json()["id"] for answer in answers if answer.status_code == 202}
    assert len(made) == 1
    assert len((await client.get("/v1/runs")).json()["items"]) == 2


@pytest.mark.usefixtures("sets")
async def test_header_values_are_kept_for_each_run(client: httpx.AsyncClient, store: Store) -> None:
    """Every run has the sealed values, and none shows them."""
    await create(client)
    endpoint = {**ENDPOINT, "headers": {"Authorization": "Bearer s3cret"}}
    started = await start(client, endpoint=endpoint)
    for row in started["rows"]:
        claim = await store.claims.claim(DEFAULT_TENANT, row["run"], owner="w", lease_s=30)
        assert claim is not None
        assert await store.claims.secrets(claim)
        assert "s3cret" not in (await client.get(f"/v1/runs/{row['run']}")).text


@pytest.mark.usefixtures("sets")
async def test_a_report_that_cannot_be_read_is_named(
    client: httpx.AsyncClient, store: Store, redis_url: str
) -> None:
    """The other rows are shown; there is no macro mean over a part."""
    await create(client)
    started = await start(client)
    docs, faq = (row["run"] for row in started["rows"])
    await end(store, docs, 1.0)
    await end(store, faq, 0.5)
    with redis.Redis.from_url(redis_url) as server:
        server.set(job_part(DEFAULT_TENANT, faq, "report"), b"{")
    found = (await client.get(f"/v1/suite-runs/{started['id']}")).json()
    assert [row.get("reason") for row in found["rows"]] == [None, "unreadable"]
    assert found["macro"]["mrr"]["reason"] == "no mean of faq: unreadable"
