"""The jobs of judgings, by what they do."""

from collections.abc import Awaitable, Callable
from typing import Final

from reteval.contract.judgings import JobKind, JudgingState
from reteval.contract.outcomes import FailureCode
from reteval.contract.runs import RunStatus
from service.store.judging_records import JudgingRecord, StepSpec
from worker.jobs.hold import Stop
from worker.jobs.judging import judge_pairs
from worker.jobs.measuring import measure_agreement, probe_judge
from worker.jobs.pooling import pool_queries
from worker.jobs.stepping import end_step
from worker.jobs.trying import estimate_judge, try_judge
from worker.jobs.work import Work

_SHORT: Final[dict[JobKind, Callable[[Work, JudgingRecord, StepSpec], Awaitable[None]]]] = {
    JobKind.ESTIMATE: estimate_judge,
    JobKind.TRY: try_judge,
    JobKind.MEASURE: measure_agreement,
    JobKind.SCORECARD: probe_judge,
}


async def do_step(work: Work) -> None:
    """Do what a job of a judging is for.

    Raises:
        LostClaimError: another worker has it.
        NotFoundError: the judging, or what it is made of, is gone.
        ServiceError: the store is away.
    """
    job = await work.store.steps.get(work.tenant, work.claim.job_id)
    record = await work.store.judgings.get(work.tenant, job.spec.judging)
    if job.spec.kind in _SHORT:
        await _SHORT[job.spec.kind](work, record, job.spec)
        return
    if job.cancel_requested:
        work.hold.stop(Stop.CANCELLED)
        await end_step(work, record)
    elif job.spec.kind is JobKind.POOL:
        await pool_queries(work, record)
    else:
        await judge_pairs(work, record, job.spec)


async def abandon_step(work: Work, code: FailureCode) -> None:
    """End a job that could not be done, and say so in its judging."""
    job = await work.store.steps.get(work.tenant, work.claim.job_id)
    if job.spec.kind not in _SHORT:
        told = {"state": JudgingState.FAILED.value.encode(), "error": code.value.encode()}
        await work.store.pools.put(work.claim, job.spec.judging, fields=told)
    await work.store.journal.finish(work.claim, status=RunStatus.FAILED, report=b"", error=code)
