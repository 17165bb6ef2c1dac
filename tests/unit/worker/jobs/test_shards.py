"""A run in several shards: any workers, the same report; what is lost is sent again, and marked."""

import asyncio
import os
import signal
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from reteval.contract.diagnostics import DiagnosticCode
from reteval.contract.outcomes import OutcomeRow
from reteval.contract.results import Results
from reteval.contract.runs import Limits, RunStatus
from service.queue import RUNS, JobQueue
from service.settings import Settings
from service.store.keys import DEFAULT_TENANT
from service.store.plans import name_shard
from service.store.records import Claim, RunRecord
from service.store.store import Store
from tests.endpoint import rankings, serve_answers
from tests.factories import query, run_spec, stored_run, stored_test_set
from worker.jobs import hold
from worker.jobs.execution import execute_next

TEXTS = [f"question {number}" for number in range(30)]
QUERIES = [query(text, **{f"d{number}": 1, "x": 2}) for number, text in enumerate(TEXTS)]
ANSWERS = {text: ["x", f"d{number}", "y"][number % 3 :] for number, text in enumerate(TEXTS)}


def settings(redis_url: str, *, shard: int) -> Settings:
    """Return settings of a worker that may call loopback, and of shards of a size."""
    return Settings.from_env(
        {
            "RETEVAL_REDIS_URL": redis_url,
            "RETEVAL_EGRESS": "loopback",
            "RETEVAL_LEASE_S": "2",
            "RETEVAL_SHARD_SIZE": str(shard),
        }
    )


async def new_run(store: Store, url: str, limits: Mapping[str, Any] | None = None) -> RunRecord:
    """Store a run over the queries."""
    spec = run_spec(await stored_test_set(store, QUERIES), url=url)
    request = msgspec.structs.replace(spec.request, limits=Limits(**(limits or {})))
    return await stored_run(store, msgspec.structs.replace(spec, request=request))


