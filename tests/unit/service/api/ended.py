"""A small run that has ended: every kind of outcome once, values worked out by hand."""

import math
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus, PlannedRequest
from reteval.contract.results import ScoredTestSet
from reteval.contract.runs import RunStatus
from reteval.contract.unjudged import UnjudgedHits
from service.store.keys import DEFAULT_TENANT
from service.store.plans import name_shard
from service.store.records import SHARD
from service.store.store import Store
from tests.factories import in_parts
from tests.unit.reteval.documents import a_report, a_summary

CLEAN = [
    PlannedRequest(query_id="q1", text="reset =password"),
    PlannedRequest(query_id="q 2", text="refund"),
    PlannedRequest(query_id="q3", text="delete account"),
    PlannedRequest(query_id="q4", text="weather in Lisbon"),
]
VARIANTS = [
    PlannedRequest(
        query_id=f"q{number}",
        text=f"variant {number}",
        kind="typo.mixed" if number % 2 else "short.k2",
        severity=1,
        original="reset =password",
        generated=True,
    )
    for number in range(1, 5)
]
OUTCOMES = [
    Outcome(status=OutcomeStatus.OK, ids=["d1", "d 2", "d1"], returned=3, latency_ms=5.0),
    Outcome(status=OutcomeStatus.OK_EMPTY, latency_ms=6.0),
    Outcome(status=OutcomeStatus.FAILED, code=FailureCode.TIMEOUT, attempts=3),
    Outcome(status=OutcomeStatus.OK, ids=["x"], returned=1, latency_ms=4.0),
    *[Outcome(status=OutcomeStatus.OK, ids=["d1"], returned=1, latency_ms=1.0)] * 4,
]
COLUMNS = {
    "mrr": array("d", [0.5, 0.0, math.nan, math.nan]),
    "judged@10": array("d", [1.0, math.nan, math.nan, math.nan]),
}
WORTH = array("d", [0.25, 0.0, math.nan, 1.0]), array("d", [0.5, 0.5, 0.5, math.nan])
TEST_SET = {
    "name": "ended",
    "queries": [
        {"id": "q1", "query": "reset =password", "relevant_ids": ["d1", "d 2"], "tags": ["faq"]},
        {"id": "q 2", "query": "refund", "relevant_ids": ["d3"], "tags": ["faq", "=x"]},
        {"id": "q3", "query": "delete account", "relevant_ids": ["d4"]},
        {"id": "q4", "query": "weather in Lisbon", "expect": "nothing"},
    ],
}


def run_body(**changes: Any) -> dict[str, Any]:
    """Return a valid body of POST /v1/runs."""
    endpoint = {"url": "http://127.0.0.1:9/search"}
    return {"test_set": "ended", "endpoint": endpoint, "metrics": ["mrr", "judged@10"], **changes}


async def end_run(
    store: Store,
    run_id: str,
    *,
    metrics: bool = True,
    mean: float = 0.25,
    unjudged: Sequence[UnjudgedHits] = (),
    clean: Sequence[PlannedRequest] = CLEAN,
    told: Mapping[str, Any] | None = None,
) -> None:
    """Do a worker's part: plan, outcomes, columns, and a report, with what is `told` in it."""
    claim = await store.claims.claim(DEFAULT_TENANT, run_id, owner="w", lease_s=30)
    assert claim is not None
    record = await store.runs.get(DEFAULT_TENANT, run_id)
    await store.plans.put(claim, [*clean, *VARIANTS], clean=len(clean), shard=SHARD)
    await store.shards.write(claim, name_shard(0), list(enumerate(OUTCOMES)))
    await store.journal.pack(claim, in_parts(OUTCOMES), tags=[["faq"], ["faq", "=x"], [], []])
    await store.journal.put_columns(claim, COLUMNS)
    await store.journal.put_variants(claim, [WORTH])
    await store.journal.put_unjudged(claim, unjudged)
    report = a_report(
        id=run_id,
        status=RunStatus.COMPLETED if metrics else RunStatus.FAILED,
        test_set=ScoredTestSet(**msgspec.structs.asdict(record.spec.test_set)),
        label=record.spec.request.label,
        timestamp="2026-11-30T00:00:00.000Z",
        num_queries=4,
        metrics={"mrr": a_summary(mean, n=2, ci=None, bounds=(0.2, 0.6))} if metrics else None,
        reason=UNSET if metrics else "endpoint_down",
    )
    report = msgspec.structs.replace(report, **told or {})
    await store.journal.finish(
        claim,
        status=report.status,
        report=msgspec.json.encode(report),
        error="" if metrics else "endpoint_down",
        shards=[name_shard(0)],
    )
