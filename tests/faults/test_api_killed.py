import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import redis

from service.locks import wait_until
from service.standalone import claim_port
from service.store.staging import STAGING_MS
from tests.held_store import Side, hold_store

ROOT = Path(__file__).parents[2]
KEY = {"Idempotency-Key": "night-of-the-kill"}
SET = {"name": "night", "queries": [{"query": "a", "relevant_ids": ["d"]}]}


def run_body(label: str) -> dict[str, Any]:
    """Return a run that no worker will take up."""
    return {"test_set": "night", "label": label, "endpoint": {"url": "http://127.0.0.1:9/"}}


@contextmanager
def serve(store_url: str) -> Iterator[tuple[httpx.Client, "subprocess.Popen[bytes]"]]:
    """Run the API as a process of its own over a store."""
    port = claim_port("127.0.0.1", 0)
    kept = {name: text for name, text in os.environ.items() if not name.startswith("RETEVAL_")}
    settings = {
        "RETEVAL_AUTH": "off",
        "RETEVAL_EGRESS": "loopback",
        "RETEVAL_PORT": str(port),
        "RETEVAL_REDIS_URL": store_url,
        "RETEVAL_REAPER_INTERVAL_S": "60",
    }
    with (
        subprocess.Popen(
            [sys.executable, "-m", "service", "serve"],
            cwd=ROOT,
            env=kept | settings,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as process,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client,
    ):
        try:
            assert wait_until(lambda: _lives(client), 30)
            yield client, process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def _lives(client: httpx.Client) -> bool:
    try:
        return client.get("/healthz").is_success
    except httpx.TransportError:
        return False


def let_claims_lapse(store_url: str) -> int:
    """Do what a minute does to the claims of a dead process; return how many there are."""
    with redis.Redis.from_url(store_url) as server:
        entries = list(server.scan_iter("t:*:idempotency:*"))
        for entry in entries:
            server.hset(entry, "until", 1)
    return len(entries)


@pytest.mark.parametrize("side", ["command", "reply"])
def test_kill_between_claim_and_answer_makes_one_run(redis_url: str, side: Side) -> None:
    """Kill -9 before the run is written, or before the API hears that it is: a repeat makes one.

    Until the dead process's claim lapses, a repeat where nothing was made is told to come again.
    """
    answers: list[httpx.Response] = []

    def post(client: httpx.Client) -> None:
        try:
            answers.append(client.post("/v1/runs", json=run_body("killed"), headers=KEY))
        except httpx.TransportError:
            return

    with hold_store(redis_url) as store, serve(store.url) as (client, process):
        assert client.post("/v1/test-sets", json=SET).is_success
        assert client.post("/v1/runs", json=run_body("before")).is_success
        store.hold(b'"label":"killed"', side)
        poster = threading.Thread(target=post, args=(client,))
        poster.start()
        assert store.held.wait(30)
        os.killpg(process.pid, signal.SIGKILL)
        poster.join()
    assert answers == []
    with serve(redis_url) as (client, _):
        first = client.post("/v1/runs", json=run_body("killed"), headers=KEY)
        if side == "command":
            assert (first.status_code, first.json()["code"]) == (409, "idempotency_conflict")
            assert first.headers["Retry-After"] == "1"
            assert let_claims_lapse(redis_url) == 1
            first = client.post("/v1/runs", json=run_body("killed"), headers=KEY)
        again = client.post("/v1/runs", json=run_body("killed"), headers=KEY)
        runs = client.get("/v1/runs", params={"label": "killed"}).json()["items"]
    assert (first.status_code, again.status_code) == (202, 202)
    assert again.content == first.content
    assert again.headers["Idempotent-Replayed"] == "true"
    assert [run["id"] for run in runs] == [first.json()["id"]]


@pytest.mark.parametrize("side", ["command", "reply"])
def test_kill_while_a_version_is_made_leaves_none_or_all_of_it(redis_url: str, side: Side) -> None:
    """Kill -9 before a version is written, or before the API hears that it is: never a half.

    What was staged expires; sent again, the change comes to one version with every query.
    """
    queries = [{"id": f"q{n}", "query": f"text {n}", "relevant_ids": ["d"]} for n in range(1_200)]
    parts = {"note": "killed", "remove": ["q7"], "queries": [queries[8] | {"tags": ["new"]}]}
    path = "/v1/test-sets/night/versions"

    def post(client: httpx.Client) -> None:
        try:
            client.post(path, json=parts)
        except httpx.TransportError:
            return

    with hold_store(redis_url) as store, serve(store.url) as (client, process):
        assert client.post("/v1/test-sets", json=SET | {"queries": queries}).is_success
        store.hold(b'"note":"killed"', side)
        poster = threading.Thread(target=post, args=(client,))
        poster.start()
        assert store.held.wait(30)
        os.killpg(process.pid, signal.SIGKILL)
        poster.join()
    with serve(redis_url) as (client, _):
        made = client.get(path).json()["items"]
        assert len(made) == (1 if side == "command" else 2)
        with redis.Redis.from_url(redis_url) as server:
            staged = list(server.scan_iter("t:default:staging:*"))
            assert len(staged) == (side == "command")
            assert all(0 < server.pttl(key) <= STAGING_MS for key in staged)
        again = client.post("/v1/test-sets/" + made[-1]["id"] + "/versions", json=parts)
        assert again.status_code == (201 if side == "command" else 200)
        newest = client.get(path).json()["items"][0]
        assert (newest["version"], newest["queries"]) == (2, 1_199)
        assert newest["changes"]["queries"] == {"added": 0, "removed": 1, "changed": 1}
        lines = client.get(f"/v1/test-sets/{newest['id']}/export").text.splitlines()
        assert len(lines) == 1_199
