import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

from reteval import Client, Results
from reteval.contract.runs import RunStatus
from tests.endpoint import serve_answers
from tests.service_process import find_descendants, run_service

TEXTS = [f"question {number}" for number in range(120)]
TEST_SET = {
    "name": "killed",
    "queries": [
        {"query": text, "relevant_ids": [f"doc-{number}", "doc-x"]}
        for number, text in enumerate(TEXTS)
    ],
}


def answer(text: str) -> tuple[int, Any]:
    """Answer slowly enough for a kill in between, and differently for each query."""
    time.sleep(0.02)
    number = TEXTS.index(text)
    return 200, [f"doc-{number + number % 3}", f"doc-{number}"]


def find_worker_trees(supervisor: int) -> list[list[int]]:
    """Return the processes of each worker that has a job: the worker first, then its fork."""
    workers = [
        pid
        for pid in find_descendants(supervisor)
        if b"worker" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
    trees = [[pid, *find_descendants(pid)] for pid in workers]
    return [tree for tree in trees if len(tree) > 1]


def evaluate(client: Client, test_set: str, url: str) -> Results:
    """Run to the end and return the report."""
    run = client.run({"test_set": test_set, "endpoint": {"url": url}, "limits": {"concurrency": 2}})
    client.wait(run.id, timeout_s=60)
    return client.results(run.id)


def test_killed_worker_loses_nothing(tmp_path: Path) -> None:
    """Kill -9 of a worker's whole tree: another one ends the run, with the same numbers."""
    environ = {"RETEVAL_LEASE_S": "2", "RETEVAL_REAPER_INTERVAL_S": "0.5"}
    with (
        run_service(tmp_path / "data", workers=2, **environ) as service,
        serve_answers(answer) as endpoint,
        Client(service.url) as client,
    ):
        test_set = client.upload(TEST_SET)
        undisturbed = evaluate(client, test_set.id, endpoint.url)
        sent_once = len(endpoint.seen)
        killed: list[list[int]] = []

        def kill_in_the_middle() -> None:
            while len(endpoint.seen) < sent_once + 40:
                time.sleep(0.01)
            killed.extend(find_worker_trees(service.process.pid))
            for pid in [pid for tree in killed for pid in tree]:
                os.kill(pid, signal.SIGKILL)

        killer = threading.Thread(target=kill_in_the_middle)
        killer.start()
        disturbed = evaluate(client, test_set.id, endpoint.url)
        killer.join()
        attempts = client.get(disturbed.id).attempts
        rows = list(client.outcomes(disturbed.id))
    assert len(killed) == 1
    assert attempts == 2
    assert disturbed.status is RunStatus.COMPLETED
    assert sorted(TEXTS) == sorted(row.query for row in rows)
    assert undisturbed.metrics == disturbed.metrics
    assert undisturbed.counts == disturbed.counts
    repeated = len(endpoint.seen) - 2 * sent_once
    assert 0 <= repeated <= 20  # in flight, or answered and not yet written, at the kill
