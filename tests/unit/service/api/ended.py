"""A small run that has ended: every kind of outcome once, values worked out by hand."""

import math
from array import array
from collections.abc import Sequence
from typing import Any

import msgspec

from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus, PlannedRequest
from reteval.contract.runs import RunStatus
from reteval.contract.unjudged import UnjudgedHits
from service.store.keys import DEFAULT_TENANT
from service.store.outcomes import VARIANT_CLEAN, VARIANT_VALUE
from service.store.plans import name_shard
from service.store.records import SHARD
from service.store.store import Store

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
    VARIANT_VALUE: array("d", [0.25, 0.0, math.nan, 1.0]),
    VARIANT_CLEAN: array("d", [0.5, 0.5, 0.5, math.nan]),
}
SUMMARY = {"n": 2, "sd": 0.3, "ci": None, "level": 0.95, "method": "t", "bounds": [0.2, 0.6]}
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
) -> None:
    """Do a worker's part: plan, outcomes, columns, report."""
    claim = await store.claims.claim(DEFAULT_TENANT, run_id, owner="w", lease_s=30)
    assert claim is not None
    record = await store.runs.get(DEFAULT_TENANT, run_id)
    await store.plans.put(claim, [*CLEAN, *VARIANTS], clean=len(CLEAN), shard=SHARD)
    await store.shards.write(claim, name_shard(0), list(enumerate(OUTCOMES)))
    await store.journal.pack(claim, OUTCOMES, tags=[["faq"], ["faq", "=x"], [], []])
    await store.journal.put_columns(claim, COLUMNS)
    await store.journal.put_unjudged(claim, unjudged)
    report = {
        "id": run_id,
        "status": "completed" if metrics else "failed",
        "label": record.spec.request.label,
        "timestamp": "2026-11-30T00:00:00.000Z",
        "num_queries": 4,
        "metrics": {"mrr": {"mean": mean, **SUMMARY}} if metrics else None,
        **({} if metrics else {"reason": "endpoint_down"}),
    }
    await store.journal.finish(
        claim,
        status=RunStatus.COMPLETED if metrics else RunStatus.FAILED,
        report=msgspec.json.encode(report),
        error="" if metrics else "endpoint_down",
    )
