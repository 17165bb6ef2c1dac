"""Every creating request of the app, repeated under its idempotency key."""

import asyncio
from typing import Any

import httpx
import pytest
import redis

from reteval.contract.api_keys import Scope
from service.api.idempotency import HEADER as KEY
from service.api.idempotency import SECRET_ERRORS
from service.api.openapi import list_operations
from service.app import create_app
from service.errors import ShownOnceError
from service.settings import Settings
from service.store.keys import DEFAULT_TENANT
from service.store.store import Store
from tests.factories import stored_key
from tests.unit.service.api.conftest import Opens
from tests.unit.service.api.ended import TEST_SET, end_run, run_body
from tests.unit.service.api.stored import count_stored, snapshot
from tests.unit.service.api.teams import ADDRESS, Belongings, bearer, own

POSTS = {
    one.operation.id: one
    for one in list_operations(create_app(Settings.from_env({})).routes)
    if one.method == "post"
}
CREATING = {name: one for name, one in POSTS.items() if KEY in one.operation.headers}
SECRET = [name for name, one in CREATING.items() if ShownOnceError in one.operation.errors]
HARMLESS = {
    "createBackup": "stores nothing",
    "createRestore": "what is there with the same content is skipped",
    "evaluateGate": "stores nothing, but for a comparison, of which there is one a question",
    "planPower": "stores nothing",
    "sampleQueries": "stores nothing",
    "cancelJudging": "a job is cancelled once",
    "cancelRun": "a run is cancelled once",
    "cancelSuiteRun": "its runs are cancelled once",
    "pauseSchedule": "a schedule is paused or not",
    "pinRun": "a run is pinned or not",
}
"""What else is posted, and why it may be posted twice."""

STEPS = (
    "poolJudging",
    "judgeJudging",
    "estimateJudge",
    "tryJudge",
    "measureJudging",
    "scoreJudge",
    "createVotes",
    "freezeJudging",
)
"""Steps of a judging, which must have come so far: see `test_judging_steps`."""
REPEATED = [name for name in CREATING if name not in STEPS]

FAQ = b"question,url\nHow do I pay?,/pay\n"
PREVIEW = {"queries": ["reset my password"], "adversarial": {"preset": "quick"}}
PARTS = (("request", b'{"test_set": "ended"}'), ("rankings", b'{"query_id": "q1", "ids": ["d"]}\n'))
RANKINGS = (
    b"".join(
        b'--b\r\nContent-Disposition: form-data; name="%s"; filename="f"\r\n\r\n%s\r\n'
        % (name.encode(), content)
        for name, content in PARTS
    )
    + b"--b--\r\n"
)


def body_of(name: str, ids: Belongings, key: str) -> dict[str, Any]:
    """Return httpx's words for a body of an operation; what has a name gets the key's."""
    called = key.strip('"')
    run_id = ids.of["run_id"]
    documents: dict[str, Any] = {
        "createRun": run_body(),
        "uploadTestSet": TEST_SET | {"name": "other"},
        "createVersion": {"queries": [{"query": "another one", "relevant_ids": ["d"]}]},
        "createComparison": {"baseline": run_id, "candidate": run_id},
        "rescoreRun": {},
        "retryRun": {},
        "createProbe": {"endpoint": {"url": ADDRESS}, "queries": [{"query": "a"}]},
        "createPreview": PREVIEW,
        "createLeakageCheck": {"test_set": "ended"},
        "createJudging": {"test_set": ids.of["test_set"], "endpoints": [{"url": ADDRESS}]},
        "splitTestSet": {"holdout": 0.5},
        "createSuite": {"name": called, "test_sets": [TEST_SET["name"]]},
        "startSuite": {"endpoint": {"url": ADDRESS}},
        "saveEndpoint": {"name": called, "endpoint": {"url": ADDRESS}},
        "createKey": {"name": "ci", "scopes": ["runs:read"]},
        "createTeam": {"id": called, "name": "a team"},
        "createGrant": {"to": "*", "label": called},
        "createLink": {},
        "createWebhook": {"url": ADDRESS},
        "rotateWebhook": {"grace_s": 60},
        "createSchedule": {"name": "daily", "cron": "0 3 * * *", "run": run_body()},
        "createAlert": {"name": "failed", "gate": {"min_queries": 2}},
    }
    if name == "scoreRankings":
        return {
            "content": RANKINGS,
            "headers": {"Content-Type": "multipart/form-data; boundary=b", KEY: key},
        }
    if name == "importFaq":
        return {"content": FAQ, "headers": {"Content-Type": "text/csv", KEY: key}}
    if name in ("rotateKey", "pingWebhook", "replayDelivery", "startSchedule"):
        return {"headers": {KEY: key}}
    return {"json": documents[name], "headers": {KEY: key}}


async def post(
    client: httpx.AsyncClient, name: str, ids: Belongings, key: str, **headers: str
) -> httpx.Response:
    """Send an operation under a key."""
    words = body_of(name, ids, key)
    words["headers"] |= headers
    return await client.post(ids.put_into(POSTS[name].path), **words)


