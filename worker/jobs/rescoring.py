"""A run made of another run's rankings: other metrics, threshold or test-set version, no call."""

import asyncio
from collections.abc import Sequence

from reteval.contract.outcomes import FailureCode, Outcome, PlannedRequest
from reteval.contract.testsets import TestSet
from service.store.bare_report import skipped
from service.store.chunks import SIZE
from service.store.records import Rescore, RunRecord
from worker.jobs.work import Work
from worker.pipeline.paraphrases import Answers
from worker.pipeline.plan import Origin, Plan, choose_split, replay_plan


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
    plan = await _replay(work, record, rescore, requests, answers)
    if answers:
        await store.plans.put_model_answers(claim, answers)
    known = {_identify(request): outcome for request, outcome in stored}
    outcomes = [
        known.get(_identify(request), skipped(FailureCode.NOT_IN_PARENT))
        for request in plan.requests
    ]
    await work.store_all(plan, outcomes)
    return True


async def _replay(
    work: Work,
    record: RunRecord,
    rescore: Rescore,
    requests: Sequence[PlannedRequest],
    answers: Answers,
) -> Plan:
    store, tenant = work.store, work.tenant
    parent = await store.runs.get(tenant, rescore.parent)
    asked = parent.spec.request
    before = await store.test_sets.get(tenant, parent.spec.test_set.id)
    return await asyncio.to_thread(
        replay_plan,
        await work.read_queries(record.spec.test_set.id),
        requests,
        origin=Origin(
            queries=choose_split(await work.read_queries(before.id), asked.split),
            relevant_from=find_threshold(parent, before),
            language=before.language,
            answers=answers,
        ),
        request=asked.adversarial,
        relevant_from=rescore.relevant_from,
        split=record.spec.request.split,
    )


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
