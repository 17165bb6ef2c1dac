import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import redis
from structlog.testing import capture_logs

from service.locks import wait_until
from service.settings import SettingsError
from service.store.findings import UnsafeStoreError
from tests.chaos import proxy_to
from worker.__main__ import await_store, read_settings


def run_worker(redis_url: str) -> "subprocess.CompletedProcess[str]":
    """Run the program until its queue is empty."""
    return subprocess.run(
        [sys.executable, "-m", "worker", "--burst"],
        env=os.environ | {"RETEVAL_REDIS_URL": redis_url},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_worker_needs_a_store() -> None:
    """Without the address of a store there is nothing to work for, and the way out is named."""
    with pytest.raises(SettingsError, match=r"RETEVAL_REDIS_URL.*service up"):
        read_settings({})


def test_worker_ends_with_its_queue(redis_url: str) -> None:
    """With --burst an empty queue is the regular end; the log says which queue it was."""
    ended = run_worker(redis_url)
    assert ended.returncode == 0
    started = json.loads(ended.stderr.splitlines()[0])
    assert (started["event"], started["queue"]) == ("worker.started", "runs")


def test_worker_refuses_a_store_that_evicts(redis_url: str) -> None:
    """A store that may drop results is no place to work for; the message says how to mend it."""
    with redis.Redis.from_url(redis_url) as server:
        server.config_set("maxmemory-policy", "allkeys-lfu")
        try:
            refused = run_worker(redis_url)
        finally:
            server.config_set("maxmemory-policy", "noeviction")
    assert refused.returncode == 2
    assert "noeviction" in refused.stderr


async def test_worker_waits_for_its_store(redis_url: str) -> None:
    """A store that is away at the start is waited for, and said to be away."""
    with proxy_to(redis_url) as proxy, capture_logs() as logs:
        proxy.refuse()
        waiting = asyncio.create_task(await_store(proxy.url))
        async with asyncio.timeout(20):
            while not logs:
                await asyncio.sleep(0.05)
            assert not waiting.done()
            proxy.accept()
            await waiting
    assert logs[0]["event"] == "store.unavailable"


def test_worker_told_to_end_while_it_waits_ends_well(tmp_path: Path) -> None:
    """SIGTERM before there is a store to work for is obeyed at once, and is no failure."""
    log = tmp_path / "log"
    with log.open("w") as output:
        waiting = subprocess.Popen(
            [sys.executable, "-m", "worker"],
            env=os.environ | {"RETEVAL_REDIS_URL": "redis://127.0.0.1:9/0"},
            stderr=output,
        )
    try:
        assert wait_until(lambda: "store.unavailable" in log.read_text(), 60)
        waiting.terminate()
        assert waiting.wait(20) == 0
    finally:
        waiting.kill()
    assert "Traceback" not in log.read_text()


async def test_unsafe_store_is_told(redis_url: str) -> None:
    """What may lose runs is a warning at the start; what drops them is refused."""
    with redis.Redis.from_url(redis_url) as server, capture_logs() as logs:
        server.config_set("appendonly", "no")
        await await_store(redis_url)
        server.config_set("appendonly", "yes")
        server.config_set("maxmemory-policy", "allkeys-lru")
        try:
            with pytest.raises(UnsafeStoreError):
                await await_store(redis_url)
        finally:
            server.config_set("maxmemory-policy", "noeviction")
    assert [log["code"] for log in logs] == ["not_durable"]