def test_every_post_is_creating_or_harmless() -> None:
    """A new POST that takes no key fails the build, unless it says why it needs none."""
    assert set(POSTS) == set(CREATING) | set(HARMLESS)
    assert not set(CREATING) & set(HARMLESS)
    for one in CREATING.values():
        assert set(SECRET_ERRORS[:2]) <= set(one.operation.errors)
        assert all("Idempotent-Replayed" in made.headers for made in one.operation.answers.values())


@pytest.mark.parametrize("name", REPEATED)
async def test_repeated_request_is_answered_the_same(
    client: httpx.AsyncClient, store: Store, redis_url: str, name: str
) -> None:
    """Status, address and body are the first ones, byte for byte, and nothing is changed."""
    ids = await own(client, store)
    first = await post(client, name, ids, "k-1")
    assert first.is_success, first.text
    stored = snapshot(redis_url)
    again = await post(client, name, ids, '"k-1"')
    assert (again.status_code, again.content) == (first.status_code, first.content)
    for header in ("Location", "Content-Type"):
        assert again.headers.get(header) == first.headers.get(header)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in first.headers
    assert snapshot(redis_url) == stored


@pytest.mark.parametrize("name", REPEATED)
async def test_fifty_at_once_make_one(
    client: httpx.AsyncClient, store: Store, redis_url: str, name: str
) -> None:
    """Fifty copies at once are answered the first answer, or that it is under way; one is made."""
    ids = await own(client, store)
    assert (await post(client, name, ids, "before")).is_success
    alone = count_stored(redis_url)
    answers = await asyncio.gather(*(post(client, name, ids, "once") for _ in range(50)))
    passed = {answer.content for answer in answers if answer.is_success}
    late = {answer.json()["code"] for answer in answers if not answer.is_success}
    assert len(passed) == 1
    # Between making a secret and keeping the answer, others find what was made, and no secret.
    assert late <= {"idempotency_conflict", *(("shown_once",) if name in SECRET else ())}
    assert all(
        answer.headers["Retry-After"] == "1"
        for answer in answers
        if not answer.is_success and answer.json()["code"] == "idempotency_conflict"
    )
    made = count_stored(redis_url) - alone
    once = await post(client, name, ids, "another")
    assert once.is_success
    assert count_stored(redis_url) - alone - made == made


async def test_streamed_test_set_is_made_once(client: httpx.AsyncClient) -> None:
    """A body that is stored as it arrives is one request, too."""
    line = b'{"query": "a", "relevant_ids": ["d"]}\n'
    headers = {"Content-Type": "application/x-ndjson", KEY: "k"}
    path = "/v1/test-sets?name=lines"
    answers = await asyncio.gather(
        *(client.post(path, content=line, headers=headers) for _ in range(20))
    )
    assert len({answer.content for answer in answers if answer.is_success}) == 1
    last = await client.post(path, content=line, headers=headers)
    assert (last.status_code, last.headers["Idempotent-Replayed"]) == (201, "true")
    assert len((await client.get("/v1/test-sets")).json()["items"]) == 1


SECRET_FIELDS = {"createLink": "token"}


@pytest.mark.parametrize("name", SECRET)
async def test_secret_is_not_kept_in_the_clear(
    client: httpx.AsyncClient, store: Store, redis_url: str, name: str
) -> None:
    """The store's idempotency entry holds the answer, and not the secret in it."""
    ids = await own(client, store)
    made = await post(client, name, ids, "k")
    secret = made.json()[SECRET_FIELDS.get(name, "secret")].encode()
    with redis.Redis.from_url(redis_url) as server:
        entries = [server.hgetall(entry) for entry in server.scan_iter("t:*:idempotency:*")]
        everything = b"".join(server.dump(key) or b"" for key in server.scan_iter())
    assert any(b"answer" in entry for entry in entries)
    assert secret not in b"".join(value for entry in entries for value in entry.values())
    assert secret not in everything


@pytest.mark.parametrize("name", [name for name in SECRET if "Webhook" not in name])
async def test_secret_without_an_operators_key_is_told_once(
    opens: Opens, store: Store, redis_url: str, name: str
) -> None:
    """The repeated request makes nothing, and says that the secret is gone and what to do."""
    async with opens(redis_url) as client:
        ids = await own(client, store)
    async with opens(redis_url, RETEVAL_SECRET_KEY="") as client:
        first = await post(client, name, ids, "k")
        assert first.is_success
        stored = snapshot(redis_url)
        again = await post(client, name, ids, "k")
    assert (again.status_code, again.json()["code"]) == (409, "shown_once")
    assert "Rotate" in again.json()["detail"]
    assert snapshot(redis_url) == stored


