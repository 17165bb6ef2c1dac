"""Probes in the store: made, read, ended, and gone after a day with all their parts."""

import msgspec
import pytest
import redis

from reteval.contract.endpoints import Endpoint
from reteval.contract.probes import KEPT_S, IdOverlap, ProbeReport, ProbeRequest
from reteval.contract.runs import RunStatus
from service.errors import NotFoundError
from service.queue import INTERACTIVE, JobQueue
from service.reaper import reap
from service.store import keys
from service.store.keys import DEFAULT_TENANT, new_id
from service.store.records import ProbeRecord, ProbeSpec
from service.store.store import Store
from tests.factories import query, run_spec, stored_run, stored_test_set

REPORT = ProbeReport(
    answers=(),
    overlap=IdOverlap(answers=0, overlap_q=None, overlap_id=None),
    problems=(),
    suggestions=(),
    lists=(),
    returned=None,
    judged=None,
)


async def create(store: Store, *, secrets: bytes | None = b"sealed") -> ProbeRecord:
    """Create a probe."""
    spec = ProbeSpec(
        id=new_id("prb"),
        request=ProbeRequest(endpoint=Endpoint(url="http://a/")),
        test_set=None,
        code_version="0.1.0",
    )
    return await store.probes.create(DEFAULT_TENANT, spec, secrets=secrets, queue=INTERACTIVE)


async def test_probe_is_queued_and_read(store: Store) -> None:
    """What was written is read back, and waits for a worker; writing it twice changes nothing."""
    record = await create(store)
    assert (record.status, record.queue) == (RunStatus.QUEUED, INTERACTIVE)
    assert await store.probes.get(DEFAULT_TENANT, record.id) == record
    assert await store.jobs.active() == [(INTERACTIVE, DEFAULT_TENANT, record.id)]
    assert await store.probes.report(DEFAULT_TENANT, record) is None
    again = await store.probes.create(DEFAULT_TENANT, record.spec, secrets=None, queue=INTERACTIVE)
    assert again == record


async def test_probe_is_kept_for_a_day_with_its_report(store: Store, redis_url: str) -> None:
    """Record and report end together; secrets go as soon as the probe has ended."""
    record = await create(store)
    claim = await store.claims.claim(DEFAULT_TENANT, record.id, owner="w", lease_s=30)
    assert claim is not None
    assert await store.claims.secrets(claim) == b"sealed"
    await store.journal.finish(
        claim,
        status=RunStatus.COMPLETED,
        report=msgspec.json.encode(REPORT),
        error="",
    )
    ended = await store.probes.get(DEFAULT_TENANT, record.id)
    assert await store.probes.report(DEFAULT_TENANT, ended) == REPORT
    assert await store.claims.secrets(claim) is None
    with redis.Redis.from_url(redis_url) as client:
        lives = [
            client.ttl(name)
            for name in (
                keys.job(DEFAULT_TENANT, record.id),
                keys.job_part(DEFAULT_TENANT, record.id, "report"),
            )
        ]
    assert all(0 < left <= KEPT_S for left in lives)


async def test_secrets_of_a_lost_probe_do_not_stay(store: Store, redis_url: str) -> None:
    """A probe that nobody works on takes its secrets along when its day is over."""
    record = await create(store)
    with redis.Redis.from_url(redis_url) as client:
        assert client.ttl(keys.job_part(DEFAULT_TENANT, record.id, "secrets")) > 0
    bare = await create(store, secrets=None)
    with redis.Redis.from_url(redis_url) as client:
        assert not client.exists(keys.job_part(DEFAULT_TENANT, bare.id, "secrets"))


async def test_report_of_a_run_is_kept_for_good(store: Store, redis_url: str) -> None:
    """Only what is made for a while ends: a run's report has no time limit."""
    run = await stored_run(store, run_spec(await stored_test_set(store, [query()])))
    claim = await store.claims.claim(DEFAULT_TENANT, run.id, owner="w", lease_s=30)
    assert claim is not None
    await store.journal.finish(claim, status=RunStatus.COMPLETED, report=b"{}", error="")
    with redis.Redis.from_url(redis_url) as client:
        assert client.ttl(keys.job_part(DEFAULT_TENANT, run.id, "report")) == -1


async def test_lost_probe_leaves_nothing(store: Store, queue: JobQueue, redis_url: str) -> None:
    """A probe that was claimed and never ended takes all its parts along."""
    record = await create(store, secrets=None)
    await store.claims.claim(DEFAULT_TENANT, record.id, owner="w", lease_s=30)
    with redis.Redis.from_url(redis_url) as client:
        client.delete(keys.job(DEFAULT_TENANT, record.id))
        await reap(store, queue)
        left = {name.decode() for name in client.keys("t:*")}
    assert left == {keys.TURNS}


async def test_unknown_or_foreign_ids_are_not_found(store: Store) -> None:
    """Neither an unknown id nor another job's is a probe."""
    for name in ("prb_none", "run_none"):
        with pytest.raises(NotFoundError):
            await store.probes.get(DEFAULT_TENANT, name)
