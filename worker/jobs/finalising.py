"""The end of a run: outcomes to numbers to a packed record, in one step that others can see."""

import asyncio
from collections.abc import Sequence

import msgspec

from reteval.contract.diagnostics import Diagnostic
from reteval.contract.metrics import parse_metric
from reteval.contract.outcomes import FailureCode, Outcome
from reteval.contract.runs import RunStatus
from reteval.contract.testsets import TestSet
from service.store.bare_report import iso_time, report_bare, skipped
from service.store.records import RunRecord
from worker.jobs.recorder import Recorder
from worker.jobs.work import Work, log
from worker.pipeline.evaluation import Evaluation, RunEvidence, evaluate
from worker.pipeline.plan import Plan


async def finalise_run(
    work: Work,
    record: RunRecord,
    test_set: TestSet,
    plan: Plan,
    *,
    cancelled: bool = False,
    stopped: str = "",
    found: Sequence[Diagnostic] = (),
) -> None:
    """Score a run whose requests have all ended, and end it.

    `stopped` is why it was stopped early, if it was; `found` goes before its diagnostics.

    Raises:
        LostClaimError: another worker has it.
    """
    journal, claim = work.store.journal, work.claim
    await journal.begin_finalising(claim)
    outcomes = await _read_outcomes(work, len(plan.requests))
    if len(outcomes) != len(plan.requests):
        raise RuntimeError(f"{len(outcomes)} outcomes of {len(plan.requests)} planned")
    spec = record.spec
    evaluation: Evaluation = await asyncio.to_thread(
        evaluate,
        RunEvidence(
            run_id=spec.id,
            created_at=iso_time(record.created_ms),
            request=spec.request,
            metrics=tuple(parse_metric(name) for name in spec.metrics),
            depth=spec.depth,
            egress=spec.egress,
            code_version=spec.code_version,
            test_set=test_set,
            plan=plan,
            outcomes=outcomes,
            cancelled=cancelled,
            stopped=stopped,
            found=tuple(found),
        ),
    )
    tags = [query.tags for query in (*plan.scorable, *plan.nothing)]
    await journal.pack(claim, outcomes, tags=tags)
    await journal.put_columns(claim, evaluation.columns)
    await journal.put_unjudged(claim, evaluation.unjudged)
    await journal.finish(
        claim,
        status=evaluation.report.status,
        report=msgspec.json.encode(evaluation.report),
        error=evaluation.error,
        outcomes=len(outcomes),
    )
    log.info("run.finished", run=spec.id, status=evaluation.report.status)


async def abandon_run(work: Work, record: RunRecord, code: FailureCode) -> None:
    """End a run without numbers; what was answered is kept, the rest is skipped."""
    journal, claim = work.store.journal, work.claim
    stored = await journal.plan(claim)
    requests, clean = stored or ([], 0)
    await skip_missing(work, len(requests), code)
    outcomes = await _read_outcomes(work, len(requests))
    if requests:
        await journal.pack(claim, outcomes, tags=[[]] * clean)
    shown = outcomes[:clean] or [skipped(code)] * record.spec.planned.clean
    await journal.finish(
        claim,
        status=RunStatus.FAILED,
        report=report_bare(record, status=RunStatus.FAILED, reason=code, clean=shown),
        error=code,
        outcomes=len(requests),
    )


async def skip_missing(work: Work, total: int, code: FailureCode) -> None:
    """Give every request of the plan that has no outcome the one that it was not sent."""
    recorder = Recorder(work.store.journal, work.claim)
    done = await work.store.journal.done(work.claim)
    for place in range(total):
        if place not in done:
            recorder.record(place, skipped(code))
    await recorder.flush()


async def _read_outcomes(work: Work, total: int) -> list[Outcome]:
    parts = work.store.journal.outcomes(work.claim, total)
    return [outcome async for part in parts for outcome in part]
