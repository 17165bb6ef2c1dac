"""A run over rankings that were made elsewhere and uploaded: no call, the same numbers."""

import asyncio

from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus
from reteval.contract.rankings import Ranking
from service.store.bare_report import skipped
from service.store.records import RunRecord
from worker.jobs.finalising import finalise_run
from worker.jobs.recorder import Recorder
from worker.jobs.work import Work
from worker.pipeline.plan import build_plan


async def import_run(work: Work, record: RunRecord) -> None:
    """Turn the uploaded rankings into outcomes, score them and end the run.

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
    )
    await store.journal.put_plan(work.claim, plan.requests, clean=plan.clean)
    rankings = {
        ranking.query_id: ranking
        async for chunk in store.runs.rankings(tenant, record.id)
        for ranking in chunk
    }
    recorder = Recorder(store.journal, work.claim)
    for place, request in enumerate(plan.requests):
        ranking = rankings.get(request.query_id)
        recorder.record(place, read_outcome(ranking, depth=record.spec.depth))
    await recorder.flush()
    await finalise_run(work, record, test_set, plan)


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
