"""Splits over HTTP: the version that is made, and runs over a part of it."""

from typing import Any

import httpx
import pytest

QUERIES: list[dict[str, Any]] = [
    {
        "id": f"q{number}",
        "query": f"question {number}",
        "relevant_ids": [f"d{number}"],
        "tags": ["faq"] if number < 10 else [],
    }
    for number in range(20)
]
VARIANT = {"id": "v", "query": "qestion 3", "parent": "q3", "kind": "typo", "relevant_ids": ["d3"]}
NOTHING = {"id": "n", "query": "weather", "expect": "nothing", "split": "idle"}
ENDPOINT = {"url": "http://127.0.0.1:9/search"}


@pytest.fixture
async def uploaded(client: httpx.AsyncClient) -> dict[str, Any]:
    """Upload the set and return its head."""
    body = {"name": "docs", "queries": [*QUERIES, VARIANT], "language": "en", "relevant_from": 1}
    made: dict[str, Any] = (await client.post("/v1/test-sets", json=body)).json()
    return made


async def split(client: httpx.AsyncClient, ref: str = "docs", **asked: Any) -> httpx.Response:
    """Divide a set."""
    return await client.post(f"/v1/test-sets/{ref}/splits", json=asked)


async def test_a_split_is_the_next_version(
    client: httpx.AsyncClient, uploaded: dict[str, Any]
) -> None:
    """It has the queries of its parent, each in one of the two, and all else as it was."""
    made = await split(client, holdout=0.3, seed=7, stratify_by=["tag:faq"])
    report = made.json()
    child = report["test_set"]
    assert made.status_code == 201
    assert made.headers["location"] == f"/v1/test-sets/{child['id']}"
    assert (report["parent"], report["tune"], report["holdout"]) == (uploaded["id"], 14, 6)
    assert (report["groups"], report["strata_total"]) == (20, 2)
    assert [(s["name"], s["queries"], s["holdout"]) for s in report["strata"]] == [
        ("not tag:faq", 10, 3),
        ("tag:faq", 10, 3),
    ]
    for name in ("name", "language", "relevant_from", "scale", "warnings"):
        assert child[name] == uploaded[name]
    assert child["version"] == 2
    before, after = [
        (await client.get(f"/v1/test-sets/{each}/queries")).json()["items"]
        for each in (uploaded["id"], child["id"])
    ]
    splits = {query["id"]: query.pop("split") for query in after}
    assert after == before
    assert splits["v"] == splits["q3"]


@pytest.mark.usefixtures("uploaded")
async def test_the_same_split_is_the_same_version(client: httpx.AsyncClient) -> None:
    """Again with the same seed, or under the same key, nothing is made; another seed makes one."""
    first = await split(client, "docs", seed=1)
    again = await split(client, first.json()["test_set"]["id"], seed=1)
    assert (again.status_code, again.json()["test_set"]) == (200, first.json()["test_set"])
    keyed = {"Idempotency-Key": "k"}
    path = "/v1/test-sets/docs/splits"
    made = [await client.post(path, json={"seed": 2}, headers=keyed) for _ in range(2)]
    assert [answer.status_code for answer in made] == [201, 201]
    assert made[0].json() == made[1].json()
    assert made[1].headers["idempotent-replayed"] == "true"
    assert made[0].json()["test_set"]["version"] == 3


@pytest.mark.parametrize(
    ("asked", "pointer"),
    [
        ({"holdout": 0.01}, "/holdout"),
        ({"holdout": 0.99}, "/holdout"),
        ({"holdout": 1}, "/holdout"),
        ({"seed": -1}, "/seed"),
        ({"stratify_by": ["length", "colour"]}, "/stratify_by/1"),
        ({"stratify_by": ["tag:none"]}, "/stratify_by/0"),
        ({"share": 0.3}, "/share"),
    ],
)
async def test_what_cannot_be_divided_is_refused(
    client: httpx.AsyncClient, uploaded: dict[str, Any], asked: dict[str, Any], pointer: str
) -> None:
    """The place is named, and no version is made."""
    refused = await split(client, **asked)
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, pointer)
    assert [row["id"] for row in (await client.get("/v1/test-sets")).json()["items"]] == [
        uploaded["id"]
    ]


