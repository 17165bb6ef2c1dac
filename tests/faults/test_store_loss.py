"""The store loses its data under a run, F18 and F27: workers stop, nobody pretends."""

import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import redis

from service.locks import wait_until
from tests.faults.asking import ask, check_problem, findings
from tests.faults.audit import sent_by
from tests.faults.cluster import PATIENCE_S, Cluster
from tests.faults.runs import CONCURRENCY, set_stage


def restart_empty(cluster: Cluster) -> None:
    """Kill the store, remove its file and start it again."""
    with redis.Redis.from_url(cluster.store.url) as server:
        data = Path(server.config_get("dir")["dir"])
    os.kill(cluster.store_pid, signal.SIGKILL)
    assert wait_until(lambda: not cluster.store.running(), PATIENCE_S)
    shutil.rmtree(data / "appendonlydir")
    cluster.store.start()


def flush(cluster: Cluster) -> None:
    """Delete everything while the store runs."""
    with redis.Redis.from_url(cluster.store.url) as server:
        server.flushdb()


@pytest.mark.parametrize("lose", [restart_empty, flush], ids=["F18 restarted empty", "F27 flushed"])
def test_lost_data_is_told(cluster: Cluster, lose: Callable[[Cluster], None]) -> None:
    """The run's worker stops sending and lives; its id is a 404 that says what may be lost."""
    cluster.start_api()  # one that remembers no earlier loss
    worker = cluster.start_worker()
    with set_stage(cluster) as stage:
        run = stage.start_run()
        stage.await_half(run)
        assert findings(cluster.url)[1] == {"no_worker"}  # the interactive one
        before = time.time()
        lose(cluster)
        stage.wait_for(lambda: "job.lost" in worker.log.read_text())
        sent = len(sent_by(run.id, stage.endpoint))
        stage.brake.release()
        problem = check_problem(ask(cluster.url, f"/v1/runs/{run.id}"), 404, "not_found")
        assert "records begin at" in problem["detail"]
        assert "may have been lost" in problem["detail"]
        assert "records begin" not in ask(cluster.url, "/v1/runs/run_unknown").json()["detail"]
        stage.wait_for(lambda: "store_emptied" in findings(cluster.url)[1])
        assert sent <= len(sent_by(run.id, stage.endpoint)) <= sent + CONCURRENCY
        assert time.time() - before < PATIENCE_S
    with set_stage(cluster, after=1_000) as stage:  # the next run finds a deployment that works
        stage.finish(stage.start_run())
    assert worker.alive
    assert worker.log.read_text().count("job.lost") == 1
