"""A judge at work: what goes wrong, what is asked again, what is spent, and what a death costs."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import redis

from examples.judge.oracle import LENIENT
from examples.judge.server import JudgeServer, serve_judge
from service.queue import RUNS
from tests.endpoint import Endpoint, serve_answers
from tests.judging import judge, list_pairs, make, model, oracle, pool, search, work
from tests.unit.service.api.conftest import ENVIRONMENT

PAIRS = 23
"""In the pool without a known grade: of 25 pairs two are known."""


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """Serve the corpus."""
    with serve_answers(search()) as served:
        yield served


@pytest.fixture
def fake() -> Iterator[JudgeServer]:
    """Serve a judge that makes no mistake of its own."""
    with serve_judge(oracle(), delay_s=0.2) as served:
        yield served


async def pooled(
    client: httpx.AsyncClient, endpoint: Endpoint, redis_url: str, **changes: Any
) -> str:
    """Return the path of a judging with a pool."""
    path = await make(client, endpoint.url, **changes)
    await pool(client, path, redis_url)
    return path


def progress(judging: dict[str, Any]) -> dict[str, Any]:
    """Return how far the last judge is."""
    found: dict[str, Any] = judging["judges"][-1]["progress"]
    return found


def count_votes(pairs: list[dict[str, Any]]) -> list[int]:
    """Return how many graded votes of models each pair has."""
    return [sum("grade" in vote for vote in row["votes"]) for row in pairs]


@pytest.mark.parametrize(
    "scenario",
    ["ok", "fenced", "think", "rejects_json_object", "rejects_json_schema", "500_then_ok"],
)
async def test_grades_are_read_whatever_the_server_is_like(
    client: httpx.AsyncClient, endpoint: Endpoint, fake: JudgeServer, redis_url: str, scenario: str
) -> None:
    """Fences, thoughts, forms it does not take, and a stumble: the grades are the right ones."""
    path = await pooled(client, endpoint, redis_url)
    judged = await judge(client, path, redis_url, model=model(fake.url, scenario))
    assert (judged["state"], progress(judged)["judged"]) == ("judged", PAIRS)
    for row in await list_pairs(client, path, status="judged"):
        subject, part = row["pair"]["doc_id"][1:]
        right = 3 - int(part) if subject == row["query_id"][1:] else 0
        assert row["grade"] == right


@pytest.mark.parametrize(
    ("scenario", "code"),
    [
        ("prose", "invalid_grade"),
        ("null", "null_content"),
        ("refusal", "refusal"),
        ("filtered", "content_filter"),
        ("length", "truncated"),
        ("float_grade", "invalid_grade"),
        ("out_of_range", "invalid_grade"),
        ("tool_call", "tool_call"),
        ("error_200", "reported"),
        ("400", "http_4xx"),
        ("401", "endpoint_auth"),
    ],
)
async def test_what_is_no_grade_is_a_failure_and_never_0(
    client: httpx.AsyncClient,
    endpoint: Endpoint,
    fake: JudgeServer,
    redis_url: str,
    scenario: str,
    code: str,
) -> None:
    """Every pair has failed with its code, none has a grade, and freezing is refused."""
    path = await pooled(client, endpoint, redis_url)
    judged = await judge(client, path, redis_url, model=model(fake.url, scenario))
    assert (judged["state"], judged["error"]) == ("failed", code)
    assert progress(judged)["failures"] == {code: PAIRS}
    rows = await list_pairs(client, path, status="failed")
    assert len(rows) == PAIRS
    assert all(row["grade"] is None for row in rows)
    refused = await client.post(f"{path}/freeze", json={})
    assert (refused.status_code, refused.json()["code"]) == (409, "judging_incomplete")


async def test_server_that_asks_for_time_gets_it(
    client: httpx.AsyncClient, endpoint: Endpoint, fake: JudgeServer, redis_url: str
) -> None:
    """After a 429 with `Retry-After` every pair is judged, each asked about twice."""
    path = await pooled(client, endpoint, redis_url, depth=1)
    judged = await judge(client, path, redis_url, model=model(fake.url, "429_retry_after"))
    assert (judged["state"], progress(judged)["failed"]) == ("judged", 0)
    assert len(fake.log) == 2 * progress(judged)["judged"]


async def test_nothing_listens(
    client: httpx.AsyncClient, endpoint: Endpoint, redis_url: str
) -> None:
    """A model that is not there: the judging has failed, and nothing is graded."""
    path = await pooled(client, endpoint, redis_url, depth=2)
    gone = model("http://127.0.0.1:9/v1", limits={"retries": 0, "timeout_s": 1, "concurrency": 1})
    judged = await judge(client, path, redis_url, model=gone)
    assert (judged["state"], judged["error"]) == ("failed", "connect")
    assert await list_pairs(client, path, status="judged") == []


async def test_failed_pairs_alone_are_asked_again(
    client: httpx.AsyncClient, endpoint: Endpoint, redis_url: str
) -> None:
    """The same judge once more: what it has judged is left, what failed is not; both stay."""
    path = await pooled(client, endpoint, redis_url)
    with serve_judge(oracle()) as fake, serve_judge(oracle()) as twin:
        broken: list[str] = []

        def find(prompt: str) -> Any:
            if "refund" in prompt and not broken:
                raise ValueError("the judge stumbles")
            return type(twin.oracle).find(twin.oracle, prompt)

        fake.oracle.find = find  # type: ignore[method-assign]
        first = await judge(client, path, redis_url, model=model(fake.url))
        assert progress(first)["failed"] > 0
        left = progress(first)["failed"]
        broken.append("mended")
        asked = len(fake.log)
        second = await judge(client, path, redis_url, model=model(fake.url))
    assert len(fake.log) - asked == left
    assert (second["state"], progress(second)["judged"]) == ("judged", PAIRS)
    rows = await list_pairs(client, path)
    assert sum(len(row["votes"]) for row in rows) == PAIRS + left
    assert {len(row["votes"]) for row in rows if row["status"] == "judged"} == {1, 2}


async def test_votes_differ_and_are_all_kept(
    client: httpx.AsyncClient, endpoint: Endpoint, redis_url: str
) -> None:
    """Three votes a pair, each with its own seed; the grade is the middle one."""
    path = await pooled(client, endpoint, redis_url)
    with serve_judge(oracle(LENIENT)) as fake:
        await judge(client, path, redis_url, model=model(fake.url), votes=3)
        assert len(fake.log) == 3 * PAIRS
    for row in await list_pairs(client, path, status="judged"):
        (vote,) = row["votes"]
        cast = [one["grade"] for one in vote["casts"]]
        assert len(cast) == 3
        assert vote["grade"] == sorted(cast)[1]


async def test_chances_are_read_from_logprobs(
    client: httpx.AsyncClient, endpoint: Endpoint, redis_url: str
) -> None:
    """A bare digit is asked for, and no form; the chances of all grades add up to 1."""
    path = await pooled(client, endpoint, redis_url)
    with serve_judge(oracle(LENIENT)) as fake:
        await judge(client, path, redis_url, model=model(fake.url, "logprobs"), logprobs=True)
        assert {"response_format" in one.body for one in fake.log} == {False}
    rows = await list_pairs(client, path, status="judged")
    assert len(rows) == PAIRS
    for row in rows:
        probs = row["votes"][0]["probs"]
        assert len(probs) == 4
        assert sum(probs) == pytest.approx(1)


async def test_known_answers_are_not_paid_for(
    client: httpx.AsyncClient, endpoint: Endpoint, fake: JudgeServer, redis_url: str
) -> None:
    """Another judging of the same texts by the same judge makes no call at all."""
    path = await pooled(client, endpoint, redis_url)
    await judge(client, path, redis_url, model=model(fake.url))
    other = await pooled(client, endpoint, redis_url)
    calls = len(fake.log)
    judged = await judge(client, other, redis_url, model=model(fake.url))
    assert len(fake.log) == calls
    spent = progress(judged)["spent"]
    assert (spent["calls"], spent["cached"], spent["cost"]) == (0, PAIRS, 0)


@pytest.mark.parametrize(
    "caps",
    [
        {"max_pairs": 5},
        {"max_tokens": 2_500},
        {"max_cost": 0.0025, "prices": {"prompt": 1, "completion": 1}},
    ],
)
async def test_caps_hold_and_a_higher_one_goes_on(
    client: httpx.AsyncClient,
    endpoint: Endpoint,
    fake: JudgeServer,
    redis_url: str,
    caps: dict[str, Any],
) -> None:
    """At a cap the judging stops with what it has; with more, only the rest is asked about."""
    path = await pooled(client, endpoint, redis_url)
    stopped = await judge(client, path, redis_url, model=model(fake.url), caps=caps)
    assert stopped["state"] == "budget_exhausted"
    done = progress(stopped)
    assert 0 < done["judged"] < PAIRS
    assert done["judged"] <= caps.get("max_pairs", PAIRS)
    spent = done["spent"]
    assert spent["prompt_tokens"] + spent["completion_tokens"] <= 2_500
    assert len(await list_pairs(client, path, status="judged")) == done["judged"]
    ended = await judge(client, path, redis_url, model=model(fake.url))
    assert (ended["state"], progress(ended)["judged"]) == ("judged", PAIRS)
    assert len(fake.log) == PAIRS


async def test_cancelled_judging_keeps_what_it_has(
    client: httpx.AsyncClient, endpoint: Endpoint, redis_url: str
) -> None:
    """A cancellation is seen within seconds; judged again, nothing is asked about twice."""
    path = await pooled(client, endpoint, redis_url)
    with serve_judge(oracle(), delay_s=0.3) as fake:
        slow = model(fake.url, "slow", limits={"concurrency": 1, "timeout_s": 5})
        await client.post(f"{path}/judge", json={"model": slow})
        working = asyncio.create_task(work(redis_url))
        while len(fake.log) < 3:
            await asyncio.sleep(0.05)
        asked = await client.post(f"{path}/cancel")
        assert asked.status_code == 202
        await working
        stopped = (await client.get(path)).json()
        assert stopped["state"] == "cancelled"
        assert 0 < progress(stopped)["judged"] < PAIRS
        again = await client.post(f"{path}/cancel")
        assert (again.status_code, again.json()["code"]) == (409, "already_terminal")
        fake.delay_s = 0
        ended = await judge(client, path, redis_url, model=slow)
    assert (ended["state"], progress(ended)["judged"]) == ("judged", PAIRS)
    assert count_votes(await list_pairs(client, path)).count(1) == PAIRS


@contextlib.contextmanager
def start_worker(redis_url: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a worker as a program of its own until the block ends."""
    environ = {
        **os.environ,
        **ENVIRONMENT,
        "RETEVAL_REDIS_URL": redis_url,
        "RETEVAL_LEASE_S": "2",
    }
    command = [sys.executable, "-m", "worker", "--queue", RUNS]
    with subprocess.Popen(command, env=environ, start_new_session=True) as process:
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