async def test_a_set_that_is_not_there_is_not_divided(client: httpx.AsyncClient) -> None:
    """It is missing, whoever asks."""
    assert (await split(client, "none")).status_code == 404


async def test_a_set_of_one_group_cannot_be_divided(client: httpx.AsyncClient) -> None:
    """All queries of one need stay together, so that a part would be empty."""
    queries = [{**query, "cluster_id": "one"} for query in QUERIES]
    await client.post("/v1/test-sets", json={"name": "one", "queries": queries})
    refused = await split(client, "one")
    assert refused.status_code == 422
    assert "1 groups that stay together" in refused.json()["errors"][0]["message"]


async def run(client: httpx.AsyncClient, test_set: str, split_name: str) -> httpx.Response:
    """Start a run over a split."""
    body = {"test_set": test_set, "endpoint": ENDPOINT, "split": split_name}
    return await client.post("/v1/runs", json=body)


async def test_a_run_plans_its_split_alone(client: httpx.AsyncClient) -> None:
    """Planned are the queries of the split with their variants, and it says what is outside."""
    queries = [{**query, "split": "tune" if n < 5 else "test"} for n, query in enumerate(QUERIES)]
    await client.post(
        "/v1/test-sets", json={"name": "docs", "queries": [*queries, VARIANT, NOTHING]}
    )
    tune, test, idle = [
        (await run(client, "docs", name)).json() for name in ("tune", "test", "idle")
    ]
    assert tune["split"] == {"name": "tune", "outside": 16}
    assert (tune["planned"]["clean"], tune["planned"]["adversarial"]) == (5, 1)
    assert (test["planned"]["clean"], test["planned"]["adversarial"]) == (15, 0)
    assert idle["planned"]["clean"] == 1
    whole = (await run(client, "docs", "")).json()
    assert (whole["split"], whole["planned"]["clean"]) == (None, 21)
    cancelled = await client.post(f"/v1/runs/{tune['id']}/cancel")
    report = (await client.get(f"/v1/runs/{cancelled.json()['id']}/results")).json()
    assert report["split"] == {"name": "tune", "outside": 16}
    assert (report["num_queries"], report["counts"]["skipped"]) == (5, 5)


async def test_an_unknown_split_is_refused_by_the_known_ones(client: httpx.AsyncClient) -> None:
    """The refusal names the splits there are, or how to make some."""
    queries = [{**query, "split": "tune" if n < 5 else "test"} for n, query in enumerate(QUERIES)]
    hard = {"id": "u", "query": "unjudged", "relevant_ids": [], "split": "open"}
    body = {"name": "docs", "queries": [*queries, hard], "allow_unscorable": True}
    await client.post("/v1/test-sets", json=body)
    await client.post("/v1/test-sets", json={"name": "plain", "queries": QUERIES})
    unknown, unscorable, none = [
        (await run(client, *asked)).json()["errors"][0]
        for asked in (("docs", "dev"), ("docs", "open"), ("plain", "tune"))
    ]
    assert unknown == {
        "pointer": "/split",
        "message": "no query of 'docs' is in the split 'dev'",
        "fix": "Use one of test, tune, open, or leave it out for all queries.",
    }
    assert unscorable["message"].endswith("can be sent: none has a relevant document")
    assert none["fix"].startswith("The set has no splits; make them with POST")


async def test_uploaded_rankings_can_be_of_a_split(client: httpx.AsyncClient) -> None:
    """Rankings are scored over the queries of the split; an unknown one is refused."""
    queries = [{**query, "split": "tune" if n < 5 else "test"} for n, query in enumerate(QUERIES)]
    await client.post("/v1/test-sets", json={"name": "docs", "queries": queries})
    line = b'{"query_id": "q1", "ids": ["d1"]}\n'
    answers = [
        await client.post(
            "/v1/rankings",
            files={
                "request": ("request.json", b'{"test_set": "docs", "split": "%s"}' % name),
                "rankings": ("rankings.jsonl", line),
            },
        )
        for name in (b"tune", b"none")
    ]
    assert [answer.status_code for answer in answers] == [202, 422]
    assert answers[0].json()["planned"]["clean"] == 5
