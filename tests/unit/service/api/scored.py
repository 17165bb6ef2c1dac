"""Runs over one set that have ended with a full report and per-query values."""

from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from reteval.contract.outcomes import Outcome, OutcomeStatus, PlannedRequest
from reteval.contract.results import Results
from reteval.contract.runs import RunStatus
from reteval.contract.testsets import Query
from service.store.keys import DEFAULT_TENANT
from service.store.plans import name_shard
from service.store.records import SHARD, RunSpec
from service.store.store import Store
from tests.factories import in_parts, query, run_spec, stored_run, stored_test_set
from tests.unit.reteval.documents import a_report, a_summary

VALUES = (0.0, 0.5, 1.0, 1.0)
PLAN = tuple(PlannedRequest(query_id=f"q{n}", text=f"query {n}") for n in range(4))
OUTCOMES = (Outcome(status=OutcomeStatus.OK, ids=["d1"], returned=1),) * 4


async def new_run(
    store: Store,
    *,
    label: str = "",
    branch: str = "",
    name: str = "set",
    queries: Sequence[Query] = (),
) -> RunSpec:
    """Create a queued run over the set of this name."""
    test_set = await stored_test_set(store, queries or [query()], name=name)
    spec = run_spec(test_set, label=label, meta={"branch": branch} if branch else None)
    await stored_run(store, spec)
    return spec


async def score_run(
    store: Store,
    spec: RunSpec,
    *,
    columns: Mapping[str, Sequence[float]] | None = None,
    plan: Sequence[PlannedRequest] = PLAN,
    outcomes: Sequence[Outcome] = OUTCOMES,
    **changes: Any,
) -> str:
    """Do a worker's part for a run: answers, four by default, columns, a full report."""
    claim = await store.claims.claim(DEFAULT_TENANT, spec.id, owner="w", lease_s=30)
    assert claim is not None
    await store.plans.put(claim, plan, clean=len(plan), shard=SHARD)
    await store.shards.write(claim, name_shard(0), list(enumerate(outcomes)))
    await store.journal.pack(claim, in_parts(outcomes), tags=[[]] * len(plan))
    held = {"mrr": VALUES} if columns is None else columns
    await store.journal.put_columns(claim, {n: array("d", v) for n, v in held.items()})
    report = msgspec.structs.replace(report_of(spec), **changes)
    await store.journal.finish(
        claim,
        status=report.status,
        report=msgspec.json.encode(report),
        error="" if report.status is RunStatus.COMPLETED else "reason",
    )
    return spec.id


def report_of(spec: RunSpec) -> Results:
    """Return the report of a run that went well: mrr 0.625."""
    return a_report(
        id=spec.id,
        label=spec.request.label,
        test_set=spec.test_set,
        metrics={"mrr": a_summary(0.625)},
        diagnostics=(),
    )


async def scored_run(
    store: Store, *, label: str = "", branch: str = "", name: str = "set", **changes: Any
) -> str:
    """Create a run and end it."""
    spec = await new_run(store, label=label, branch=branch, name=name)
    return await score_run(store, spec, **changes)
