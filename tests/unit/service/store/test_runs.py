import msgspec
import pytest

from reteval.contract.outcomes import Outcome, OutcomeStatus, PlannedRequest
from reteval.contract.results import Results
from reteval.contract.runs import RunStatus
from service.errors import (
    AlreadyTerminalError,
    NotFoundError,
    NotTerminalError,
    RunActiveError,
)
from service.store.fencing import LostClaimError
from service.store.keys import DEFAULT_TENANT
from service.store.plans import name_shard
from service.store.records import SHARD, Claim, Idempotency, RunRecord
from service.store.store import Store
from tests.factories import query, run_spec, stored_run, stored_test_set

OK = Outcome(status=OutcomeStatus.OK, ids=["a"], returned=1, latency_ms=1.0, http_status=200)


async def new_run(store: Store, *, label: str = "") -> RunRecord:
    """Store a run over a set of one query."""
    return await stored_run(store, run_spec(await stored_test_set(store, [query()]), label=label))


async def claimed(store: Store, record: RunRecord, *, lease_s: float = 30) -> Claim:
    """Claim a run that must be free."""
    claim = await store.claims.claim(DEFAULT_TENANT, record.id, owner="w", lease_s=lease_s)
    assert claim is not None
    return claim


async def test_idempotency_key_makes_one_run(store: Store) -> None:
    """Whoever holds the key makes the run; whoever holds it later gets that one."""
    spec = run_spec(await stored_test_set(store, [query()]))
    key = await store.idempotency.claim(DEFAULT_TENANT, "k", "print")
    assert isinstance(key, Idempotency)
    first, made = await store.runs.create(
        DEFAULT_TENANT, spec, secrets=None, idempotency=key, queue="runs"
    )
    other = msgspec.structs.replace(spec, id="run_other")
    again, remade = await store.runs.create(
        DEFAULT_TENANT, other, secrets=None, idempotency=key, queue="runs"
    )
    assert (first, True, False) == (again, made, remade)


async def test_create_needs_its_test_set(store: Store) -> None:
    """A run over a set that is gone is refused and leaves nothing behind."""
    test_set = await stored_test_set(store, [query()])
    await store.test_sets.delete(DEFAULT_TENANT, test_set.id)
    with pytest.raises(NotFoundError):
        await stored_run(store, run_spec(test_set))
    assert [] == await store.jobs.active()


async def test_page_filters_and_walks_newest_first(store: Store) -> None:
    """Pages hold each fitting run once, newest first."""
    runs = [await new_run(store, label=label) for label in ("a", "b", "a", "a")]
    wanted = [record.id for record in reversed(runs) if record.spec.request.label == "a"]
    first, position = await store.runs.page(DEFAULT_TENANT, before=None, limit=2, label="a")
    rest, end = await store.runs.page(DEFAULT_TENANT, before=position, limit=2, label="a")
    assert wanted == [record.id for record in first + rest]
    assert end is None
    none, _ = await store.runs.page(
        DEFAULT_TENANT, before=None, limit=2, status=RunStatus.COMPLETED
    )
    assert [] == none


async def test_cancel_ends_an_unclaimed_run_with_a_report(store: Store) -> None:
    """A run nobody claimed ends at once: all queries skipped, every number null with a reason."""
    record = await new_run(store)
    ended = await store.runs.request_cancel(DEFAULT_TENANT, record.id)
    report = msgspec.json.decode(await store.runs.results(DEFAULT_TENANT, record.id), type=Results)
    assert RunStatus.CANCELLED == ended.status == report.status
    assert (1, 1) == (report.counts.planned, report.counts.skipped)
    assert report.metrics is None
    assert report.reason == "cancelled_before_start"
    assert [] == await store.jobs.active()
    with pytest.raises(AlreadyTerminalError):
        await store.runs.request_cancel(DEFAULT_TENANT, record.id)


async def test_cancel_of_a_claimed_run_reaches_its_worker(store: Store) -> None:
    """The holder learns of the cancellation when it renews."""
    record = await new_run(store)
    claim = await claimed(store, record)
    await store.runs.request_cancel(DEFAULT_TENANT, record.id)
    beat = await store.claims.renew(claim, lease_s=30)
    assert (True, True) == (beat.held, beat.cancel)


async def test_claim_is_granted_to_one_owner(store: Store) -> None:
    """A held run is refused to others; the same owner is told its grant again."""
    record = await new_run(store)
    claim = await claimed(store, record)
    assert claim == await store.claims.claim(DEFAULT_TENANT, record.id, owner="w", lease_s=30)
    assert None is await store.claims.claim(DEFAULT_TENANT, record.id, owner="x", lease_s=30)


