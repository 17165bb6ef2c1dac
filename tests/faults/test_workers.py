"""What happens to workers, F1 to F8: their run ends, equal to one that nothing happened to."""

import os
import signal
from typing import Any

import pytest

from reteval.contract.runs import RunStatus
from tests.faults.audit import count_repeats, numbers_of, sent_by
from tests.faults.cluster import Cluster
from tests.faults.runs import CONCURRENCY, SIZE, set_stage, undisturbed


@pytest.fixture(scope="module")
def expected(deployment: Cluster) -> dict[str, Any]:
    """Return what the run comes to when it is left alone."""
    numbers = undisturbed(deployment)
    assert numbers["status"] == RunStatus.COMPLETED
    assert numbers["counts"]["ok_empty"] > 0
    return numbers


def test_f1_killed_horse_is_replaced(cluster: Cluster, expected: dict[str, Any]) -> None:
    """F1: kill -9 of the process that works on the run; only what was under way is repeated."""
    with set_stage(cluster) as stage:
        worker = cluster.start_worker()
        run = stage.start_run()
        stage.await_half(run)
        assert len(worker.send_horses(signal.SIGKILL)) == 1
        assert numbers_of(stage.finish(run)) == expected
        assert 0 < count_repeats(run.id, stage.endpoint) <= CONCURRENCY
        assert worker.alive


def test_f2_horse_without_its_parent_never_writes_beside_another(
    cluster: Cluster, expected: dict[str, Any]
) -> None:
    """F2: kill -9 of the parent alone; its fork goes, too, and another worker takes over."""
    with set_stage(cluster) as stage:
        worker = cluster.start_worker()
        run = stage.start_run()
        stage.await_half(run)
        (horse,) = worker.horses()
        worker.send(signal.SIGKILL)
        worker.process.wait()
        cluster.start_worker()
        assert numbers_of(stage.finish(run)) == expected
        assert count_repeats(run.id, stage.endpoint) <= CONCURRENCY
        with pytest.raises(ProcessLookupError):
            os.kill(horse, 0)


def test_f3_another_worker_takes_over(cluster: Cluster, expected: dict[str, Any]) -> None:
    """F3: kill -9 of a worker and its fork; a worker that was there goes on with the run."""
    with set_stage(cluster) as stage:
        workers = [cluster.start_worker(), cluster.start_worker()]
        run = stage.start_run()
        stage.await_half(run)
        # The other one's fork looks for work, finds none and ends.
        stage.wait_for(lambda: sum(bool(worker.horses()) for worker in workers) == 1)
        (busy,) = [worker for worker in workers if worker.horses()]
        busy.kill()
        assert numbers_of(stage.finish(run)) == expected
        assert 0 < count_repeats(run.id, stage.endpoint) <= CONCURRENCY


def test_f6_drained_worker_hands_on(cluster: Cluster, expected: dict[str, Any]) -> None:
    """F6: SIGTERM; what was sent is finished and kept, the rest is another worker's."""
    with set_stage(cluster) as stage:
        worker = cluster.start_worker()
        run = stage.start_run()
        stage.await_half(run)
        worker.send(signal.SIGTERM)
        stage.brake.release()
        assert worker.process.wait(timeout=30) == 0
        assert not stage.client.get(run.id).status.terminal
        cluster.start_worker()
        assert numbers_of(stage.finish(run)) == expected
        assert len(sent_by(run.id, stage.endpoint)) <= SIZE + CONCURRENCY


def test_f7_second_sigterm_is_survived(cluster: Cluster, expected: dict[str, Any]) -> None:
    """F7: a worker that is told again and again to end ends, and its run does not end with it."""
    with set_stage(cluster) as stage:
        worker = cluster.start_worker()
        run = stage.start_run()
        stage.await_half(run)

        def ended_when_told() -> bool:
            worker.send(signal.SIGTERM)
            return not worker.alive

        stage.wait_for(ended_when_told)
        cluster.start_worker()
        assert numbers_of(stage.finish(run)) == expected
        assert count_repeats(run.id, stage.endpoint) <= CONCURRENCY


def test_f8_stopped_worker_wakes_up_to_a_lost_run(
    cluster: Cluster, expected: dict[str, Any]
) -> None:
    """F8: SIGSTOP until another has ended the run, then SIGCONT; not a request, not a write."""
    with set_stage(cluster) as stage:
        sleeper = cluster.start_worker()
        run = stage.start_run()
        stage.await_half(run)
        (horse,) = sleeper.send_horses(signal.SIGSTOP)
        sleeper.send(signal.SIGSTOP)
        cluster.start_worker()
        assert numbers_of(stage.finish(run)) == expected
        before = stage.client.results_document(run.id)
        sent = len(sent_by(run.id, stage.endpoint))
        sleeper.send(signal.SIGCONT)
        os.kill(horse, signal.SIGCONT)
        stage.wait_for(lambda: not sleeper.horses())
        assert stage.client.results_document(run.id) == before
        assert len(sent_by(run.id, stage.endpoint)) == sent