async def work_off(redis_url: str, *, shard: int, workers: int = 1) -> None:
    """Do everything that waits, with some workers at once."""

    async def work() -> None:
        for _ in range(1 + len(TEXTS) // shard):
            await execute_next(settings(redis_url, shard=shard), RUNS, seconds=0)

    await asyncio.gather(*(work() for _ in range(workers)))


async def report_of(store: Store, record: RunRecord) -> Results:
    """Read a run's report."""
    return msgspec.json.decode(await store.runs.results(DEFAULT_TENANT, record.id), type=Results)


async def rows_of(store: Store, record: RunRecord) -> list[OutcomeRow]:
    """Read a run's outcomes."""
    return await store.outcomes.rows(DEFAULT_TENANT, record.id, start=0, stop=len(TEXTS))


@pytest.mark.parametrize(("shard", "workers"), [(7, 1), (7, 3), (1, 2), (30, 1)])
async def test_shards_give_the_report_of_an_uncut_run(
    store: Store, redis_url: str, shard: int, workers: int
) -> None:
    """However a run is cut, and whoever works on it, numbers and outcomes are the same."""
    with serve_answers(rankings(ANSWERS)) as endpoint:
        whole, cut = await new_run(store, endpoint.url), await new_run(store, endpoint.url)
        await execute_next(settings(redis_url, shard=2_000), RUNS, seconds=0)
        seen = len(endpoint.seen)
        await work_off(redis_url, shard=shard, workers=workers)
    assert len(endpoint.seen) == 2 * seen == 2 * len(TEXTS)
    reports = [await report_of(store, record) for record in (whole, cut)]
    assert [report.status for report in reports] == [RunStatus.COMPLETED] * 2
    assert reports[0].metrics == reports[1].metrics
    assert reports[0].counts == reports[1].counts
    listed = [
        [(row.query, row.outcome.ids) for row in await rows_of(store, r)] for r in (whole, cut)
    ]
    assert listed[0] == listed[1] == [(text, ANSWERS[text]) for text in TEXTS]


async def test_what_a_dead_worker_may_have_sent_is_marked(store: Store, redis_url: str) -> None:
    """Requests up to the noted mark are sent again as `resent`, those after it are not."""
    with serve_answers(rankings(ANSWERS)) as endpoint:
        record = await new_run(store, endpoint.url)
        dead = await dead_shard(store, record)
        await store.shards.reach(dead, 4)
        await asyncio.sleep(0.01)
        await work_off(redis_url, shard=15)
    rows = await rows_of(store, record)
    assert [row.query for row in rows if row.outcome.resent] == TEXTS[:4]
    state = await store.runs.get(DEFAULT_TENANT, record.id)
    assert (state.crash_count, state.status) == (1, RunStatus.COMPLETED)


async def dead_shard(store: Store, record: RunRecord) -> Claim:
    """Plan a run in two shards by hand, and let the first shard's holder die."""
    from worker.pipeline.plan import build_plan

    planner = await store.claims.claim(DEFAULT_TENANT, record.id, owner="p", lease_s=30)
    assert planner is not None
    plan = build_plan(QUERIES, None, relevant_from=1)
    size = await store.plans.put(planner, plan.requests, clean=plan.clean, shard=15)
    await store.plans.commit(planner, size.units())
    dead = await store.claims.claim(DEFAULT_TENANT, record.id, owner="dead", lease_s=0.001)
    assert dead is not None
    assert dead.unit == name_shard(0)
    return dead


async def test_poisoned_shard_names_its_suspects(store: Store, redis_url: str) -> None:
    """After three deaths on a shard the run is given up, and what was under way is named."""
    with serve_answers(rankings(ANSWERS)) as endpoint:
        record = await new_run(store, endpoint.url)
        dead = await dead_shard(store, record)
        await store.shards.reach(dead, 3)
        for owner in "bc":
            await asyncio.sleep(0.01)
            again = await store.claims.claim(DEFAULT_TENANT, record.id, owner=owner, lease_s=0.001)
            while again is not None and again.unit != dead.unit:
                again = await store.claims.claim(
                    DEFAULT_TENANT, record.id, owner=owner, lease_s=0.001
                )
        await asyncio.sleep(0.01)
        await work_off(redis_url, shard=15)
    report = await report_of(store, record)
    assert (report.status, report.reason) == (RunStatus.FAILED, "worker_crashed")
    (finding,) = report.diagnostics
    assert finding.code is DiagnosticCode.WORKER_CRASHED
    assert [row["query"] for row in finding.evidence] == TEXTS[:3]


async def test_cancelled_shards_are_skipped(store: Store, redis_url: str) -> None:
    """Shards that nobody began when the run was cancelled are skipped, those done are kept."""
    with serve_answers(rankings(ANSWERS)) as endpoint:
        record = await new_run(store, endpoint.url)
        await dead_shard(store, record)
        await asyncio.sleep(0.01)
        await execute_next(settings(redis_url, shard=15), RUNS, seconds=0)
        await store.runs.request_cancel(DEFAULT_TENANT, record.id)
        await execute_next(settings(redis_url, shard=15), RUNS, seconds=0)
    report = await report_of(store, record)
    assert (report.status, report.metrics) == (RunStatus.CANCELLED, None)
    assert (report.counts.ok, report.counts.skipped) == (15, 15)
    assert report.counts.failed_by_code == {"cancelled": 15}


async def test_long_work_makes_way_for_others(
    store: Store, queue: JobQueue, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shard that takes long is left to later when another run waits, without blame."""
    monkeypatch.setattr(hold, "MAKE_WAY_S", 0.3)
    gate = asyncio.Event()
    loop = asyncio.get_running_loop()

    def answer(text: str) -> tuple[int, Any]:
        if text == TEXTS[-1] and not gate.is_set():
            asyncio.run_coroutine_threadsafe(gate.wait(), loop).result()
        return 200, ANSWERS[text]

    with serve_answers(answer) as endpoint:
        slow = await new_run(store, endpoint.url)
        working = asyncio.create_task(
            execute_next(settings(redis_url, shard=2_000), RUNS, seconds=0)
        )
        while not (await store.runs.get(DEFAULT_TENANT, slow.id)).done:
            await asyncio.sleep(0.01)
        await new_run(store, endpoint.url)
        await working
        gate.set()
        left = await store.runs.get(DEFAULT_TENANT, slow.id)
        assert (left.status, left.crash_count) == (RunStatus.RUNNING, 0)
        assert (await queue.depth())["runs"] == 1
        await work_off(redis_url, shard=2_000)
        await work_off(redis_url, shard=2_000)
    ended = await store.runs.get(DEFAULT_TENANT, slow.id)
    assert (ended.status, ended.attempts) == (RunStatus.COMPLETED, 2)


async def test_signal_between_units_is_heeded(store: Store, redis_url: str) -> None:
    """A worker that is told to make way while planning does not begin to send."""

    def answer(_text: str) -> tuple[int, Any]:
        os.kill(os.getpid(), signal.SIGTERM)
        return 200, ["x"]

    with serve_answers(answer) as endpoint:
        record = await new_run(store, endpoint.url, {"concurrency": 1})
        await execute_next(settings(redis_url, shard=7), RUNS, seconds=0)
        assert len(endpoint.seen) <= 2
    state = await store.runs.get(DEFAULT_TENANT, record.id)
    assert (state.status.terminal, state.crash_count) == (False, 0)
