"""The routes of `/v1/judgings`: each arrow from draft to frozen, over real sockets and a worker."""

import asyncio
import csv
import io
from typing import Any

import httpx
import pytest
import redis

from examples.judge.oracle import LENIENT
from examples.judge.server import serve_judge
from service.store.store import Store
from tests.endpoint import serve_answers
from tests.judging import (
    GRADES,
    TEXTS,
    judge,
    list_pairs,
    make,
    model,
    oracle,
    pool,
    search,
    upload,
    work,
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
    judged = {row["id"]: {one["id"]: one for one in row["relevant"]} for row in rows}
    assert judged["q1"]["d10"]["source"] == "human"
    assert judged["q1"]["d10"]["rater"] == "ada"
    assert judged["q2"]["d20"]["source"] == "llm"
    assert judged["q2"]["d20"]["rater"].startswith("fake-ok@")
    assert "source" not in judged["q0"]["d00"]
    grades = {row["id"]: {one["id"]: one["grade"] for one in row["relevant"]} for row in rows}
    version = (await client.get(f"/v1/test-sets/{made['frozen']['id']}")).json()
    assert version["parent"] == made["test_set"]["id"]
    assert made["id"] in version["note"]
    assert grades["q0"]["d00"] == 3
    assert grades["q1"]["d10"] == 1
    assert {grades["q2"][f"d2{part}"] for part in range(4)} == {0, 1, 2, 3}
    assert grades["q2"]["d33"] == 0


async def ready(client: httpx.AsyncClient, redis_url: str, **judged: Any) -> str:
    """Return the path of a judging that was pooled and judged."""
    with serve_answers(search()) as endpoint:
        path = await make(client, endpoint.url)
        await pool(client, path, redis_url)
    with serve_judge(oracle(LENIENT)) as fake:
        await judge(client, path, redis_url, model=model(fake.url), **judged)
    return path


async def list_review(client: httpx.AsyncClient, path: str, **params: Any) -> list[dict[str, Any]]:
    """Return the whole queue, a few rows at a time."""
    rows: list[dict[str, Any]] = []
    cursor = ""
    while True:
        sent = {**params, "limit": 7, "cursor": cursor}
        page = (await client.get(f"{path}/review", params=sent)).json()
        rows += page["items"]
        cursor = page["next_cursor"]
        if not cursor:
            return rows


async def test_queue_begins_with_a_sample_of_every_grade(
    client: httpx.AsyncClient, redis_url: str
) -> None:
    """The sample has the same number of each grade; what people voted on is gone from the queue."""
    path = await ready(client, redis_url)
    rows = await list_review(client, path)
    reasons = [row["reason"] for row in rows]
    audit = reasons.count("audit")
    assert reasons[:audit] == ["audit"] * audit
    assert {row["suggestion"] for row in rows} == {None}
    keys = [(row["query_id"], row["doc_id"]) for row in rows]
    assert len(set(keys)) == len(keys)
    assert all(row["text"] == TEXTS[row["doc_id"]] for row in rows)
    shown = await list_review(client, path, suggest=True)
    assert {row["suggestion"]["grade"] for row in shown} <= {0, 1, 2, 3}
    votes = [{"query_id": q, "doc_id": d, "grade": 1} for q, d in keys[:3]]
    await client.post(f"{path}/votes", json={"votes": votes, "rater": "ada"})
    left = await list_review(client, path)
    assert [(row["query_id"], row["doc_id"]) for row in left] == keys[3:]


async def test_table_goes_out_and_comes_back(client: httpx.AsyncClient, redis_url: str) -> None:
    """Rows with a grade become votes, the others wait; what a spreadsheet would run is disarmed."""
    path = await ready(client, redis_url)
    sent = await client.get(f"{path}/review", params={"format": "csv"})
    assert sent.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(sent.text)))
    assert len(rows) == len(await list_review(client, path))
    rows[0] |= {"grade": "2", "explanation": "half, of it"}
    rows[1] |= {"grade": "unrateable", "rater": "bob"}
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    table = buffer.getvalue().encode("utf-8-sig")
    headers = {"Content-Type": "text/csv"}
    written = await client.post(f"{path}/votes?rater=ada", content=table, headers=headers)
    assert written.json() == {"written": 2, "reviewed": 2}
    pairs = {
        (row["query_id"], row["pair"]["doc_id"]): row for row in await list_pairs(client, path)
    }
    first, second = (pairs[row["query_id"], row["docid"]] for row in rows[:2])
    assert (first["status"], first["grade"]) == ("reviewed", 2)
    assert first["votes"][-1] | {"at": ""} == {
        "doc_id": rows[0]["docid"],
        "kind": "human",
        "rater": "ada",
        "at": "",
        "grade": 2,
        "explanation": "half, of it",
        "text_sha256": first["pair"]["text_sha256"],
    }
    assert (second["status"], second["votes"][-1]["rater"]) == ("unrateable", "bob")


