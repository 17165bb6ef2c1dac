"""F28: something else stands under a key of ours. That run ends and says so; others go on."""

from collections.abc import Callable

import pytest
import redis

from reteval.contract.outcomes import FailureCode
from reteval.contract.runs import RunStatus
from service.locks import wait_until
from service.store import keys
from service.store.keys import DEFAULT_TENANT
from service.store.plans import name_shard
from tests.faults.asking import ask, check_problem
from tests.faults.cluster import PATIENCE_S, Cluster
from tests.faults.runs import SIZE, set_stage

Damage = Callable[["redis.Redis", str], None]


def replace_part(part: str) -> Damage:
    """Return what puts a text where a part of a run was."""
    return lambda store, run_id: _replace(store, keys.job_part(DEFAULT_TENANT, run_id, part))


def _replace(store: "redis.Redis", key: str) -> None:
    assert store.delete(key)
    store.set(key, "not ours")


def garble_outcomes(store: "redis.Redis", run_id: str) -> None:
    """Overwrite what was answered so far."""
    key = keys.shard_outcomes(DEFAULT_TENANT, run_id, name_shard(0))
    store.hset(key, mapping=dict.fromkeys(store.hkeys(key), b"\xff not ours"))


def garble_plan(store: "redis.Redis", run_id: str) -> None:
    """Overwrite what is left to send."""
    key = keys.job_part(DEFAULT_TENANT, run_id, "plan")
    store.hset(key, mapping=dict.fromkeys(store.hkeys(key), b"not ours"))


DAMAGES: dict[str, Damage] = {
    "units of another type": replace_part("units"),
    "holds of another type": replace_part("holds"),
    "plan of another type": replace_part("plan"),
    "plan that cannot be read": garble_plan,
    "outcomes that cannot be read": garble_outcomes,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_f28_damaged_run_ends_and_others_do_not(cluster: Cluster, damage: str) -> None:
    """F28: in the middle of a run a part of it is overwritten: it fails as `corrupt_record`."""
    with set_stage(cluster) as stage, redis.Redis.from_url(cluster.store.url) as store:
        worker = cluster.start_worker()
        run = stage.start_run()
        stage.await_half(run)
        other = stage.start_run()
        DAMAGES[damage](store, run.id)
        stage.brake.release()
        ended = stage.client.wait(run.id, timeout_s=PATIENCE_S)
        assert (ended.status, ended.error) == (RunStatus.FAILED, FailureCode.CORRUPT_RECORD)
        report = stage.client.results(run.id)
        assert (report.metrics, report.reason) == (None, FailureCode.CORRUPT_RECORD)
        assert report.counts.planned == SIZE
        assert stage.finish(other).status is RunStatus.COMPLETED
        assert worker.alive


def test_f28_record_that_is_gone_for_good(cluster: Cluster) -> None:
    """F28: a run whose record itself is overwritten is 409; lists go on without it."""
    with set_stage(cluster) as stage, redis.Redis.from_url(cluster.store.url) as store:
        cluster.start_worker()
        run = stage.start_run()
        stage.await_half(run)
        other = stage.start_run()
        _replace(store, keys.job(DEFAULT_TENANT, run.id))
        stage.brake.release()
        assert stage.finish(other).status is RunStatus.COMPLETED
        for path in ("", "/results", "/outcomes"):
            check_problem(ask(cluster.url, f"/v1/runs/{run.id}{path}"), 409, "corrupt_record")
        listed = [one.id for one in stage.client.runs(test_set=stage.test_set)]
        assert other.id in listed
        assert run.id not in listed
        assert wait_until(lambda: not store.smembers(keys.BUSY), PATIENCE_S)