async def test_lapsed_lease_fences_the_old_holder(store: Store) -> None:
    """After a takeover every write of the old holder is refused, and a crash is counted."""
    record = await new_run(store)
    old = await claimed(store, record, lease_s=0.001)
    new = None
    while new is None:
        new = await store.claims.claim(DEFAULT_TENANT, record.id, owner="x", lease_s=30)
    with pytest.raises(LostClaimError):
        await store.shards.write(old, name_shard(0), [(0, OK)])
    with pytest.raises(LostClaimError):
        await store.plans.put(old, [], clean=0, shard=SHARD)
    assert not (await store.claims.renew(old, lease_s=30)).held
    assert 1 == (await store.runs.get(DEFAULT_TENANT, record.id)).crash_count


async def test_released_run_counts_no_crash(store: Store) -> None:
    """Giving a run back lets the next worker claim it at once, without blame."""
    record = await new_run(store)
    await store.claims.release(await claimed(store, record))
    assert not (await claimed(store, record)).poisoned
    assert 0 == (await store.runs.get(DEFAULT_TENANT, record.id)).crash_count


async def test_run_that_kills_workers_is_poisoned(store: Store) -> None:
    """The third death of a holder marks the run as poisoned."""
    record = await new_run(store)
    verdicts = []
    while len(verdicts) < 4:
        claim = await store.claims.claim(
            DEFAULT_TENANT, record.id, owner=str(len(verdicts)), lease_s=0.001
        )
        if claim:
            verdicts.append(claim.poisoned)
    assert [False, False, False, True] == verdicts


async def test_first_outcome_stands(store: Store) -> None:
    """A request keeps the first outcome that was written for it, and is counted once."""
    record = await new_run(store)
    claim = await claimed(store, record)
    await store.plans.put(claim, [PlannedRequest(query_id="q", text="t")], clean=1, shard=SHARD)
    await store.shards.write(claim, name_shard(0), [(0, OK)])
    await store.shards.write(claim, name_shard(0), [(0, Outcome(status=OutcomeStatus.FAILED))])
    kept = await store.shards.partial(DEFAULT_TENANT, record.id, name_shard(0), range(1))
    state = await store.runs.get(DEFAULT_TENANT, record.id)
    assert [OK] == kept
    assert (1, 1, 0) == (state.total, state.done, state.failed)
    assert {0} == await store.shards.done(claim, name_shard(0))


async def test_shard_without_all_its_outcomes_is_not_done(store: Store) -> None:
    """A shard cannot be committed with fewer outcomes than it has requests."""
    record = await new_run(store)
    claim = await claimed(store, record)
    requests = [PlannedRequest(query_id="q", text=text) for text in "ab"]
    size = await store.plans.put(claim, requests, clean=2, shard=SHARD)
    await store.plans.commit(claim, size.units())
    shard = await claimed(store, record)
    await store.shards.write(shard, shard.unit, [(0, OK)])
    with pytest.raises(ValueError, match="lacks outcomes"):
        await store.shards.commit(shard, range(2))


async def test_finished_run_reads_and_never_changes(store: Store) -> None:
    """Report and status appear together; a second finish is refused."""
    record = await new_run(store)
    claim = await claimed(store, record)
    with pytest.raises(NotTerminalError):
        await store.runs.results(DEFAULT_TENANT, record.id)
    with pytest.raises(RunActiveError):
        await store.runs.delete(DEFAULT_TENANT, record.id)
    await store.journal.finish(claim, status=RunStatus.COMPLETED, report=b'{"a":1}', error="")
    with pytest.raises(LostClaimError):
        await store.journal.finish(claim, status=RunStatus.FAILED, report=b"{}", error="late")
    assert b'{"a":1}' == await store.runs.results(DEFAULT_TENANT, record.id)
    assert [b'{"a":1}'] == [
        report async for report in store.runs.history(DEFAULT_TENANT, record.spec.test_set.id)
    ]
    await store.runs.delete(DEFAULT_TENANT, record.id)
    with pytest.raises(NotFoundError):
        await store.runs.get(DEFAULT_TENANT, record.id)


async def test_late_beat_does_not_take_a_released_run_back(store: Store) -> None:
    """A renewal that arrives after the release leaves the run free, and learns that it lost."""
    record = await new_run(store)
    claim = await claimed(store, record)
    await store.claims.release(claim)
    assert not (await store.claims.renew(claim, lease_s=30)).held
    assert await store.claims.claim(DEFAULT_TENANT, record.id, owner="next", lease_s=30)
