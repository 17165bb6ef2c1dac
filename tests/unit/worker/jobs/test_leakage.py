"""Leakage checks in a worker: over a real store."""

import pytest
import redis

from reteval.contract.leakage import LeakageReport, LeakPlace
from reteval.contract.leaks import LeakKind, Lift
from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus
from reteval.contract.runs import RunStatus
from service.queue import INTERACTIVE, JobQueue
from service.store import chunks, keys
from service.store.keys import DEFAULT_TENANT, new_id
from service.store.records import GivenTexts, LeakageRecord, LeakageSpec
from service.store.store import Store
from tests.factories import query, run_spec, stored_run, stored_test_set
from tests.unit.worker.jobs.test_execution import settings
from worker.jobs.execution import execute_next
from worker.jobs.finalising import finalise_run
from worker.jobs.work import Work
from worker.pipeline.plan import build_plan

LIFT = Lift(
    kind=LeakKind.VERBATIM, run=6, length=6, containment=1, recall=1, excerpt="how do I", rank=1
)
TEXTS = ["how do I reset my password", "how to reset my password", "delete account"]


async def new_check(
    store: Store,
    test_set: str,
    given: GivenTexts | None,
    *,
    against: str | None = None,
    run: str | None = None,
) -> LeakageRecord:
    """Store a check."""
    spec = LeakageSpec(
        id=new_id("lk"), test_set=test_set, against=against, run=run, code_version="0.1.0"
    )
    sent = None if given is None else chunks.pack(given)
    return await store.leakage.create(DEFAULT_TENANT, spec, queue=INTERACTIVE, secrets=sent)


async def work_on(
    store: Store, redis_url: str, record: LeakageRecord
) -> tuple[LeakageRecord, LeakageReport | None]:
    """Have a worker do it, and read it."""
    await execute_next(settings(redis_url), record.queue)
    ended = await store.leakage.get(DEFAULT_TENANT, record.id)
    return ended, await store.leakage.report(DEFAULT_TENANT, ended)


async def test_given_texts_are_compared_and_forgotten(store: Store, redis_url: str) -> None:
    """List and documents are gone at the end; the pairs stay as long as the check does."""
    made = await stored_test_set(store, [query(text) for text in TEXTS])
    given = GivenTexts(
        against=["delete account?", "other"],
        corpus={"d1": "To log in again, choose how to reset my password on the page."},
    )
    record = await new_check(store, made.id, given)
    ended, report = await work_on(store, redis_url, record)
    assert ended.status is RunStatus.COMPLETED
    assert report is not None
    assert report.against
    assert (report.against.texts, report.against.queries) == (2, 1)
    assert report.documents.compared == 2
    with redis.Redis.from_url(redis_url) as server:
        assert not server.exists(keys.job_part(DEFAULT_TENANT, record.id, "secrets"))
    total = sum(report.listed.values())
    pairs = await store.leakage.pairs(DEFAULT_TENANT, record.id, start=0, stop=total)
    assert pairs[: len(report.pairs)] == list(report.pairs)
    assert (pairs[0].kind, pairs[0].place) == (LeakKind.EXACT, LeakPlace.AGAINST)


async def test_a_set_is_held_to_another_set(store: Store, redis_url: str) -> None:
    """Whose queries keep their ids."""
    made = await stored_test_set(store, [query(text) for text in TEXTS])
    other = await stored_test_set(store, [query("account delete")], name="other")
    record = await new_check(store, made.id, None, against=other.id)
    _, report = await work_on(store, redis_url, record)
    assert report is not None
    (pair, *_) = report.pairs
    assert (pair.kind, pair.other.id) == (LeakKind.REORDERED, "q-account delete")


async def test_a_run_is_read_for_its_hits_and_numbers(
    store: Store, redis_url: str, queue: JobQueue
) -> None:
    """What it noted of the queries counts, and its means are told without them."""
    queries = [query(text, d1=1) for text in TEXTS]
    made = await stored_test_set(store, queries)
    run = await stored_run(store, run_spec(made))
    outcomes = [
        Outcome(status=OutcomeStatus.OK, ids=["d1", "x"], texts=2, lift=LIFT),
        Outcome(status=OutcomeStatus.OK, ids=["x"], texts=1),
        Outcome(status=OutcomeStatus.OK, ids=["x"]),
    ]
    claim = await store.claims.claim(DEFAULT_TENANT, run.id, owner="w", lease_s=30)
    assert claim is not None
    plan = build_plan(queries, None, relevant_from=1)
    await Work(settings(redis_url), store, queue, claim).store_all(plan, outcomes)
    end = await store.claims.claim(DEFAULT_TENANT, run.id, owner="w", lease_s=30)
    assert end is not None
    await finalise_run(
        Work(settings(redis_url), store, queue, end), await store.runs.get(DEFAULT_TENANT, run.id)
    )
    record = await new_check(store, made.id, None, run=run.id)
    _, report = await work_on(store, redis_url, record)
    assert report is not None
    assert (report.documents.compared, report.documents.queries, report.leaked) == (2, 1, 1)
    (copy,) = [pair for pair in report.pairs if pair.place is LeakPlace.DOCUMENT]
    assert (copy.query.id, copy.other.id, copy.lift) == (f"q-{TEXTS[0]}", "d1", LIFT)
    assert report.metrics
    mrr = report.metrics["mrr"]
    assert (mrr.mean, mrr.n_without, mrr.mean_without) == (pytest.approx(1 / 3), 2, 0.0)


async def test_a_check_of_what_is_gone_fails_with_a_reason(store: Store, redis_url: str) -> None:
    """The set, or the list's set, was deleted meanwhile."""
    made = await stored_test_set(store, [query("one")])
    for record in (
        await new_check(store, "ts_gone", None),
        await new_check(store, made.id, None, against="ts_gone"),
    ):
        ended, report = await work_on(store, redis_url, record)
        assert (ended.status, ended.error, report) == (
            RunStatus.FAILED,
            FailureCode.PARENT_DELETED,
            None,
        )


async def test_pairs_go_when_the_check_does(store: Store, redis_url: str) -> None:
    """They have its lifetime, whether it ended or its worker died before that."""
    made = await stored_test_set(store, [query(text) for text in TEXTS])
    record = await new_check(store, made.id, None)
    await work_on(store, redis_url, record)
    with redis.Redis.from_url(redis_url) as server:
        lifetimes = [
            server.pttl(key)
            for key in (
                keys.job(DEFAULT_TENANT, record.id),
                keys.job_part(DEFAULT_TENANT, record.id, "pairs"),
            )
        ]
    assert 0 < lifetimes[1] <= lifetimes[0] + 1_000
