import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
import redis

from service.store.store import Store
from tests.unit.service.api.ended import TEST_SET, end_run, run_body

KEY = "Idempotency-Key"
RANKING = b'{"query_id": "q1", "ids": ["d1"]}\n'
ENDPOINT = {"name": "prod", "endpoint": {"url": "http://127.0.0.1:9/search"}}
PREVIEW = {"queries": ["reset my password"], "adversarial": {"preset": "quick"}}

Post = Callable[[httpx.AsyncClient, str], Awaitable[httpx.Response]]


def json_to(path: str, body: dict[str, Any]) -> Post:
    """Return a function that posts a body under a key."""

    async def post(client: httpx.AsyncClient, key: str) -> httpx.Response:
        return await client.post(path, json=body, headers={KEY: key})

    return post


async def post_lines(client: httpx.AsyncClient, key: str) -> httpx.Response:
    """Upload a test set as a stream."""
    return await client.post(
        "/v1/test-sets?name=lines",
        content=b'{"query": "a", "relevant_ids": ["d"]}\n',
        headers={"Content-Type": "application/x-ndjson", KEY: key},
    )


async def post_rankings(client: httpx.AsyncClient, key: str) -> httpx.Response:
    """Upload rankings, the same bytes each time."""
    parts = [("request", b'{"test_set": "ended"}'), ("rankings", RANKING)]
    body = b"".join(
        b'--b\r\nContent-Disposition: form-data; name="%s"; filename="f"\r\n\r\n%s\r\n'
        % (name.encode(), content)
        for name, content in parts
    )
    return await client.post(
        "/v1/rankings",
        content=body + b"--b--\r\n",
        headers={"Content-Type": "multipart/form-data; boundary=b", KEY: key},
    )


async def post_comparison(client: httpx.AsyncClient, key: str) -> httpx.Response:
    """Compare the run `first` with itself."""
    run_id = (await client.get("/v1/runs?label=first")).json()["items"][-1]["id"]
    body = {"baseline": run_id, "candidate": run_id}
    return await client.post("/v1/comparisons", json=body, headers={KEY: key})


async def post_retry(client: httpx.AsyncClient, key: str) -> httpx.Response:
    """Send again what the run `first` has no answer to."""
    run_id = (await client.get("/v1/runs?label=first")).json()["items"][-1]["id"]
    return await client.post(f"/v1/runs/{run_id}/retry", json={}, headers={KEY: key})


async def post_rescoring(client: httpx.AsyncClient, key: str) -> httpx.Response:
    """Rescore the run `first`."""
    run_id = (await client.get("/v1/runs?label=first")).json()["items"][-1]["id"]
    return await client.post(f"/v1/runs/{run_id}/rescore", json={}, headers={KEY: key})


CREATING = {
    "run": json_to("/v1/runs", run_body()),
    "test set": json_to("/v1/test-sets", TEST_SET | {"name": "other"}),
    "lines": post_lines,
    "rankings": post_rankings,
    "comparison": post_comparison,
    "rescoring": post_rescoring,
    "retry": post_retry,
    "probe": json_to("/v1/probes", {"endpoint": ENDPOINT["endpoint"], "queries": [{"query": "a"}]}),
    "preview": json_to("/v1/adversarial/preview", PREVIEW),
    "endpoint": json_to("/v1/endpoints", ENDPOINT),
}


def count_keys(url: str) -> int:
    """Count what is stored, wake-up calls and idempotency entries aside."""
    with redis.Redis.from_url(url) as server:
        names = [name.decode() for name in server.scan_iter()]
    return sum(name.startswith("t:default:") and ":idempotency:" not in name for name in names)