async def test_worker_killed_in_the_middle(
    client: httpx.AsyncClient, endpoint: Endpoint, redis_url: str
) -> None:
    """After SIGKILL another worker ends the judging: each pair once in the record, none lost."""
    path = await pooled(client, endpoint, redis_url)
    with serve_judge(oracle(), delay_s=0.15) as fake:
        slow = model(fake.url, "slow", limits={"concurrency": 2, "timeout_s": 5})
        with start_worker(redis_url):
            await client.post(f"{path}/judge", json={"model": slow})
            deadline = time.monotonic() + 60
            while len(fake.log) < 8 and time.monotonic() < deadline:
                await asyncio.sleep(0.02)
        before = len(fake.log)
        assert 8 <= before < PAIRS
        remembered = count_keys(redis_url, "t:default:judge-answers:*")
        await asyncio.sleep(2.2)  # the lease of the dead
        await work(redis_url)
        judged = (await client.get(path)).json()
        assert (judged["state"], progress(judged)["judged"]) == ("judged", PAIRS)
        rows = await list_pairs(client, path)
        assert count_votes(rows).count(1) == PAIRS
        assert max(count_votes(rows)) == 1
        # What was under way when it died is asked again, and nothing that was remembered.
        assert len(fake.log) - before == PAIRS - remembered
        assert remembered >= before - 2


