"""The routes of `/v1/judgings`: each arrow from draft to frozen, over real sockets and a worker."""

import httpx

from examples.judge.server import serve_judge
from tests.endpoint import serve_answers
from tests.judging import (
    judge,
    make,
    model,
    oracle,
    pool,
    search,
)


async def test_from_draft_to_frozen(client: httpx.AsyncClient, redis_url: str) -> None:
    """Pool, judge, review, freeze: the set has the judge's grades, the person's and the known."""
    with serve_answers(search()) as first, serve_answers(search((1, 3))) as second:
        path = await make(client, first.url, second.url, random=1)
        assert (await client.get(path)).json()["state"] == "draft"
        pooled = await pool(client, path, redis_url)
    assert (pooled["state"], pooled["error"]) == ("pooled", None)
    assert pooled["pool"]["queries"] == 6
    assert pooled["pool"]["failed_searches"] == 0
    with serve_judge(oracle()) as fake:
        judged = await judge(client, path, redis_url, model=model(fake.url))
    assert (judged["state"], judged["error"]) == ("judged", None)
    (progress,) = (one["progress"] for one in judged["judges"])
    assert progress["failed"] == 0
    assert progress["judged"] == progress["pairs"] == progress["spent"]["calls"]
    vote = {"query_id": "q1", "doc_id": "d10", "grade": 1, "rater": "ada"}
    voted = await client.post(f"{path}/votes", json={"votes": [vote]})
    assert voted.json() == {"written": 1, "reviewed": 1}
    assert (await client.get(path)).json()["state"] == "reviewing"
    frozen = await client.post(f"{path}/freeze", json={"allow_unjudged": True})
    assert frozen.status_code == 200, frozen.text
    made = frozen.json()
    assert (made["state"], made["frozen"]["version"]) == ("frozen", 2)
    rows = (await client.get(f"/v1/test-sets/{made['frozen']['id']}/queries")).json()["items"]
    grades = {row["id"]: {one["id"]: one["grade"] for one in row["relevant"]} for row in rows}
    assert grades["q0"]["d00"] == 3
    assert grades["q1"]["d10"] == 1
    assert {grades["q2"][f"d2{part}"] for part in range(4)} == {0, 1, 2, 3}
    assert grades["q2"]["d33"] == 0