@pytest.mark.parametrize(
    ("table", "status"),
    [
        ("query_id,docid\nq1,d10\n", 422),
        ("query_id,docid,grade\nq1,d10,much\n", 422),
        ("query_id,docid,grade\nq1,d10,\n", 422),
        ("query_id,docid,grade\nq1,d10,1,2\n", 422),
        ("query_id,docid,grade\nq1,d99,1\n", 422),
        ("query_id,docid,grade\nq1,d10,9\n", 422),
        ('query_id,docid,grade\n"q1,d10,1\n', 400),
        (b"query_id,docid,grade\nq\xff,d10,1\n", 400),
    ],
)
async def test_tables_that_break_a_rule(
    client: httpx.AsyncClient, redis_url: str, table: str | bytes, status: int
) -> None:
    """A missing column, no grade, a pair outside the pool, a broken file: nothing is written."""
    with serve_answers(search()) as endpoint:
        path = await make(client, endpoint.url)
        await pool(client, path, redis_url)
    headers = {"Content-Type": "text/csv"}
    answer = await client.post(f"{path}/votes", content=table, headers=headers)
    assert answer.status_code == status, answer.text
    assert (await client.get(path)).json()["review"]["reviewed"] == 0


async def test_no_model_overwrites_a_person(client: httpx.AsyncClient, redis_url: str) -> None:
    """A vote given before the judge came stays the grade, and the judge's is kept beside it."""
    with serve_answers(search()) as endpoint:
        path = await make(client, endpoint.url)
        await pool(client, path, redis_url)
    vote = {"query_id": "q1", "doc_id": "d10", "grade": 0, "rater": "ada"}
    await client.post(f"{path}/votes", json={"votes": [vote]})
    with serve_judge(oracle()) as fake:
        await judge(client, path, redis_url, model=model(fake.url))
    (row,) = (
        row
        for row in await list_pairs(client, path)
        if (row["query_id"], row["pair"]["doc_id"]) == ("q1", "d10")
    )
    assert (row["status"], row["grade"]) == ("reviewed", 0)
    assert [(one["kind"], one["grade"]) for one in row["votes"]] == [("human", 0), ("llm", 3)]


@pytest.mark.parametrize(
    ("consensus", "grade"),
    [("human_last", 0), ("median", 1), ("majority_then_min", 0), ("mean_rounded", 1)],
)
async def test_rules_of_consensus(
    client: httpx.AsyncClient, redis_url: str, consensus: str, grade: int
) -> None:
    """Of each rater the last vote counts; the rule stands in the set with the judge's prompt."""
    path = await ready(client, redis_url)
    for rater, given in (("ada", 0), ("ada", 3), ("bob", 1), ("eve", 0)):
        vote = {"query_id": "q1", "doc_id": "d10", "grade": given, "rater": rater}
        assert (await client.post(f"{path}/votes", json={"votes": [vote]})).is_success
    frozen = (await client.post(f"{path}/freeze", json={"consensus": consensus})).json()
    made = (await client.get(f"/v1/test-sets/{frozen['frozen']['id']}")).json()
    queries = (await client.get(f"/v1/test-sets/{made['id']}/queries")).json()["items"]
    grades = {one["id"]: one["grade"] for one in queries[1]["relevant"]}
    assert grades["d10"] == grade
    (told,) = (one for one in made["warnings"] if one["code"] == "pooled_judgments")
    source, said = told["evidence"]
    assert (source["consensus"], source["reviewed"]) == (consensus, 1)
    assert said["prompt_hash"].startswith("sha256:")


