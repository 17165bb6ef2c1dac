"""Leakage checks in a worker: over a real store."""

import redis

from reteval.contract.leakage import LeakageReport, LeakPlace
from reteval.contract.leaks import LeakKind
from reteval.contract.outcomes import FailureCode
from reteval.contract.runs import RunStatus
from service.queue import INTERACTIVE
from service.store import chunks, keys
from service.store.keys import DEFAULT_TENANT, new_id
from service.store.records import GivenTexts, LeakageRecord, LeakageSpec
from service.store.store import Store
from tests.factories import query, stored_test_set
from tests.unit.worker.jobs.test_execution import settings
from worker.jobs.execution import execute_next

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
