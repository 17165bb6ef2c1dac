"""F15: a worker that cannot even start. The rest serves, the operator is told, nothing is lost."""

import re
from pathlib import Path

from reteval import Client
from reteval.contract.runs import RunStatus
from service.locks import wait_until
from tests.endpoint import serve_answers
from tests.faults.cluster import PATIENCE_S
from tests.faults.collection import make_test_set, search
from tests.service_process import run_service

BROKEN = """
import os, sys
if "worker" in sys.orig_argv:
    os._exit(3)
"""


def test_f15_worker_that_does_not_start_is_told(tmp_path: Path) -> None:
    """Each attempt is reported with a longer pause; once the cause is mended, the run goes on."""
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "sitecustomize.py").write_text(BROKEN)
    log = tmp_path / "data.log"
    with (
        run_service(tmp_path / "data", PYTHONPATH=str(broken)) as service,
        serve_answers(search) as endpoint,
        Client(service.url) as client,
    ):
        test_set = client.upload(make_test_set("unstarted", 5))
        run = client.run({"test_set": test_set.id, "endpoint": {"url": endpoint.url}})
        assert wait_until(lambda: len(read_pauses(log)) >= 3, PATIENCE_S)
        assert client.get(run.id).status is RunStatus.QUEUED
        (broken / "sitecustomize.py").unlink()
        ended = client.wait(run.id, timeout_s=PATIENCE_S)
    assert ended.status is RunStatus.COMPLETED
    assert read_pauses(log)[:3] == [0.2, 0.4, 0.8]


def read_pauses(log: Path) -> list[float]:
    """Return the pauses that the supervisor announced for its first worker."""
    told = r"worker-1 ended with exit code 3; it starts again in ([\d.]+) s"
    return [float(pause) for pause in re.findall(told, log.read_text())]
