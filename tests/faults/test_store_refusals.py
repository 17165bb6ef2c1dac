"""A store that takes no writes for a while, F19, F20 and F24: full, out of disk, or a replica."""

import contextlib
import time
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
import redis

from reteval import Client
from reteval.errors import ServerError
from reteval.retries import Retry
from service.locks import wait_until
from tests.chaos import proxy_to
from tests.faults.asking import ask, check_away, check_problem, findings
from tests.faults.audit import count_repeats, numbers_of
from tests.faults.cluster import LEASE_S, PATIENCE_S, Cluster, run_cluster
from tests.faults.collection import make_test_set
from tests.faults.runs import CONCURRENCY, set_stage, undisturbed
from tests.faults.small_disk import SmallDisk, mount_disk
from tests.sentinels import run_copy
from tests.service_process import run_service


@pytest.fixture(scope="module")
def expected(deployment: Cluster) -> dict[str, Any]:
    """Return what the run comes to when it is left alone."""
    return undisturbed(deployment)


@contextlib.contextmanager
def filled(cluster: Cluster) -> Iterator[None]:
    """Let the store be at its bound of memory."""
    with redis.Redis.from_url(cluster.store.url) as server:
        server.config_set("maxmemory", "1")
        yield
        server.config_set("maxmemory", "0")
        assert server.info("stats")["evicted_keys"] == 0


def test_f19_full_store_holds_work_back(cluster: Cluster, expected: dict[str, Any]) -> None:
    """F19: at `maxmemory` creating is 507, reading works, a run pauses, and nothing is evicted."""
    with set_stage(cluster) as stage:
        worker = cluster.start_worker()
        run = stage.start_run()
        stage.await_half(run)
        with filled(cluster):
            left = time.monotonic()
            for path, body in (
                ("/v1/runs", stage.request()),
                ("/v1/test-sets", make_test_set("x", 3)),
            ):
                check_problem(ask(cluster.url, path, body=body), 507, "storage_full")
            assert "store_full" in findings(cluster.url)[1]
            time.sleep(max(0.0, 2 * LEASE_S - (time.monotonic() - left)))
            assert not stage.client.get(run.id).status.terminal
        assert numbers_of(stage.finish(run)) == expected
        assert worker.alive
        assert count_repeats(run.id, stage.endpoint) <= 2 * CONCURRENCY


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    """Mount a small disk."""
    with mount_disk(tmp_path / "disk") as disk:
        yield disk


def upload_until_refused(client: Client) -> list[str]:
    """Upload test sets until the store takes no more; return the ids of those it took."""
    taken: list[str] = []
    while True:
        try:
            made = client.upload(make_test_set(f"disk-{len(taken)}", 50))
        except ServerError as exc:
            refused = (exc.status, exc.code)
            break
        taken.append(made.id)
    assert refused == (503, "store_unavailable")
    return taken


def check_kept(client: Client, taken: list[str]) -> None:
    """Check that every test set is whole that was acknowledged."""
    for test_set in taken:
        assert len([*client.queries(test_set)]) == client.test_set(test_set).stats.queries


def test_f20_full_disk_under_a_server_that_waits(disk: SmallDisk) -> None:
    """F20, `everysec`: writes are 503 and reads work; with space it goes on, all data there."""
    with run_cluster(disk.path) as cluster, redis.Redis.from_url(cluster.store.url) as server:
        server.config_set("appendfsync", "everysec")
        with Client(cluster.url, retry=Retry(pauses_s=())) as client:
            kept = client.upload(make_test_set("before", 50))
            disk.fill()
            taken = [kept.id, *upload_until_refused(client)]
            assert client.test_set(kept.id).id == kept.id
            assert wait_until(lambda: "write_errors" in findings(cluster.url)[1], PATIENCE_S)
            assert findings(cluster.url)[0] == "not_ready"
            disk.free()
            assert wait_until(cluster.ready, PATIENCE_S)
            check_kept(client, taken)
            client.upload(make_test_set("after", 50))


def test_f20_full_disk_under_the_embedded_server(disk: SmallDisk, tmp_path: Path) -> None:
    """F20, `always`: the server ends rather than lie; with space it is back by itself, whole."""
    with (
        run_service(disk.path / "data", log=tmp_path / "up.log") as service,
        Client(service.url, retry=Retry(pauses_s=())) as client,
    ):
        kept = client.upload(make_test_set("before", 50))
        disk.fill()
        taken = [kept.id]

        def away() -> bool:
            """Whether the server has met the full disk, and has not only been slow."""
            taken.extend(upload_until_refused(client))
            return ask(service.url, "/v1/runs").status_code == HTTPStatus.SERVICE_UNAVAILABLE

        assert wait_until(away, PATIENCE_S)
        disk.free()
        assert wait_until(lambda: findings(service.url)[0] != "not_ready", PATIENCE_S)
        check_kept(client, taken)
        client.upload(make_test_set("after", 50))


def test_f24_promoted_replica_is_found(
    cluster: Cluster, expected: dict[str, Any], tmp_path: Path
) -> None:
    """F24: a store that became a replica is 503; when the way leads to the new one, all goes on."""
    with (
        set_stage(cluster) as stage,
        redis.Redis.from_url(cluster.store.url) as old,
        run_copy(tmp_path, old) as copy,
        redis.Redis.from_url(copy) as new,
        proxy_to(cluster.store.url) as way,
    ):
        cluster.start_api(way.url)
        worker = cluster.start_worker(way.url)
        run = stage.start_run()
        stage.await_half(run)
        assert wait_until(lambda: new.exists(f"t:default:run:{run.id}") == 1, PATIENCE_S)
        swap(old, new)
        check_away(ask(cluster.url, "/v1/runs", body=stage.request()))
        assert findings(cluster.url) == (
            "not_ready",
            {"replica", "no_worker"},
        )  # the interactive one
        assert ask(cluster.url, f"/v1/runs/{run.id}").status_code == 200
        way.lead_to(copy)
        assert wait_until(cluster.ready, PATIENCE_S)
        assert numbers_of(stage.finish(run)) == expected
        assert worker.alive
        assert count_repeats(run.id, stage.endpoint) <= 2 * CONCURRENCY
        swap(new, old)
        way.lead_to(cluster.store.url)
        assert wait_until(cluster.ready, PATIENCE_S)
        assert stage.client.results(run.id).metrics


def swap(leader: "redis.Redis", copy: "redis.Redis") -> None:
    """Let a leader and its copy change places, once the copy has everything."""

    def is_complete() -> bool:
        told, got = leader.info("replication"), copy.info("replication")
        return bool(told["master_repl_offset"] == got["slave_repl_offset"])

    assert wait_until(is_complete, PATIENCE_S)
    copy.replicaof("NO", "ONE")
    leader.replicaof("127.0.0.1", copy.config_get("port")["port"])
