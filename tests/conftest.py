"""Fixtures that everything shares: one real Valkey a session, emptied before each test."""

import os
import sys
import threading
from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path

import pytest
import redis
from hypothesis import HealthCheck, settings

from service.embedded import EmbeddedServer
from service.queue import JobQueue
from service.store.store import Store

SHARED = Path(__file__).parents[2] / "shared"

settings.register_profile(
    "shared", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)  # machines are shared: how long an example takes says nothing about it
settings.load_profile("shared")


def pytest_xdist_auto_num_workers() -> int:
    """Run three on two cores: much of what is tested is waiting, for leases and for programs."""
    return (os.cpu_count() or 1) * 3 // 2 or 1


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Take the tracer away from a test marked `no_cover`, and from the threads it starts.

    In a process of xdist, pytest-cov has started twice: when it pauses, its first start goes on.
    """
    if item.get_closest_marker("no_cover") is None:
        return (yield)
    tracer, for_threads = sys.gettrace(), threading.gettrace()
    sys.settrace(None)
    threading.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(tracer)
        threading.settrace(for_threads)


@pytest.fixture
def anyio_backend() -> str:
    """Run async tests on asyncio, as the product does."""
    return "asyncio"


@pytest.fixture(scope="session")
def valkey_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start the embedded server once."""
    data = tmp_path_factory.mktemp("valkey")
    data.chmod(0o700)
    with EmbeddedServer(data) as server:
        yield server.url


@pytest.fixture
def redis_url(valkey_url: str) -> str:
    """Return the address of an empty server."""
    with redis.Redis.from_url(valkey_url) as client:
        client.flushall()
    return valkey_url


@pytest.fixture
async def store(redis_url: str) -> AsyncIterator[Store]:
    """Open a store on an empty server."""
    opened = Store.connect(redis_url)
    yield opened
    await opened.close()


@pytest.fixture
def queue(redis_url: str) -> Iterator[JobQueue]:
    """Open the job queue of an empty server."""
    opened = JobQueue.connect(redis_url)
    yield opened
    opened.close()


@pytest.fixture
def shared_data() -> Path:
    """Return the folder of public collections, which only some machines have."""
    if not (SHARED / "data").is_dir():
        pytest.skip("the public collections are not on this machine (../shared/data)")
    return SHARED / "data"
