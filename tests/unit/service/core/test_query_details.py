"""One query of a run with all that is known of it."""

from array import array

import msgspec
import pytest

from reteval.contract.outcomes import Outcome, OutcomeStatus, PlannedRequest
from service.core.query_details import MAX_VARIANTS, read_details
from service.errors import NotFoundError
from service.queue import JobQueue
from service.store.chunks import SIZE
from service.store.keys import DEFAULT_TENANT
from service.store.plans import name_shard
from service.store.records import SHARD
from service.store.store import Store
from tests.factories import in_parts, query, run_spec, stored_run, stored_test_set
from tests.unit.service.api.scored import report_of
from tests.unit.service.core.backends import a_backend

CLEAN = SIZE + 2


async def long_run(store: Store) -> str:
    """Return an ended run over more queries than a stored chunk has, the last one varied much."""
    queries = [query(f"query {number}", **{f"d{number}": 2}) for number in range(CLEAN)]
    spec = run_spec(await stored_test_set(store, queries))
    await stored_run(store, spec)
    claim = await store.claims.claim(DEFAULT_TENANT, spec.id, owner="w", lease_s=30)
    assert claim is not None
    clean = [PlannedRequest(query_id=one.id, text=one.query) for one in queries]
    variants = [
        PlannedRequest(query_id=clean[-number % 2 - 1].query_id, text=f"v{number}", kind="typo")
        for number in range(2 * MAX_VARIANTS + 10)
    ]
    plan = [*clean, *variants]
    outcomes = [
        Outcome(status=OutcomeStatus.OK, ids=[f"d{n}"], returned=1) for n in range(len(plan))
    ]
    await store.plans.put(claim, plan, clean=len(clean), shard=SHARD)
    await store.shards.write(claim, name_shard(0), list(enumerate(outcomes)))
    await store.journal.pack(claim, in_parts(outcomes), tags=[[]] * len(clean))
    await store.journal.put_columns(claim, {"mrr": array("d", [1.0] * len(clean))})
    report = report_of(spec)
    await store.journal.finish(
        claim, status=report.status, report=msgspec.json.encode(report), error=""
    )
    return spec.id


async def test_query_is_found_wherever_it_stands(store: Store, queue: JobQueue) -> None:
    """The answer, judgments and variants are those of the query, beyond the first chunk, too."""
    backend, run_id = a_backend(store, queue), await long_run(store)
    details = await read_details(backend, run_id, f"q-query {CLEAN - 1}")
    assert details.outcome.ids == [f"d{CLEAN - 1}"]
    assert details.row.query == f"query {CLEAN - 1}"
    assert [(one.id, one.grade) for one in details.judgments] == [(f"d{CLEAN - 1}", 2)]
    assert [one.text for one in details.variants] == [f"v{2 * n}" for n in range(MAX_VARIANTS)]
    assert (await read_details(backend, run_id, "q-query 1")).variants == ()


async def test_query_that_was_not_asked_is_missing(store: Store, queue: JobQueue) -> None:
    """A query that the run did not ask is not found."""
    with pytest.raises(NotFoundError, match="did not ask a query 'q9'"):
        await read_details(a_backend(store, queue), await long_run(store), "q9")