@pytest.mark.parametrize("name", SECRET)
async def test_secret_that_cannot_be_opened_is_told_once(
    opens: Opens, store: Store, redis_url: str, name: str
) -> None:
    """After the operator has changed the key that seals, the kept answer is as good as none."""
    async with opens(redis_url) as client:
        ids = await own(client, store)
        assert (await post(client, name, ids, "k")).is_success
    async with opens(redis_url, RETEVAL_SECRET_KEY="A" * 43 + "=") as client:
        again = await post(client, name, ids, "k")
    assert (again.status_code, again.json()["code"]) == (409, "shown_once")


@pytest.mark.parametrize("name", SECRET)
async def test_secret_is_lost_with_the_process(
    client: httpx.AsyncClient, store: Store, redis_url: str, name: str
) -> None:
    """Who died between making and answering has made one; the next is told so, and makes none."""
    ids = await own(client, store)
    assert (await post(client, name, ids, "k")).is_success
    with redis.Redis.from_url(redis_url) as server:
        (entry,) = server.scan_iter("t:default:idempotency:*")
        server.hdel(entry, "answer")
    stored = snapshot(redis_url)
    again = await post(client, name, ids, "k")
    assert (again.status_code, again.json()["code"]) == (409, "shown_once")
    assert snapshot(redis_url) == stored


@pytest.mark.parametrize("name", [name for name in REPEATED if name not in SECRET])
async def test_what_a_dead_process_made_is_answered(
    client: httpx.AsyncClient, store: Store, redis_url: str, name: str
) -> None:
    """Who died between making and answering has made one, which the next is shown."""
    ids = await own(client, store)
    first = await post(client, name, ids, "k")
    with redis.Redis.from_url(redis_url) as server:
        (entry,) = server.scan_iter("t:default:idempotency:*")
        server.hdel(entry, "answer")
    stored = count_stored(redis_url)
    again = await post(client, name, ids, "k")
    assert again.is_success
    assert again.headers.get("Location") == first.headers.get("Location")
    assert again.json().get("id") == first.json().get("id")
    assert count_stored(redis_url) == stored


async def test_secret_is_for_the_key_that_asked(guarded: httpx.AsyncClient, store: Store) -> None:
    """A colleague who knows the request, and has fewer rights, gets no admin's key by it."""
    ids = await own(guarded, store)
    admin = bearer(await stored_key(store, Scope.ADMIN))
    lesser = bearer(await stored_key(store, Scope.KEYS_ADMIN))
    body = {"name": "root", "scopes": ["admin"]}
    sent = [
        await guarded.post("/v1/keys", json=body, headers={KEY: "k", **who})
        for who in (admin, lesser, admin)
    ]
    assert [answer.status_code for answer in sent] == [201, 403, 201]
    assert sent[0].content == sent[2].content
    webhook = await post(guarded, "createWebhook", ids, "k", **admin)
    other = await post(guarded, "createWebhook", ids, "k", **bearer(await writer(store)))
    assert webhook.json()["id"] != other.json()["id"]


async def writer(store: Store) -> str:
    """Return a key that may write runs."""
    return await stored_key(store, Scope.RUNS_WRITE)


async def test_grant_that_was_taken_back_stays_so(
    client: httpx.AsyncClient, store: Store, redis_url: str
) -> None:
    """What a key granted is not granted again by its repetition, kept answer or not."""
    ids = await own(client, store)
    made = await post(client, "createGrant", ids, "k")
    await client.delete(made.headers["Location"])
    again = await post(client, "createGrant", ids, "k")
    assert (again.status_code, again.content) == (201, made.content)
    with redis.Redis.from_url(redis_url) as server:
        (entry,) = server.scan_iter("t:default:idempotency:*")
        server.hdel(entry, "answer")
    assert (await post(client, "createGrant", ids, "k")).status_code == 404
    given = {grant.id for grant in await store.grants.given(DEFAULT_TENANT)}
    assert made.json()["id"] not in given


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


async def test_key_counts_for_its_route(client: httpx.AsyncClient, store: Store) -> None:
    """The same key on another route is another key."""
    ids = await own(client, store)
    made = [await post(client, name, ids, "same") for name in REPEATED]
    assert all(answer.is_success for answer in made)
    assert all("Idempotent-Replayed" not in answer.headers for answer in made)


async def test_deleted_run_is_still_answered(
    client: httpx.AsyncClient, store: Store, ended_run: str
) -> None:
    """Deleting what a key made frees no key: its answer stays, and nothing is made anew."""
    headers = {KEY: "k"}
    first = await client.post("/v1/runs", json=run_body(), headers=headers)
    await end_run(store, first.json()["id"])
    assert (await client.delete(first.headers["Location"])).status_code == 204
    assert (await client.delete(f"/v1/runs/{ended_run}")).status_code == 204
    test_set = (await client.get("/v1/test-sets/ended")).json()["id"]
    assert (await client.delete(f"/v1/test-sets/{test_set}")).status_code == 204
    again = await client.post("/v1/runs", json=run_body(), headers=headers)
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
