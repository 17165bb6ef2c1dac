"""A run made of another run's rankings: other metrics, threshold or test-set version, no call."""

import asyncio
from collections.abc import Sequence

from msgspec import structs

from reteval.contract.outcomes import FailureCode, Outcome, PlannedRequest
from reteval.contract.testsets import TestSet
from service.store.bare_report import skipped
from service.store.chunks import SIZE
from service.store.records import Rescore, RunRecord
from worker.jobs.planning import Planned
from worker.jobs.work import Work
from worker.pipeline.paraphrases import Answers
from worker.pipeline.plan import Plan, replay_plan


async def rescore_run(work: Work, record: RunRecord, rescore: Rescore) -> bool:
    """Take over the parent's stored rankings; True: the run's end is left.

    Raises:
        NotFoundError: the parent is gone.
        LostClaimError: another worker has the run.
    """
    store, claim = work.store, work.claim
    stored = await _read_stored(work, rescore.parent)
    answers = await store.plans.model_answers(work.tenant, rescore.parent)
    requests = [request for request, _ in stored]
    plan = (await _replay(work, record, rescore, requests, answers)).plan
    if answers:
        await store.plans.put_model_answers(claim, answers)
    known = {_identify(request): outcome for request, outcome in stored}
    outcomes = [
        known.get(_identify(request), skipped(FailureCode.NOT_IN_PARENT))
        for request in plan.requests
    ]
    await work.store_all(plan.requests, outcomes, clean=plan.clean)
    return True


async def plan_rescoring(work: Work, record: RunRecord, rescore: Rescore) -> Planned:
    """Return the plan of a rescoring again, from the requests that it stored.

    Raises:
        NotFoundError: the parent is gone.
    """
    plans, tenant = work.store.plans, work.tenant
    requests = await plans.requests(tenant, record.id, start=0, stop=record.total)
    answers = await plans.model_answers(tenant, record.id)
    planned = await _replay(work, record, rescore, requests, answers)
    return structs.replace(planned, plan=structs.replace(planned.plan, requests=tuple(requests)))


async def _replay(
    work: Work,
    record: RunRecord,
    rescore: Rescore,
    requests: Sequence[PlannedRequest],
    answers: Answers,
) -> Planned:
    store, tenant = work.store, work.tenant
    parent = await store.runs.get(tenant, rescore.parent)
    before = await store.test_sets.get(tenant, parent.spec.test_set.id)
    test_set = await store.test_sets.get(tenant, record.spec.test_set.id)
    plan = await asyncio.to_thread(
        replay_plan,
        await work.read_queries(test_set.id),
        requests,
        planned_from=await work.read_queries(before.id),
        request=parent.spec.request.adversarial,
        relevant_from=rescore.relevant_from,
        planned_relevant_from=find_threshold(parent, before),
        language=before.language,
        answers=answers,
    )
    return Planned(_apply(test_set, rescore, plan), plan)


async def _read_stored(work: Work, run_id: str) -> list[tuple[PlannedRequest, Outcome]]:
    outcomes, tenant = work.store.outcomes, work.tenant
    _, total = await outcomes.plan_size(tenant, run_id)
    stored: list[tuple[PlannedRequest, Outcome]] = []
    for start in range(0, total, SIZE):
        stop = start + SIZE
        requests = await outcomes.requests(tenant, run_id, start=start, stop=stop)
        rows = await outcomes.rows(tenant, run_id, start=start, stop=stop)
        stored += zip(requests, (row.outcome for row in rows), strict=True)
    return stored


def _identify(request: PlannedRequest) -> tuple[str, str, str, int, int]:
    return request.query_id, request.text, request.kind, request.severity, request.replicate


def find_threshold(record: RunRecord, test_set: TestSet) -> int:
    """Return a run's least relevant grade: the test set's, unless a rescoring chose another."""
    earlier = record.spec.rescore
    return test_set.relevant_from if earlier is None else earlier.relevant_from


def _apply(test_set: TestSet, rescore: Rescore, plan: Plan) -> TestSet:
    """Return the test set as the run sees it: another threshold scores other queries."""
    originals = sum(not query.parent for query in plan.queries)
    stats = structs.replace(
        test_set.stats, scorable=len(plan.scorable), unscorable=originals - plan.clean
    )
    return structs.replace(test_set, relevant_from=rescore.relevant_from, stats=stats)
