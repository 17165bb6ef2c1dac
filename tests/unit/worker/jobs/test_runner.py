import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest
import redis
from rq.exceptions import StopRequested

from service.queue import JOB, RUNS
from tests.chaos import ChaosProxy, proxy_to
from worker.jobs.runner import RunQueue, make_worker, serve


@pytest.fixture
def proxy(redis_url: str) -> Iterator[ChaosProxy]:
    """Stand between the worker and an empty server."""
    with proxy_to(redis_url) as opened:
        yield opened


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Give the process back the signal handlers that rq replaces."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


def count_births(redis_url: str) -> int:
    """Count the workers that are registered."""
    with redis.Redis.from_url(redis_url) as server:
        return int(server.scard("rq:workers"))


def stop_when(condition: threading.Event) -> None:
    """Send this process SIGTERM, as a supervisor does, once the condition holds."""
    condition.wait(30)
    os.kill(os.getpid(), signal.SIGTERM)


def test_burst_ends_with_the_queue(redis_url: str) -> None:
    """An empty queue is the end, and nothing of the worker stays behind."""
    serve(redis_url, RUNS, burst=True)
    assert count_births(redis_url) == 0


def test_stop_ends_an_idle_worker(redis_url: str) -> None:
    """SIGTERM to a worker that waits for work ends it at once."""
    idle = threading.Event()
    stopper = threading.Thread(target=stop_when, args=(idle,))
    watcher = threading.Thread(target=lambda: (wait_for_birth(redis_url), idle.set()))
    stopper.start()
    watcher.start()
    serve(redis_url, RUNS)
    stopper.join()
    watcher.join()


def wait_for_birth(redis_url: str) -> None:
    """Wait until a worker is registered and had the time to ask for work."""
    deadline = time.monotonic() + 20
    while not count_births(redis_url) and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.3)


def test_full_store_is_waited_for(redis_url: str) -> None:
    """A worker that a full store ends is followed by another, until there is room."""
    with redis.Redis.from_url(redis_url) as server:
        server.config_set("maxmemory", "1")
        full = threading.Event()

        def make_room() -> None:
            time.sleep(0.5)
            server.config_set("maxmemory", "0")
            wait_for_birth(redis_url)
            full.set()

        helper = threading.Thread(target=make_room)
        stopper = threading.Thread(target=stop_when, args=(full,))
        helper.start()
        stopper.start()
        serve(redis_url, RUNS, pause_s=0.1)
        helper.join()
        stopper.join()


def test_store_away_ends_no_job(proxy: ChaosProxy) -> None:
    """What cannot be told to the store while a job goes on is left untold."""
    worker = make_worker(proxy.url, RUNS)
    queue = RunQueue(RUNS, connection=worker.connection)
    job = queue.enqueue_call(JOB, args=("runs",))
    worker.register_birth()
    execution = worker.prepare_execution(job)
    worker.maintain_heartbeats(job, execution)
    proxy.refuse()
    worker.maintain_heartbeats(job, execution)
    worker.request_stop(signal.SIGTERM, None)
    assert worker.told


def test_stop_is_noted(redis_url: str) -> None:
    """A worker knows that it was told to stop, and not that its store ended it."""
    worker = make_worker(redis_url, RUNS)
    assert not worker.told
    with contextlib.suppress(StopRequested):
        worker.request_stop(signal.SIGTERM, None)
    assert worker.told
