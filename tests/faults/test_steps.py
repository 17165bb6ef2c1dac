"""A kill between any two steps, F4, F5 and F12: before the store has done one, or just after."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from reteval import Client
from reteval.contract.runs import RunStatus
from reteval.errors import ConnectionFailedError
from reteval.retries import Retry
from tests.faults.audit import count_repeats, numbers_of
from tests.faults.cluster import Cluster
from tests.faults.runs import SIZE, set_stage, undisturbed
from tests.faults.tollgate import Side, Tollgate

FIRST = ("claim", "put_fields", "renew", "write_outcomes", "commit_plan")
"""Steps from the wake-up call to the plan, the first requests among them."""
LAST = ("write_outcomes", "commit_shard", "claim", "put_fields", "finish")
"""Steps from the last outcomes of a shard to the end."""
SHARDS = {"RETEVAL_SHARD_SIZE": "15"}


@pytest.fixture(scope="module")
def expected(deployment: Cluster) -> dict[str, Any]:
    """Return what the run comes to when it is left alone."""
    return undisturbed(deployment)


@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize("step", FIRST)
def test_kill_at_a_first_step(
    cluster: Cluster, expected: dict[str, Any], step: str, side: Side
) -> None:
    """A worker killed while it begins a run leaves it to the next one."""
    with set_stage(cluster) as stage, Tollgate(cluster.store.url) as gate:
        gate.arm(step, side)
        worker = cluster.start_worker(gate.url, **SHARDS)
        run = stage.start_run()
        stage.wait_for(gate.held.is_set)
        worker.kill()
        cluster.start_worker()
        assert numbers_of(stage.finish(run)) == expected


@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize("step", LAST)
def test_kill_at_a_last_step(
    cluster: Cluster, expected: dict[str, Any], step: str, side: Side
) -> None:
    """F4, F5: killed between last answer and end, the run ends once, with the same bytes."""
    with set_stage(cluster) as stage, Tollgate(cluster.store.url) as gate:
        worker = cluster.start_worker(gate.url, **SHARDS)
        run = stage.start_run()
        stage.await_half(run)
        gate.arm(step, side)
        stage.brake.release()
        stage.wait_for(gate.held.is_set)
        ended = stage.client.get(run.id).status.terminal
        before = stage.client.results_document(run.id) if ended else b""
        worker.kill()
        cluster.start_worker()
        assert numbers_of(stage.finish(run)) == expected
        assert ended is (step == "finish" and side is Side.AFTER)
        if ended:
            assert stage.client.results_document(run.id) == before


@pytest.mark.parametrize("side", Side)
def test_f12_create_is_done_once(cluster: Cluster, side: Side) -> None:
    """F12: the API dies before it says that a run is stored; a repeated request makes no other."""
    label = f"created-{side.value}"
    with (
        set_stage(cluster, after=SIZE) as stage,
        Tollgate(cluster.store.url) as gate,
        Client(cluster.url, retry=Retry(pauses_s=())) as impatient,
        ThreadPoolExecutor(1) as pool,
    ):
        request = stage.request() | {"label": label}
        cluster.start_api(gate.url)
        gate.arm("create_run", side)
        lost = pool.submit(impatient.run, request, idempotency_key=label)
        stage.wait_for(gate.held.is_set)
        stored = len(list(stage.client.runs(label=label)))
        cluster.start_api()
        with pytest.raises(ConnectionFailedError):
            lost.result()
        lapse = Retry(pauses_s=(2.0,) * 20)  # the dead process's claim on the key has to lapse
        with Client(cluster.url, retry=lapse) as patient:
            again = [patient.run(request, idempotency_key=label) for _ in range(3)]
        assert stored == (side is Side.AFTER)
        assert [run.id for run in stage.client.runs(label=label)] == [again[0].id]
        assert {run.id for run in again} == {again[0].id}
        cluster.start_worker()
        assert stage.finish(again[0]).status is RunStatus.COMPLETED
        assert count_repeats(again[0].id, stage.endpoint) == 0