@pytest.mark.parametrize("post", CREATING.values(), ids=list(CREATING))
async def test_repeated_request_is_answered_the_same(
    client: httpx.AsyncClient, ended_run: str, redis_url: str, post: Post
) -> None:
    """Status, address and body are the first ones, byte for byte, and nothing is made anew."""
    assert ended_run
    first = await post(client, "k-1")
    assert first.is_success, first.text
    stored = count_keys(redis_url)
    again = await post(client, '"k-1"')
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert again.headers["Location"] == first.headers["Location"]
    assert again.headers["Content-Type"] == first.headers["Content-Type"]
    assert again.headers["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in first.headers
    assert count_keys(redis_url) == stored


@pytest.mark.parametrize("name", [name for name in CREATING if name != "endpoint"])
async def test_fifty_at_once_make_one(
    client: httpx.AsyncClient, ended_run: str, redis_url: str, name: str
) -> None:
    """Fifty copies at once are answered the first answer, or that it is under way; one is made."""
    assert ended_run
    post = CREATING[name]
    await post(client, "before")
    alone = count_keys(redis_url)
    answers = await asyncio.gather(*(post(client, "once") for _ in range(50)))
    passed = {answer.content for answer in answers if answer.is_success}
    late = {answer.json()["code"] for answer in answers if not answer.is_success}
    assert len(passed) == 1
    assert late <= {"idempotency_conflict"}
    assert all(
        answer.headers["Retry-After"] == "1" for answer in answers if answer.status_code == 409
    )
    made = count_keys(redis_url) - alone
    once = await post(client, "another")
    assert once.is_success
    assert count_keys(redis_url) - alone - made == made


async def test_fifty_endpoints_at_once_save_one(client: httpx.AsyncClient) -> None:
    """A copy of the request that took the name is not told that the name is taken."""
    answers = await asyncio.gather(*(CREATING["endpoint"](client, "once") for _ in range(50)))
    assert len({answer.content for answer in answers if answer.is_success}) == 1
    late = {answer.json()["code"] for answer in answers if not answer.is_success}
    assert late <= {"idempotency_conflict"}
    assert len((await client.get("/v1/endpoints")).json()["items"]) == 1


async def test_another_request_under_the_key_is_refused(
    client: httpx.AsyncClient, ended_run: str
) -> None:
    """White space, another query string or another address make another request."""
    assert ended_run
    headers = {KEY: "k", "Content-Type": "application/json"}
    body = b'{"queries": [{"query": "a", "relevant_ids": ["d"]}]}'
    assert (await client.post("/v1/test-sets", content=body, headers=headers)).status_code == 201
    for path, content in (
        ("/v1/test-sets", body + b" "),
        ("/v1/test-sets", body.replace(b" ", b"")),
    ):
        other = await client.post(path, content=content, headers=headers)
        assert (other.status_code, other.json()["code"]) == (422, "idempotency_mismatch")
    waits = await client.post("/v1/adversarial/preview?wait=0", json=PREVIEW, headers=headers)
    assert waits.status_code == 202
    other = await client.post("/v1/adversarial/preview", json=PREVIEW, headers=headers)
    assert other.json()["code"] == "idempotency_mismatch"


async def test_key_counts_for_its_route(client: httpx.AsyncClient, ended_run: str) -> None:
    """The same key on another route is another key."""
    assert ended_run
    made = [await post(client, "same") for post in CREATING.values()]
    # The two uploads of a test set are one route, and so another request under one key.
    assert [answer.status_code for answer in made].count(422) == 1
    assert all("Idempotent-Replayed" not in answer.headers for answer in made)


async def test_deleted_run_is_still_answered(
    client: httpx.AsyncClient, store: Store, ended_run: str
) -> None:
    """Deleting what a key made frees no key: its answer stays, and nothing is made anew."""
    first = await CREATING["run"](client, "k")
    await end_run(store, first.json()["id"])
    assert (await client.delete(first.headers["Location"])).status_code == 204
    assert (await client.delete(f"/v1/runs/{ended_run}")).status_code == 204
    test_set = (await client.get("/v1/test-sets/ended")).json()["id"]
    assert (await client.delete(f"/v1/test-sets/{test_set}")).status_code == 204
    again = await CREATING["run"](client, "k")
    assert (again.status_code, again.content) == (202, first.content)
    assert (await client.get("/v1/runs")).json()["items"] == []


async def test_refused_request_keeps_no_key(client: httpx.AsyncClient, ended_run: str) -> None:
    """What was refused can be mended and sent again under the same key."""
    assert ended_run
    headers = {KEY: "k"}
    for body, status in (
        (run_body(test_set="none"), 404),
        (run_body(depth=5), 422),
        (run_body(endpoint={"url": "http://169.254.169.254/"}), 422),
        (run_body(), 202),
    ):
        answer = await client.post("/v1/runs", json=body, headers=headers)
        assert answer.status_code == status


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (["a b"], 400),
        ([""], 400),
        (['""'], 400),
        (["\xe9"], 400),
        (["x" * 256], 400),
        (["a", "a"], 400),
        (["x" * 255], 202),
        (['"' + "x" * 255 + '"'], 202),
        (['"'], 400),
        (['"a'], 400),
        (['a"'], 202),
    ],
)
async def test_key_is_short_visible_ascii(
    client: httpx.AsyncClient, ended_run: str, sent: list[str], status: int
) -> None:
    """1 to 255 visible characters, bare or quoted, once; nothing is made under another."""
    assert ended_run
    headers = [(KEY.encode(), key.encode("latin-1")) for key in sent]
    answer = await client.post("/v1/runs", json=run_body(label="keyed"), headers=headers)
    assert answer.status_code == status
    made = (await client.get("/v1/runs?label=keyed")).json()["items"]
    assert len(made) == (status == 202)
