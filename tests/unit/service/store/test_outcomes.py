import math
from array import array

import pytest

from reteval.contract.outcomes import Outcome, OutcomeStatus, PlannedRequest
from reteval.contract.runs import RunStatus
from service.errors import NotFoundError, NotTerminalError
from service.store import chunks
from service.store.keys import DEFAULT_TENANT
from service.store.plans import name_shard
from service.store.records import SHARD, Claim, RunRecord
from service.store.store import Store
from tests.factories import in_parts, query, run_spec, stored_run, stored_test_set

N = chunks.SIZE + 3
PLAN = [PlannedRequest(query_id=f"q{n}", text=f"text {n}") for n in range(N)]
OUTCOMES = [
    Outcome(status=OutcomeStatus.OK, ids=[f"d{n}", f"d{n + 1}"], scores=[2.0, 1.0], returned=2)
    for n in range(N)
]


async def ended_run(store: Store) -> RunRecord:
    """Store a run of more than one chunk and end it."""
    record = await stored_run(store, run_spec(await stored_test_set(store, [query()])))
    claim = await store.claims.claim(DEFAULT_TENANT, record.id, owner="w", lease_s=30)
    assert claim is not None
    await write_all(store, claim)
    return record


async def write_all(store: Store, claim: Claim) -> None:
    """Write plan, outcomes, packed record and report."""
    await store.plans.put(claim, PLAN, clean=N - 1, shard=SHARD)
    await store.shards.write(claim, name_shard(0), list(enumerate(OUTCOMES)))
    await store.journal.pack(claim, in_parts(OUTCOMES), tags=[["faq"]] * (N - 1))
    await store.journal.put_columns(claim, {"mrr": array("d", [0.5] * N)})
    await store.journal.finish(
        claim, status=RunStatus.COMPLETED, report=b"{}", error="", shards=[name_shard(0)]
    )


async def test_rows_read_over_chunk_borders(store: Store) -> None:
    """Any stretch of the record comes back as it was written, scores included."""
    record = await ended_run(store)
    rows = await store.outcomes.rows(
        DEFAULT_TENANT, record.id, start=chunks.SIZE - 2, stop=chunks.SIZE + 2
    )
    wanted = slice(chunks.SIZE - 2, chunks.SIZE + 2)
    assert OUTCOMES[wanted] == [row.outcome for row in rows]
    assert [r.query_id for r in PLAN[wanted]] == [row.query_id for row in rows]
    assert [] == await store.outcomes.rows(DEFAULT_TENANT, record.id, start=N, stop=N + 5)


async def test_columns_and_sizes_read_back(store: Store) -> None:
    """Values, statuses, tags and the plan's size are there after the run has ended."""
    record = await ended_run(store)
    outcomes = store.outcomes
    assert (N - 1, N) == await outcomes.plan_size(DEFAULT_TENANT, record.id)
    assert {"mrr": array("d", [0.5] * N)} == await outcomes.columns(DEFAULT_TENANT, record.id)
    assert {} == await outcomes.columns(DEFAULT_TENANT, record.id, ["map"])
    assert bytes(N - 1) == await outcomes.statuses(DEFAULT_TENANT, record.id)
    assert [["faq"]] * (N - 1) == await outcomes.tags(DEFAULT_TENANT, record.id)


async def test_values_of_variants_read_over_chunk_borders(store: Store) -> None:
    """Any stretch of them, whatever parts they were written in; NaN where none was written."""
    record = await stored_run(store, run_spec(await stored_test_set(store, [query()])))
    claim = await store.claims.claim(DEFAULT_TENANT, record.id, owner="w", lease_s=30)
    assert claim is not None
    worth = [(n / 7, n / 9) for n in range(2 * chunks.SIZE + 5)]
    parts = [worth[:2], worth[2 : chunks.SIZE + 9], worth[chunks.SIZE + 9 :]]
    columns = [tuple(array("d", column) for column in zip(*part, strict=True)) for part in parts]
    await store.journal.put_variants(claim, columns)
    read = store.outcomes.variant_values
    for start, stop in ((0, 3), (chunks.SIZE - 1, chunks.SIZE + 1), (499, 1_004), (7, 7)):
        assert worth[start:stop] == await read(DEFAULT_TENANT, record.id, start=start, stop=stop)
    (last, none) = await read(DEFAULT_TENANT, record.id, start=len(worth) - 1, stop=len(worth) + 1)
    assert last == worth[-1]
    assert all(map(math.isnan, none))


async def test_record_is_closed_until_the_run_ends(store: Store) -> None:
    """An active run has no record yet, an unknown one never."""
    record = await stored_run(store, run_spec(await stored_test_set(store, [query()])))
    with pytest.raises(NotTerminalError):
        await store.outcomes.plan_size(DEFAULT_TENANT, record.id)
    with pytest.raises(NotFoundError):
        await store.outcomes.plan_size(DEFAULT_TENANT, "run_none")


async def test_run_that_never_started_has_an_empty_record(store: Store) -> None:
    """A run cancelled before its first request reads as empty, not as missing."""
    record = await stored_run(store, run_spec(await stored_test_set(store, [query()])))
    await store.runs.request_cancel(DEFAULT_TENANT, record.id)
    assert (0, 0) == await store.outcomes.plan_size(DEFAULT_TENANT, record.id)
    assert {} == await store.outcomes.columns(DEFAULT_TENANT, record.id)
    assert b"" == await store.outcomes.statuses(DEFAULT_TENANT, record.id)
    assert [] == await store.outcomes.tags(DEFAULT_TENANT, record.id)


async def test_delete_frees_every_key_of_a_run(store: Store, redis_url: str) -> None:
    """Deleting a run and its set leaves nothing behind but counts and who asks next."""
    import redis

    from service.store import keys

    record = await ended_run(store)
    await store.runs.delete(DEFAULT_TENANT, record.id)
    await store.test_sets.delete(DEFAULT_TENANT, record.spec.test_set.id)
    with redis.Redis.from_url(redis_url) as client:
        left = {name.decode() for name in client.keys("*")}
    assert left == {"t:default:test-sets:versions", keys.TURNS, keys.TENANTS, keys.COUNTERS}
