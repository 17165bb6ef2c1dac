"""What a host does to programs, F53 to F57: wrong clocks, few descriptors, full disks, locales."""

import json
import os
import resource
import signal
import socket
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import redis

from reteval.contract.outcomes import FailureCode
from reteval.contract.runs import RunStatus
from service.core.ingest.draft import BATCH
from service.locks import wait_until
from tests.faults.audit import count_repeats, numbers_of
from tests.faults.clock import build_clock
from tests.faults.cluster import PATIENCE_S, Cluster
from tests.faults.runs import CONCURRENCY, SIZE, set_stage, undisturbed
from tests.service_process import find_descendants, is_alive, run_service
from worker.jobs.canary import SIZE as CANARY


@pytest.fixture(scope="module")
def expected(deployment: Cluster) -> dict[str, Any]:
    """Return what the run comes to when it is left alone."""
    return undisturbed(deployment)


@pytest.fixture(scope="module")
def clock(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Build the library that shifts a program's wall clock."""
    library = build_clock(tmp_path_factory.mktemp("clock"))
    if not library:
        pytest.skip("no C compiler to build a wrong clock with, or no Linux to load it")
    return library


@pytest.mark.parametrize("hours", [1, -1])
def test_f53_wrong_clock_changes_nothing(
    cluster: Cluster, expected: dict[str, Any], clock: str, hours: int
) -> None:
    """F53: a worker an hour off keeps its lease, and takes over a run, as any other does."""
    wrong = {"LD_PRELOAD": clock, "CLOCK_SHIFT_S": str(3600 * hours)}
    with set_stage(cluster) as stage:
        killed = cluster.start_worker(**wrong)
        run = stage.start_run()
        stage.await_half(run)
        healthy = stage.client.get(run.id, wait=4)  # longer than a lease
        assert (healthy.status, healthy.attempts) == (RunStatus.RUNNING, 1)
        killed.send_horses(signal.SIGKILL)
        assert numbers_of(stage.finish(run)) == expected
        ended = stage.client.get(run.id)
        assert count_repeats(run.id, stage.endpoint) <= CONCURRENCY
    assert ended.started_at is not None
    assert ended.finished_at is not None
    assert ended.created_at <= ended.started_at <= ended.finished_at
    told = datetime.fromisoformat(ended.finished_at)
    assert abs(told - datetime.now(UTC)) < timedelta(minutes=5)


def test_f54_few_descriptors_end_in_a_named_failure(cluster: Cluster) -> None:
    """F54: a worker without descriptors for its connections names what failed, and works on."""
    with set_stage(cluster, after=CANARY) as stage:
        worker = cluster.start_worker()
        resource.prlimit(worker.pid, resource.RLIMIT_NOFILE, (32, 32))
        limits = {"concurrency": 128, "max_error_rate": 1.0, "timeout_s": 100, "retries": 0}
        run = stage.client.run(stage.request() | {"limits": limits})
        stage.wait_for(lambda: stage.client.get(run.id).progress.failed > 0)
        report = stage.finish(run)
        assert set(report.counts.failed_by_code) <= {FailureCode.CONNECT, FailureCode.CIRCUIT_OPEN}
        assert stage.finish(stage.start_run()).status is RunStatus.COMPLETED


def test_f55_full_log_disk_stops_nothing(cluster: Cluster, expected: dict[str, Any]) -> None:
    """F55: every log line fails to be written, and API and worker go on as before."""
    full = Path("/dev/full")
    with set_stage(cluster, after=SIZE) as stage:
        cluster.start_api(log=full)
        cluster.start_worker(log=full)
        assert numbers_of(stage.finish(stage.start_run())) == expected


def test_f55_supervisor_goes_on_without_its_log(tmp_path: Path) -> None:
    """F55: a supervisor that cannot write its reports still starts again what dies."""
    with run_service(tmp_path / "data", log=Path("/dev/full")) as service:
        first = find_workers(service.process.pid)
        for pid in first:
            os.kill(pid, signal.SIGKILL)
        assert wait_until(lambda: len(find_workers(service.process.pid) - first) == 2, PATIENCE_S)


def find_workers(supervisor: int) -> set[int]:
    """Return the worker programs below a supervisor."""
    return {
        pid
        for pid in find_descendants(supervisor)
        if is_alive(pid) and b"worker" in Path(f"/proc/{pid}/cmdline").read_bytes()
    }


@pytest.mark.parametrize(
    "locale", [{"LC_ALL": "C", "TZ": "Asia/Kathmandu"}, {"LC_ALL": "tr_TR.UTF-8", "TZ": "bad"}]
)
def test_f56_locale_and_zone_change_nothing(
    cluster: Cluster, expected: dict[str, Any], locale: dict[str, str]
) -> None:
    """F56: words, numbers and times do not depend on where the worker runs."""
    with set_stage(cluster, after=SIZE) as stage:
        cluster.start_worker(**locale, PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
        assert numbers_of(stage.finish(stage.start_run())) == expected


@pytest.mark.no_cover
def test_f57_clients_that_leave_leave_nothing(cluster: Cluster) -> None:
    """F57: uploads and long polls that are hung up on keep no connection and no data."""
    with set_stage(cluster) as stage, redis.Redis.from_url(cluster.store.url) as store:
        run = stage.start_run()
        poll = f"GET /v1/runs/{run.id}?wait=20 HTTP/1.1\r\nHost: x\r\n\r\n".encode()
        lines = "".join(  # more than a batch, so that some of it is stored before the hanging up
            json.dumps({"query": f"left alone {n}", "relevant_ids": ["d"]}) + "\n"
            for n in range(BATCH + 100)
        )
        upload = (
            b"POST /v1/test-sets?name=left HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n"
            b"Content-Type: application/x-ndjson\r\n\r\n" + lines.encode()
        )

        def leave() -> None:
            for _ in range(10):
                for message in (poll, upload):
                    with socket.create_connection(("127.0.0.1", cluster.port)) as connection:
                        connection.sendall(message)

        leave()
        before = cluster.api.count_files()
        for _ in range(9):
            leave()
        stage.client.cancel(run.id)
        stage.wait_for(lambda: cluster.api.count_files() < before + 90)  # of 180 that came and went
        stage.wait_for(lambda: not store.keys("t:*:staging:*"))
