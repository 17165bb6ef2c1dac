"""A run over rankings that were made elsewhere and uploaded: no call, the same numbers."""

import asyncio

from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus
from reteval.contract.rankings import Ranking
from service.store.bare_report import skipped
from service.store.records import RunRecord
from worker.jobs.work import Work
from worker.pipeline.plan import build_plan


async def import_run(work: Work, record: RunRecord) -> bool:
    """Turn the uploaded rankings into outcomes; True: the run's end is left.

    Raises:
        LostClaimError: another worker has the run.
    """
    store, tenant = work.store, work.tenant
    test_set = await store.test_sets.get(tenant, record.spec.test_set.id)
    plan = await asyncio.to_thread(
        build_plan,
        await work.read_queries(test_set.id),
        None,
        relevant_from=test_set.relevant_from,
        language=test_set.language,
        split=record.spec.request.split,
    )
    rankings = {
        ranking.query_id: ranking
        async for chunk in store.runs.rankings(tenant, record.id)
        for ranking in chunk
    }
    outcomes = [
        read_outcome(rankings.get(request.query_id), depth=record.spec.depth)
        for request in plan.requests
    ]
    await work.store_all(plan, outcomes)
    return True


def read_outcome(ranking: Ranking | None, *, depth: int) -> Outcome:
    """Return what a ranking says about its query; nothing was sent, so there are no attempts."""
    if ranking is None:
        return skipped(FailureCode.NOT_IN_RANKINGS)
    if ranking.error:
        return Outcome(
            status=OutcomeStatus.FAILED,
            code=FailureCode.REPORTED,
            detail=ranking.error,
            attempts=0,
        )
    return Outcome(
        status=OutcomeStatus.OK if ranking.ids else OutcomeStatus.OK_EMPTY,
        attempts=0,
        latency_ms=ranking.latency_ms,
        returned=len(ranking.ids),
        ids=[str(doc) for doc in ranking.ids[:depth]],
        scores=None if ranking.scores is None else ranking.scores[:depth],
    )