async def test_frozen_judging_never_changes(client: httpx.AsyncClient, redis_url: str) -> None:
    """Frozen twice it answers the same set; no vote, pool or judge is taken any more."""
    path = await ready(client, redis_url)
    first = (await client.post(f"{path}/freeze", json={})).json()
    again = (await client.post(f"{path}/freeze", json={})).json()
    assert (again["state"], again["frozen"]) == ("frozen", first["frozen"])
    vote = {"query_id": "q1", "doc_id": "d10", "grade": 1}
    judged = {"model": model("http://127.0.0.1:9/v1")}
    for route, body in (
        ("votes", {"votes": [vote]}),
        ("judge", judged),
        ("freeze", {"consensus": "median", "name": "other"}),
    ):
        answer = await client.post(f"{path}/{route}", json=body)
        assert (answer.status_code, answer.json()["code"]) == (409, "judging_frozen"), route
    assert (await client.delete(path)).status_code == 204
    assert (await client.get(path)).status_code == 404
    assert (await client.get(f"/v1/test-sets/{first['frozen']['id']}")).status_code == 200


async def test_unjudged_pairs_stand_in_the_way_or_are_told_for_ever(
    client: httpx.AsyncClient, redis_url: str
) -> None:
    """Without a judge freezing is refused; allowed, the set warns and leaves the pairs out."""
    with serve_answers(search()) as endpoint:
        path = await make(client, endpoint.url)
        early = await client.post(f"{path}/freeze", json={})
        assert (early.status_code, early.json()["code"]) == (409, "judging_incomplete")
        await pool(client, path, redis_url)
    refused = await client.post(f"{path}/freeze", json={})
    assert (refused.status_code, refused.json()["code"]) == (409, "judging_incomplete")
    listed = (await client.get("/v1/test-sets")).json()["items"]
    assert [one["version"] for one in listed] == [1]
    vote = {"query_id": "q1", "doc_id": "d10", "grade": 2}
    await client.post(f"{path}/votes", json={"votes": [vote]})
    frozen = (await client.post(f"{path}/freeze", json={"allow_unjudged": True})).json()
    made = (await client.get(f"/v1/test-sets/{frozen['frozen']['id']}")).json()
    assert made["stats"]["judgments"] == 3
    (told,) = (one for one in made["warnings"] if one["code"] == "unjudged_pairs")
    assert (told["severity"], told["evidence"][0]["unjudged"]) == ("warn", 22)


async def test_estimate_counts_without_a_call(client: httpx.AsyncClient, redis_url: str) -> None:
    """Pairs, calls and tokens of a judge that is not even there; a cap that is too low is named."""
    with serve_answers(search()) as endpoint:
        path = await make(client, endpoint.url)
        early = await client.post(f"{path}/estimate", json={"model": model("http://127.0.0.1:9")})
        assert (early.status_code, early.json()["code"]) == (409, "judging_incomplete")
        await pool(client, path, redis_url)
    caps = {"max_cost": 0.01, "max_pairs": 5, "prices": {"prompt": 1.0, "completion": 2.0}}
    asked = {"model": model("http://127.0.0.1:9"), "votes": 3, "caps": caps}
    begun = await client.post(f"{path}/estimate", json=asked)
    assert begun.status_code == 202
    await work(redis_url)
    job = (await client.get(begun.headers["Location"])).json()
    found = job["report"]["estimate"]
    assert (job["status"], found["pairs"], found["calls"], found["cached"]) == (
        *("completed", 23, 69, 0),
    )
    assert found["completion_tokens"] == 69 * 200
    money = (found["prompt_tokens"] + 2 * found["completion_tokens"]) / 1e6
    assert found["cost"] == pytest.approx(money)
    assert found["exceeds"] == ["max_cost", "max_pairs"]
    other = await make(client, "http://127.0.0.1:9/s")
    gone = await client.get(f"{other}/jobs/{job['id']}")
    assert gone.status_code == 404


async def test_try_shows_a_pair_and_records_nothing(
    client: httpx.AsyncClient, redis_url: str
) -> None:
    """The request and the answer are shown, a garbled one with its code; no vote is written."""
    with serve_answers(search()) as endpoint:
        path = await make(client, endpoint.url)
        await pool(client, path, redis_url)
    pair = {"query_id": "q2", "doc_id": "d21"}
    with serve_judge(oracle()) as fake:
        trials = []
        for scenario in ("ok", "prose", "401"):
            body = {"model": model(fake.url, scenario), **pair}
            begun = await client.post(f"{path}/try", json=body)
            await work(redis_url)
            job = (await client.get(begun.headers["Location"])).json()
            trials.append(job["report"]["trial"])
    assert [(one["grade"], one["error"]) for one in trials] == [
        *((2, ""), (None, "invalid_grade"), (None, "endpoint_auth")),
    ]
    assert TEXTS["d21"] in trials[0]["sent"]
    assert "as told" in trials[0]["answer"]
    assert [one["response_format"] for one in trials] == ["json_schema", "none", ""]
    missing = await client.post(
        f"{path}/try", json={"model": model("http://127.0.0.1:9"), "query_id": "nobody"}
    )
    await work(redis_url)
    assert (await client.get(missing.headers["Location"])).json()["status"] == "failed"
    assert await list_pairs(client, path, status="failed") == []