def count_keys(redis_url: str, pattern: str) -> int:
    """Count the keys that fit a pattern."""
    with redis.Redis.from_url(redis_url) as server:
        return len(server.keys(pattern))  # type: ignore[arg-type]


async def test_secrets_are_neither_shown_nor_stored(
    client: httpx.AsyncClient, endpoint: Endpoint, fake: JudgeServer, redis_url: str
) -> None:
    """The key arrives at the model; it is in no answer and in no key of the store."""
    path = await pooled(client, endpoint, redis_url)
    secret = "sk-can-you-keep-this"  # noqa: S105 - made up
    asked = model(fake.url, key=secret, headers={"X-Team": secret})
    tried = await client.post(f"{path}/try", json={"model": asked})
    judged = await judge(client, path, redis_url, model=asked)
    assert {one.headers["authorization"] for one in fake.log} == {f"Bearer {secret}"}
    shown = (await client.get(tried.json()["links"]["self"])).text
    told = [json.dumps(judged), shown, json.dumps(await list_pairs(client, path))]
    assert all(secret not in text for text in told)
    with redis.Redis.from_url(redis_url) as server:
        stored = b"".join(server.dump(name) or b"" for name in server.keys("*"))  # type: ignore[union-attr]
    assert secret.encode() not in stored
