"""Limits of two API processes on one store, met by clients with keys of their own.

No worker runs that would make room.
"""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from reteval import Client, ErrorCode, RateLimitedError, Retry
from service.embedded import EmbeddedServer
from service.locks import wait_until
from service.standalone import claim_port
from tests.service_process import ROOT, clean_environment

ADMIN = "operators-key-of-this-test"
ONCE = Retry(pauses_s=())
TEST_SET = {
    "name": "limited",
    "queries": [{"query": "reset my password", "relevant_ids": ["d1"], "grades": [3]}],
}
RUN = {"test_set": "limited", "endpoint": {"url": "http://192.0.2.1/search"}}


@contextmanager
def serving(store_url: str, log: Path) -> Iterator[str]:
    """Run an API process that asks for keys."""
    port = claim_port("127.0.0.1", 0)
    settings = {
        "RETEVAL_REDIS_URL": store_url,
        "RETEVAL_PORT": str(port),
        "RETEVAL_API_KEY": ADMIN,
        "RETEVAL_EGRESS_ALLOW": "192.0.2.1:80",
        "RETEVAL_QUOTA_QUEUED_RUNS": "7",
    }
    with (
        log.open("w") as output,
        subprocess.Popen(
            [sys.executable, "-m", "service", "serve"],
            cwd=ROOT,
            env=clean_environment() | settings,
            stdout=output,
            stderr=output,
        ) as process,
    ):
        try:
            assert wait_until(lambda: answers(f"http://127.0.0.1:{port}/healthz"), 60)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def answers(url: str) -> bool:
    """Tell whether an address answers."""
    try:
        return httpx.get(url).is_success
    except httpx.RequestError:
        return False


@pytest.fixture(scope="module")
def urls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Run two API processes on one store."""
    folder = tmp_path_factory.mktemp("limits")
    folder.chmod(0o700)
    with ExitStack() as held:
        store = held.enter_context(EmbeddedServer(folder))
        first, second = [
            held.enter_context(serving(store.url, folder / f"api{n}.log")) for n in range(2)
        ]
        yield first, second


def make_key(url: str, team: str) -> str:
    """Make a team with a key."""
    with Client(url, ADMIN) as admin:
        admin.create_team({"id": team, "name": team})
        scopes = ["testsets:write", "runs:write", "results:read"]
        return admin.create_key({"name": "k", "scopes": scopes, "team": team}).secret


def test_parallel_creates_fill_a_quota_exactly(urls: tuple[str, str]) -> None:
    """Of 50 clients at once, at two processes, seven start a run; another team is not affected."""
    key, others = make_key(urls[0], "busy"), make_key(urls[0], "quiet")

    def start(number: int) -> str | None:
        with Client(urls[number % 2], key, retry=ONCE) as client:
            try:
                client.run(RUN)
            except RateLimitedError as exc:
                return exc.code
            return None

    with Client(urls[0], key) as client, ThreadPoolExecutor(50) as pool:
        client.upload(TEST_SET)
        refused = sorted(filter(None, pool.map(start, range(50))))
        assert refused == [ErrorCode.QUOTA_EXCEEDED] * 43
        assert len(list(client.runs())) == 7
        queued = {quota.name: quota for quota in client.limits().quotas}["queued_runs"]
        assert (queued.limit, queued.used, queued.left) == (7, 7, 0)
    with Client(urls[1], others) as client:
        client.upload(TEST_SET)
        assert client.run(RUN).status == "queued"


def test_rates_are_seen_and_kept_to(urls: tuple[str, str]) -> None:
    """The headers tell, both processes count as one, and a client that waits as told goes on."""
    key = make_key(urls[0], "hasty")
    with Client(urls[0], ADMIN) as admin:
        admin.set_team_limits("hasty", {"rate_requests": 10, "rate_window_s": 20})
    sent = {"Authorization": f"Bearer {key}"}
    answered = [httpx.get(f"{urls[n % 2]}/v1/runs", headers=sent) for n in range(30)]
    assert answered[0].headers["RateLimit-Policy"] == '"perkey";q=10;w=20'
    assert answered[0].headers["RateLimit"] == '"perkey";r=9;t=2'
    refused = [one for one in answered if one.status_code == 429]
    assert 12 <= len(refused) <= 21
    assert refused[0].json()["code"] == "rate_limited"
    assert refused[0].headers["Retry-After"] in ("1", "2")
    with Client(urls[0], key) as client:
        assert client.limits().team == "hasty"