PROMPT = {
    "id": "mine",
    "scale_max": 3,
    "rubric": ["no", "near", "part", "all"],
    "system": "You grade.",
    "user": "{{query}} / {{field.document}} / {{field.rubric}}",
    "form": 'JSON: {"grade": 0}',
    "bare_form": "One digit.",
}


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"prompt": "unheard-of"}, "/prompt"),
        ({"prompt": "binary"}, "/prompt/scale_max"),
        ({"prompt": PROMPT | {"rubric": ["no", "yes"]}}, "/prompt/rubric"),
        ({"prompt": PROMPT | {"user": "{{query}}"}}, "/prompt/user"),
        ({"prompt": PROMPT | {"form": "{{field.secret}} JSON"}}, "/prompt/user"),
        ({"votes": 3, "logprobs": True}, "/votes"),
        ({"model": {"base_url": "http://127.0.0.1:9/v1?x=1", "name": "m"}}, "/model/base_url"),
        ({"model": {"base_url": "http://10.0.0.1/v1", "name": "m"}}, "/model/url"),
        ({"model": model("http://127.0.0.1:9", options={"stream": True})}, "/model/options/stream"),
        ({"model": model("http://127.0.0.1:9", options={"x": ["{{query}}"]})}, "/model/options"),
        (
            {"model": model("http://127.0.0.1:9", key="k", headers={"Authorization": "x"})},
            "/model/headers",
        ),
    ],
)
async def test_judges_that_break_a_rule(
    client: httpx.AsyncClient, redis_url: str, changes: dict[str, Any], pointer: str
) -> None:
    """Each is refused before anything is sent, with the place to mend."""
    with serve_answers(search()) as endpoint:
        path = await make(client, endpoint.url)
        await pool(client, path, redis_url)
    body = {"model": model("http://127.0.0.1:9/v1")} | changes
    answer = await client.post(f"{path}/judge", json=body)
    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["pointer"] == pointer


async def test_prompt_of_ones_own(client: httpx.AsyncClient, redis_url: str) -> None:
    """Its words reach the model as they are, and its hash is recorded."""
    with serve_answers(search()) as endpoint:
        path = await make(client, endpoint.url)
        await pool(client, path, redis_url)
    with serve_judge(oracle()) as fake:
        judged = await judge(client, path, redis_url, model=model(fake.url), prompt=PROMPT)
        said = fake.log[0].body["messages"]
    assert said[0]["content"] == "You grade."
    assert said[1]["content"].endswith('JSON: {"grade": 0}')
    assert "0: no\n1: near\n2: part\n3: all" in said[1]["content"]
    (one,) = judged["judges"]
    assert (one["prompt_id"], one["prompt_hash"][:7]) == ("mine", "sha256:")


@pytest.mark.parametrize(
    ("changes", "status", "pointer"),
    [
        ({"endpoints": []}, 422, "/endpoints"),
        ({"test_set": "nobody"}, 404, "/test_set"),
        ({"runs": ["run_unheard"]}, 404, "/runs/0"),
        ({"endpoints": [{"url": "http://10.0.0.1/"}]}, 422, "/endpoints/0/url"),
        ({"endpoints": [{"saved": "nobody"}]}, 404, "/endpoints/0/saved"),
        ({"endpoints": [{"url": "http://127.0.0.1:9", "ids": "a", "hits": "b"}]}, 422, None),
        ({"name": "a\nb"}, 422, "/name"),
    ],
)
async def test_judgings_that_break_a_rule(
    client: httpx.AsyncClient, changes: dict[str, Any], status: int, pointer: str | None
) -> None:
    """Each is refused with the place to mend."""
    await client.post("/v1/test-sets", json=upload())
    body = {"test_set": "help", "endpoints": [{"url": "http://127.0.0.1:9/"}]} | changes
    answer = await client.post("/v1/judgings", json=body)
    assert answer.status_code == status, answer.text
    if pointer:
        assert answer.json()["errors"][0]["pointer"] == pointer


