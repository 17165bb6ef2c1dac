"""What earlier runs over a test set made of each query."""

import math
from typing import Final

from reteval.contract.metrics import choose_headline
from reteval.contract.runs import RunStatus
from reteval.contract.slices import PAST_RUNS
from service.errors import CorruptRecordError, NotFoundError
from service.store.records import RunRecord
from worker.jobs.work import Work
from worker.pipeline.difficulty import Difficulty, rate_difficulty

_LOOKED_AT: Final = 100
"""Newest runs of the test set among which earlier ones are looked for."""
_WITH_NUMBERS: Final = (RunStatus.COMPLETED, RunStatus.COMPLETED_WITH_ERRORS)


async def read_difficulty(work: Work, record: RunRecord) -> Difficulty:
    """Rate the queries of a run by the runs that had ended before it was made.

    A rescoring searched nothing, and a run's parent has the same answers: neither is another run.
    """
    metric = choose_headline(record.spec.metrics)
    records, _ = await work.store.runs.page(
        work.tenant, before=None, limit=_LOOKED_AT, test_set=record.spec.test_set.id
    )
    past: list[dict[str, float]] = []
    for earlier in records:
        if len(past) == PAST_RUNS:
            break
        if _counts(earlier, record, metric):
            try:
                past.append(await _read_values(work, earlier.id, metric))
            except (CorruptRecordError, NotFoundError):  # damaged, or deleted since
                continue
    return rate_difficulty(metric, past)


def _counts(earlier: RunRecord, record: RunRecord, metric: str) -> bool:
    spec = record.spec
    parent = spec.rescore.parent if spec.rescore else spec.retry
    return (
        earlier.status in _WITH_NUMBERS
        and earlier.spec.rescore is None
        and earlier.id != parent
        and metric in earlier.spec.metrics
        and (earlier.finished_ms or math.inf) <= record.created_ms
    )


async def _read_values(work: Work, run_id: str, metric: str) -> dict[str, float]:
    outcomes, tenant = work.store.outcomes, work.tenant
    columns = await outcomes.columns(tenant, run_id, [metric])
    clean, _ = await outcomes.plan_size(tenant, run_id)
    requests = await outcomes.requests(tenant, run_id, start=0, stop=clean)
    pairs = zip(requests, columns.get(metric, ()), strict=False)
    return {request.query_id: value for request, value in pairs if not math.isnan(value)}
