"""The store is away for a while, F16, F17, F22, F23 and F25: nothing is lost or done twice."""

import os
import signal
import time
from http import HTTPStatus
from typing import Any

import httpx
import pytest
import redis

from service.locks import wait_until
from tests.chaos import proxy_to
from tests.faults.asking import ask, check_away, findings
from tests.faults.audit import count_repeats, numbers_of
from tests.faults.cluster import LEASE_S, PATIENCE_S, Cluster
from tests.faults.runs import CONCURRENCY, set_stage, undisturbed

AWAY_S = 2.0 * LEASE_S
"""Long enough for every lease to lapse."""


@pytest.fixture(scope="module")
def expected(deployment: Cluster) -> dict[str, Any]:
    """Return what the run comes to when it is left alone."""
    return undisturbed(deployment)


def kill_store(cluster: Cluster) -> None:
    """Kill -9 the store's server."""
    os.kill(cluster.store_pid, signal.SIGKILL)
    assert wait_until(lambda: not cluster.store.running(), PATIENCE_S)


def freeze_store(cluster: Cluster) -> None:
    """Stop the store's server: it keeps all connections and answers none."""
    os.kill(cluster.store_pid, signal.SIGSTOP)


def thaw_store(cluster: Cluster) -> None:
    """Let the store's server go on."""
    os.kill(cluster.store_pid, signal.SIGCONT)


def test_killed_store_comes_back(cluster: Cluster, expected: dict[str, Any]) -> None:
    """F16: kill -9 of the store and a restart from its file: the same worker goes on."""
    with set_stage(cluster) as stage:
        worker = cluster.start_worker()
        run = stage.start_run()
        stage.await_half(run)
        kill_store(cluster)
        check_away(ask(cluster.url, f"/v1/runs/{run.id}"))
        cluster.store.start()
        assert numbers_of(stage.finish(run)) == expected
        assert worker.alive
        assert stage.client.get(run.id).attempts == 1
        assert count_repeats(run.id, stage.endpoint) == 0


OUTAGES = {
    "F17 gone": (kill_store, lambda cluster: cluster.store.start()),
    "F22 frozen": (freeze_store, thaw_store),
}


@pytest.mark.parametrize("outage", OUTAGES)
def test_store_is_away_for_long(cluster: Cluster, expected: dict[str, Any], outage: str) -> None:
    """F17, F22: past every lease: 503 in time meanwhile, no crash counted, the run completes."""
    leave, come_back = OUTAGES[outage]
    with set_stage(cluster) as stage:
        worker = cluster.start_worker()
        run = stage.start_run()
        stage.await_half(run)
        leave(cluster)
        left = time.monotonic()
        check_away(ask(cluster.url, f"/v1/runs/{run.id}"))
        check_away(ask(cluster.url, "/v1/runs", body=stage.request()))
        assert findings(cluster.url) == ("not_ready", {"store_unavailable"})
        time.sleep(max(0.0, AWAY_S - (time.monotonic() - left)))
        come_back(cluster)
        assert numbers_of(stage.finish(run)) == expected
        assert worker.alive
        assert crash_count(cluster, run.id) == 0
        assert count_repeats(run.id, stage.endpoint) <= 2 * CONCURRENCY


def ask_until_told(cluster: Cluster, body: dict[str, Any]) -> httpx.Response:
    """Repeat a creation for as long as the first one, of which nobody knows, may be under way."""
    answers: list[httpx.Response] = []

    def told() -> bool:
        answers.append(ask(cluster.url, "/v1/runs", body=body, key="once"))
        return answers[-1].status_code != HTTPStatus.CONFLICT

    assert wait_until(told, PATIENCE_S)
    return answers[-1]


def test_refused_creation_is_safe_to_repeat(cluster: Cluster) -> None:
    """F22: a creation that a frozen store may still carry out is one run, however often sent."""
    with set_stage(cluster) as stage:
        body = stage.request() | {"label": "once"}
        freeze_store(cluster)
        check_away(ask(cluster.url, "/v1/runs", body=body, key="once"))
        thaw_store(cluster)
        first = ask_until_told(cluster, body)
        again = ask(cluster.url, "/v1/runs", body=body, key="once")
        assert first.json()["id"] == again.json()["id"]
        assert len(ask(cluster.url, "/v1/runs?label=once").json()["items"]) == 1
        ask(cluster.url, f"/v1/runs/{first.json()['id']}/cancel", body={})


def test_cut_connections_go_unnoticed(cluster: Cluster, expected: dict[str, Any]) -> None:
    """F23: every connection is reset again and again: no request fails, nothing is sent twice."""
    with (
        set_stage(cluster) as stage,
        proxy_to(cluster.store.url) as proxy,
        redis.Redis.from_url(cluster.store.url) as server,
    ):
        worker = cluster.start_worker(proxy.url)
        run = stage.start_run()
        stage.await_half(run)
        for _ in range(10):
            proxy.cut()
            server.client_kill_filter(_type="normal", skipme=True)
            assert ask(cluster.url, f"/v1/runs/{run.id}").status_code == 200
        stage.brake.release()
        proxy.cut()
        assert numbers_of(stage.finish(run)) == expected
        assert worker.alive
        assert stage.client.get(run.id).attempts == 1
        assert count_repeats(run.id, stage.endpoint) == 0


@pytest.mark.parametrize("size", [0, 3, 40])
def test_torn_answers_change_nothing(cluster: Cluster, expected: dict[str, Any], size: int) -> None:
    """F23: what was done but whose answer was torn is done once, though it is asked again."""
    with set_stage(cluster) as stage, proxy_to(cluster.store.url) as proxy:
        cluster.start_worker(proxy.url)
        run = stage.start_run()
        stage.await_half(run)
        stage.brake.release()
        while not stage.client.get(run.id).status.terminal:
            proxy.cut_after(size)
            time.sleep(0.15)
        assert numbers_of(stage.finish(run)) == expected
        assert count_repeats(run.id, stage.endpoint) == 0


def test_slow_store_keeps_leases(cluster: Cluster, expected: dict[str, Any]) -> None:
    """F25: 200 ms more for each command: leases hold, one claim does the run."""
    with set_stage(cluster) as stage, proxy_to(cluster.store.url) as proxy:
        cluster.start_worker(proxy.url)
        run = stage.start_run()
        stage.await_half(run)
        proxy.delay(0.2)
        assert numbers_of(stage.finish(run)) == expected
        assert stage.client.get(run.id).attempts == 1
        assert crash_count(cluster, run.id) == 0


def crash_count(cluster: Cluster, run_id: str) -> int:
    """Return how many holders of a run died, by the store's count."""
    with redis.Redis.from_url(cluster.store.url) as server:
        return int(server.hget(f"t:default:run:{run_id}", "crash_count") or 0)