async def test_pool_that_would_be_too_large(client: httpx.AsyncClient) -> None:
    """So many queries to such a depth are refused before anything is sent."""
    queries = [{"id": f"q{at}", "query": f"text {at}"} for at in range(600)]
    await client.post("/v1/test-sets", json=upload(name="many", queries=queries))
    endpoints = [{"url": "http://127.0.0.1:9/"}] * 5
    body = {"test_set": "many", "endpoints": endpoints, "depth": 200}
    answer = await client.post("/v1/judgings", json=body)
    assert answer.json()["errors"][0]["pointer"] == "/depth"


async def test_run_that_has_not_ended(client: httpx.AsyncClient) -> None:
    """Its rankings are not complete, so it is refused."""
    await client.post("/v1/test-sets", json=upload())
    run = {"test_set": "help", "endpoint": {"url": "http://127.0.0.1:9/"}}
    made = (await client.post("/v1/runs", json=run)).json()
    answer = await client.post("/v1/judgings", json={"test_set": "help", "runs": [made["id"]]})
    assert answer.json()["errors"][0]["pointer"] == "/runs/0"


async def test_same_key_makes_one_judging_and_one_job(client: httpx.AsyncClient) -> None:
    """Repeated requests under an idempotency key are answered the same and make nothing new."""
    await client.post("/v1/test-sets", json=upload())
    body = {"test_set": "help", "endpoints": [{"url": "http://127.0.0.1:9/"}]}
    headers = {"Idempotency-Key": "once"}
    first = await client.post("/v1/judgings", json=body, headers=headers)
    second = await client.post("/v1/judgings", json=body, headers=headers)
    assert first.json() == second.json()
    listed = (await client.get("/v1/judgings")).json()["items"]
    assert [one["id"] for one in listed] == [first.json()["id"]]
    path = first.headers["Location"]
    jobs = {
        (await client.post(f"{path}/pool", headers={"Idempotency-Key": "pool"})).json()["job"]
        for _ in range(2)
    }
    assert len(jobs) == 1


async def test_job_that_killed_its_workers_leaves_a_failed_judging(
    client: httpx.AsyncClient, store: Store, redis_url: str
) -> None:
    """Three deaths end the job; the judging says so, and can be pooled again."""
    with serve_answers(search()) as endpoint:
        path = await make(client, endpoint.url)
        job = (await client.post(f"{path}/pool")).json()["job"]
        for owner in "abc":
            assert await store.claims.claim("default", job, owner=owner, lease_s=0.01)
            await asyncio.sleep(0.02)
        await work(redis_url)
        found = (await client.get(path)).json()
        assert (found["state"], found["error"]) == ("failed", "worker_crashed")
        assert (await pool(client, path, redis_url))["state"] == "pooled"


async def test_job_that_is_gone_is_told_as_a_failure(
    client: httpx.AsyncClient, redis_url: str
) -> None:
    """A judging whose job vanished from the store does not look busy for ever."""
    path = await make(client, "http://127.0.0.1:9/")
    job = (await client.post(f"{path}/pool")).json()["job"]
    with redis.Redis.from_url(redis_url) as server:
        server.delete(f"t:default:jst:{job}")
    found = (await client.get(path)).json()
    assert (found["state"], found["error"]) == ("failed", "internal_error")


async def test_judging_waits_as_long_as_asked(client: httpx.AsyncClient, redis_url: str) -> None:
    """`wait` holds the answer until no job is at work on it."""
    with serve_answers(search()) as endpoint:
        path = await make(client, endpoint.url)
        await client.post(f"{path}/pool")
        working = asyncio.create_task(work(redis_url))
        found = (await client.get(path, params={"wait": 20})).json()
        await working
    assert found["state"] == "pooled"


async def test_sizes_count_judgings(client: httpx.AsyncClient, redis_url: str) -> None:
    """A judging's bytes are in the team's usage until it is deleted."""
    path = await ready(client, redis_url)
    with redis.Redis.from_url(redis_url) as server:
        judging = path.rpartition("/")[2]
        assert int(server.hget("t:default:sizes", judging) or 0) > 2_000
        await client.delete(path)
        assert server.hget("t:default:sizes", judging) is None
        assert not server.keys(f"t:default:jdg:{judging}*")


