"""Routes over all runs of a test set: the trend, and what to label next."""

import csv
import io
from typing import Any

import httpx
import msgspec
import pytest

from reteval.contract.unjudged import UnjudgedHits
from service.store.keys import DEFAULT_TENANT, new_id
from service.store.records import Rescore
from service.store.store import Store
from tests.factories import stored_run
from tests.unit.service.api.ended import TEST_SET, end_run, run_body

HITS = [
    UnjudgedHits(bytes([2]), ["x"]),
    UnjudgedHits(b"", []),
    UnjudgedHits(bytes([1, 3]), ["=y", "z"]),
    UnjudgedHits(b"", []),
]


async def upload(client: httpx.AsyncClient, **changes: Any) -> str:
    """Upload a version of the set and return its id."""
    made = await client.post("/v1/test-sets", json={**TEST_SET, **changes})
    made_id: str = made.json()["id"]
    return made_id


async def start(client: httpx.AsyncClient, **changes: Any) -> str:
    """Start a run and return its id."""
    made = await client.post("/v1/runs", json=run_body(**changes))
    run_id: str = made.json()["id"]
    return run_id


async def read(client: httpx.AsyncClient, path: str) -> Any:
    """Return a JSON answer."""
    answer = await client.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_trend_never_joins_versions_or_endpoints(
    client: httpx.AsyncClient, store: Store
) -> None:
    """A name has all its versions, each with a series an endpoint, points oldest first."""
    first = await upload(client)
    means = {}
    for label, mean, url in (
        ("a", 0.1, "http://127.0.0.1:9/search?key=1"),
        ("b", 0.2, "http://127.0.0.1:9/other"),
        ("c", 0.3, "http://127.0.0.1:9/search?key=2"),
    ):
        run_id = await start(client, label=label, endpoint={"url": url})
        await end_run(store, run_id, mean=mean)
        means[run_id] = mean
    second = await upload(client, relevant_from=2, allow_unscorable=True)
    await end_run(store, await start(client, label="d"), mean=0.4)
    await start(client, label="queued")

    trend = await read(client, "/v1/history?test_set=ended&metric=RR")
    assert ("ended", "mrr") == (trend["name"], trend["metric"])
    assert [
        (1, first, "http://127.0.0.1:9/other", 1, ["b"]),
        (1, first, "http://127.0.0.1:9/search?key=***", 1, ["a", "c"]),
        (2, second, "http://127.0.0.1:9/search", 2, ["d"]),
    ] == [
        (
            series["version"],
            series["test_set"],
            series["endpoint"],
            series["relevant_from"],
            [point["label"] for point in series["points"]],
        )
        for series in trend["series"]
    ]
    point = trend["series"][1]["points"][0]
    assert (means[point["run"]], 2, None, 10) == (
        point["mean"],
        point["n"],
        point["ci"],
        point["depth"],
    )
    only = await read(client, f"/v1/history?test_set={first}&label=c&limit=1")
    assert [["c"]] == [[point["label"] for point in one["points"]] for one in only["series"]]
    newest = await read(client, f"/v1/history?test_set={first}&limit=2")
    assert {"b", "c"} == {point["label"] for one in newest["series"] for point in one["points"]}
    behind = await read(client, f"/v1/history?test_set={second}&limit=1")
    assert [["d"]] == [[point["label"] for point in one["points"]] for one in behind["series"]]


async def test_trend_shows_runs_without_numbers(
    client: httpx.AsyncClient, ended_run: str, store: Store
) -> None:
    """A failed run and a metric that was not measured have a null mean and a reason."""
    failed = await start(client, label="failed")
    await end_run(store, failed, metrics=False)
    (series,) = (await read(client, "/v1/history?test_set=ended"))["series"]
    assert [
        (ended_run, "completed", 0.25, None),
        (failed, "failed", None, "endpoint_down"),
    ] == [(p["run"], p["status"], p["mean"], p.get("reason")) for p in series["points"]]
    (series,) = (await read(client, "/v1/history?test_set=ended&metric=ndcg@10"))["series"]
    reasons = [point.get("reason") for point in series["points"]]
    assert ["not_measured", "endpoint_down"] == reasons


async def test_trend_of_a_set_without_runs(client: httpx.AsyncClient) -> None:
    """Nothing to show is no error, and no metric is made up."""
    await upload(client)
    trend = await read(client, "/v1/history?test_set=ended")
    assert {"name": "ended", "metric": None, "series": []} == trend


@pytest.mark.parametrize(
    ("query", "status", "pointer"),
    [
        ("test_set=none", 404, None),
        ("", 422, None),
        ("test_set=ended&metric=recal@5", 422, "?metric"),
        ("test_set=ended&limit=0", 422, "?limit"),
    ],
)
async def test_trend_refuses_what_it_does_not_know(
    client: httpx.AsyncClient, query: str, status: int, pointer: str | None
) -> None:
    """An unknown set, metric or bound is named."""
    await upload(client)
    answer = await client.get(f"/v1/history?{query}")
    assert status == answer.status_code
    if pointer:
        assert pointer == answer.json()["errors"][0]["pointer"]


