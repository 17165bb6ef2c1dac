"""What the changed queries of an ended run were worth, read back for a comparison."""

import math
from collections.abc import AsyncIterator

import msgspec
from msgspec import UNSET

from reteval.contract.outcomes import VariantRow
from reteval.contract.results import Results
from reteval.contract.testsets import Query
from service.store.chunks import SIZE
from worker.jobs.work import Work
from worker.pipeline.robustness_change import Attack, gather_attack


async def read_attack(work: Work, run_id: str, queries: list[Query]) -> Attack | None:
    """Return a run's adversarial block with its losses by need; None if it sent no variants."""
    body = await work.store.runs.results(work.tenant, run_id)
    report = msgspec.json.decode(body, type=Results).adversarial
    if report is UNSET or not report.kinds:
        return None
    return gather_attack(report, [row async for row in _read_rows(work, run_id)], queries)


async def _read_rows(work: Work, run_id: str) -> AsyncIterator[VariantRow]:
    outcomes, tenant = work.store.outcomes, work.tenant
    places = await outcomes.variants(tenant, run_id)
    for start in places[::SIZE]:
        stop = min(start + SIZE, places.stop)
        requests = await outcomes.requests(tenant, run_id, start=start, stop=stop)
        values = await outcomes.variant_values(
            tenant, run_id, start=start - places.start, stop=stop - places.start
        )
        for request, (value, clean) in zip(requests, values, strict=True):
            yield VariantRow(
                query_id=request.query_id,
                kind=request.kind,
                severity=request.severity,
                replicate=request.replicate,
                original=request.original,
                text=request.text,
                ops=request.ops,
                status="",
                value=_number(value),
                clean=_number(clean),
            )


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