async def test_agreement_is_measured_on_the_sample(
    client: httpx.AsyncClient, redis_url: str
) -> None:
    """A person who knows the right grades shows the judge's confusion; two people are compared."""
    path = await ready(client, redis_url, votes=3)
    sample = [row for row in await list_review(client, path) if row["reason"] == "audit"]
    right = {
        (row["query_id"], row["doc_id"]): GRADES.get((row["query"], TEXTS[row["doc_id"]]), 0)
        for row in sample
    }
    for rater, shift in (("ada", 0), ("bob", 1)):
        votes = [
            {"query_id": q, "doc_id": d, "grade": min(grade + shift, 3), "rater": rater}
            for (q, d), grade in right.items()
        ]
        await client.post(f"{path}/votes", json={"votes": votes[:: 1 + shift]})
    begun = await client.post(f"{path}/measure")
    await work(redis_url)
    found = (await client.get(begun.headers["Location"])).json()["report"]["measurement"]
    assert (found["sampled"], found["reviewed"]) == (len(sample), len(sample))
    assert found["agreement"]["stratified"] is True
    assert sum(map(sum, found["agreement"]["matrix"])) == len(sample)
    assert found["raters"]["raters"] == ["ada", "bob"]
    assert found["raters"]["shared"] == (len(sample) + 1) // 2


async def test_agreement_before_anybody_voted(client: httpx.AsyncClient, redis_url: str) -> None:
    """There is nothing to compare, which is no agreement of 0; without a pool it is refused."""
    early = await make(client, "http://127.0.0.1:9/")
    refused = await client.post(f"{early}/measure")
    assert (refused.status_code, refused.json()["code"]) == (409, "judging_incomplete")
    path = await ready(client, redis_url)
    begun = await client.post(f"{path}/measure")
    await work(redis_url)
    found = (await client.get(begun.headers["Location"])).json()["report"]["measurement"]
    assert (found["agreement"], found["reviewed"], found["raters"]["shared"]) == (None, 0, 0)


async def test_scorecard_exposes_a_judge_that_always_says_3(
    client: httpx.AsyncClient, redis_url: str
) -> None:
    """It gives texts of other subjects the top grade, and never anything else."""
    path = await ready(client, redis_url)
    votes = [{"query_id": f"q{at}", "doc_id": f"d{at}0", "grade": 3} for at in range(6)]
    await client.post(f"{path}/votes", json={"votes": votes})
    cards = []
    with serve_judge(oracle()) as fake:
        for scenario in ("ok", "always_3"):
            body = {"model": model(fake.url, scenario)}
            begun = await client.post(f"{path}/scorecard", json=body)
            await work(redis_url)
            job = (await client.get(begun.headers["Location"])).json()
            cards.append(job["report"]["scorecard"])
    assert [card["constant"] for card in cards] == [False, True]
    assert "negative" in cards[1]["exposed"]
    assert "negative" not in cards[0]["exposed"]
    assert cards[1]["grades"][:3] == [0, 0, 0]
    assert {probe["failed"] for card in cards for probe in card["probes"]} == {0}


async def test_runs_warn_of_a_judge_of_the_endpoints_family(
    client: httpx.AsyncClient, redis_url: str
) -> None:
    """Also on a later version of the frozen set; an endpoint of another family is not warned."""
    path = await ready(client, redis_url, model_family="gpt")
    frozen = (await client.post(f"{path}/freeze", json={})).json()["frozen"]
    change = {"judgments": [{"query_id": "q1", "id": "elsewhere", "grade": 1}]}
    child = await client.post(f"/v1/test-sets/{frozen['id']}/versions", json=change)
    assert child.status_code == 201, child.text
    told = []
    with serve_answers(search()) as endpoint:
        for test_set, family in (
            (frozen["id"], "GPT"),
            (child.json()["id"], "gpt"),
            (frozen["id"], "llama"),
            (frozen["id"], ""),
        ):
            body = {
                "test_set": test_set,
                "endpoint": {"url": endpoint.url, "model_family": family},
            }
            run = (await client.post("/v1/runs", json=body)).json()["id"]
            while (results := await client.get(f"/v1/runs/{run}/results")).status_code != 200:
                await work(redis_url)
            codes = [one["code"] for one in results.json()["diagnostics"]]
            told.append(("pooled_judgments" in codes, "judge_same_family" in codes))
    assert told == [(True, True), (True, True), (True, False), (True, False)]