async def test_unjudged_pages_over_the_pool(client: httpx.AsyncClient, store: Store) -> None:
    """Most valuable first; later pages see the runs of the first, however many end meanwhile."""
    test_set = await upload(client)
    for _ in range(2):
        await end_run(store, await start(client), unjudged=HITS)
    await end_run(store, await start(client), metrics=False, unjudged=HITS)
    first = await read(client, f"/v1/test-sets/{test_set}/unjudged?limit=2")
    assert (3, 2) == (first["total"], first["pooled_runs"])
    assert {
        "query_id": "q3",
        "query": "delete account",
        "document_id": "=y",
        "value": 2.0,
        "runs": 2,
        "best_rank": 1,
    } == first["items"][0]
    await end_run(store, await start(client), unjudged=[HITS[2], HITS[1], HITS[1], HITS[1]])
    path = f"/v1/test-sets/ended/unjudged?limit=2&cursor={first['next_cursor']}"
    second = await read(client, path)
    documents = [pair["document_id"] for page in (first, second) for pair in page["items"]]
    assert ["=y", "x", "z"] == documents
    assert (2, None) == (second["pooled_runs"], second["next_cursor"])
    assert 3 == (await read(client, "/v1/test-sets/ended/unjudged"))["pooled_runs"]


async def test_unjudged_pools_the_newest_twenty(client: httpx.AsyncClient, store: Store) -> None:
    """Older runs no longer say what to label."""
    await upload(client)
    await end_run(store, await start(client), unjudged=HITS)
    for _ in range(20):
        await end_run(store, await start(client), unjudged=HITS[:1])
    page = await read(client, "/v1/test-sets/ended/unjudged")
    assert (20, 1, "x", 20) == (
        page["pooled_runs"],
        page["total"],
        page["items"][0]["document_id"],
        page["items"][0]["runs"],
    )


async def test_unjudged_as_csv(client: httpx.AsyncClient, store: Store) -> None:
    """The whole list, safe for a spreadsheet, with a column to fill in."""
    await upload(client)
    await end_run(store, await start(client), unjudged=HITS)
    answer = await client.get("/v1/test-sets/ended/unjudged?format=csv")
    assert answer.headers["Content-Type"].startswith("text/csv")
    assert 'filename="unjudged.csv"' in answer.headers["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [("q3", "'=y", ""), ("q1", "x", ""), ("q3", "z", "")] == [
        (row["query_id"], row["docid"], row["rating"]) for row in rows
    ]
    assert "'=password" not in answer.text
    refused = await client.get("/v1/test-sets/ended/unjudged?format=csv&cursor=x")
    assert "?cursor" == refused.json()["errors"][0]["pointer"]


async def test_unjudged_of_a_set_without_runs(client: httpx.AsyncClient) -> None:
    """An empty list, as JSON and as CSV; an unknown set is not found."""
    await upload(client)
    page = await read(client, "/v1/test-sets/ended/unjudged")
    assert {"items": [], "total": 0, "pooled_runs": 0, "next_cursor": None} == page
    answer = await client.get("/v1/test-sets/ended/unjudged?format=csv")
    assert 1 == len(answer.text.splitlines())
    assert 404 == (await client.get("/v1/test-sets/none/unjudged")).status_code


async def test_unjudged_cursor_is_bound_to_its_set(client: httpx.AsyncClient, store: Store) -> None:
    """A cursor of one set is refused by another."""
    await upload(client)
    await end_run(store, await start(client), unjudged=HITS)
    cursor = (await read(client, "/v1/test-sets/ended/unjudged?limit=1"))["next_cursor"]
    await upload(client, name="other")
    answer = await client.get(f"/v1/test-sets/other/unjudged?cursor={cursor}")
    assert (400, "bad_cursor") == (answer.status_code, answer.json()["code"])


async def rescored(store: Store, parent: str, *, relevant_from: int) -> str:
    """Store a run made of another one's rankings."""
    record = await store.runs.get(DEFAULT_TENANT, parent)
    rescore = Rescore(parent=parent, relevant_from=relevant_from)
    spec = msgspec.structs.replace(record.spec, id=new_id("run"), rescore=rescore)
    child = await stored_run(store, spec)
    await end_run(store, child.id, mean=0.75, unjudged=HITS)
    return child.id


async def test_rescored_run_adds_no_documents(client: httpx.AsyncClient, store: Store) -> None:
    """The same rankings count once, whether or not the run they came from is listed."""
    await upload(client)
    parent = await start(client)
    await end_run(store, parent, unjudged=HITS)
    await rescored(store, parent, relevant_from=1)
    await rescored(store, parent, relevant_from=3)
    page = await read(client, "/v1/test-sets/ended/unjudged")
    assert (1, 1.0) == (page["pooled_runs"], page["items"][0]["value"])


async def test_trend_keeps_thresholds_apart(client: httpx.AsyncClient, store: Store) -> None:
    """A run rescored with another threshold measures something else."""
    await upload(client)
    parent = await start(client)
    await end_run(store, parent)
    same = await rescored(store, parent, relevant_from=1)
    other = await rescored(store, parent, relevant_from=3)
    series = (await read(client, "/v1/history?test_set=ended"))["series"]
    assert [(1, [parent, same]), (3, [other])] == [
        (one["relevant_from"], [point["run"] for point in one["points"]]) for one in series
    ]
