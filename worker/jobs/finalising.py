"""The end of a run: outcomes to numbers to a packed record, in one step that others can see."""

import asyncio

import msgspec

from reteval.contract.diagnostics import Diagnostic
from reteval.contract.metrics import parse_metric
from reteval.contract.outcomes import FailureCode, Outcome
from reteval.contract.runs import RunStatus
from service.store.bare_report import iso_time, report_bare, skipped
from service.store.claims import MAX_CRASHES
from service.store.plans import PlanSize
from service.store.records import END, PLAN, RunRecord
from worker.jobs.importing import plan_import
from worker.jobs.planning import Planned, replan
from worker.jobs.rescoring import plan_rescoring
from worker.jobs.work import Work, log
from worker.pipeline.crashes import describe_crash
from worker.pipeline.evaluation import Evaluation, RunEvidence, evaluate


async def finalise_run(work: Work, record: RunRecord) -> None:
    """Score a run whose requests have all ended, and end it.

    Raises:
        LostClaimError: another worker has it.
    """
    store, claim, spec = work.store, work.claim, record.spec
    size = await store.plans.size(work.tenant, record.id)
    if size is None:
        raise RuntimeError("the end of a run without a plan")
    planned = await _read_plan(work, record)
    plan, showing = planned.plan, await store.plans.showing(work.tenant, record.id)
    outcomes = await _read_outcomes(work, size, _name_unsent(record, showing.stopped))
    if len(outcomes) != len(plan.requests):
        raise RuntimeError(f"{len(outcomes)} outcomes of {len(plan.requests)} planned")
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
            test_set=planned.test_set,
            plan=plan,
            outcomes=outcomes,
            cancelled=record.cancel_requested,
            stopped=showing.stopped,
            found=showing.found,
        ),
    )
    tags = [query.tags for query in (*plan.scorable, *plan.nothing)]
    await store.journal.pack(claim, outcomes, tags=tags)
    await store.journal.put_columns(claim, evaluation.columns)
    await store.journal.put_unjudged(claim, evaluation.unjudged)
    await store.journal.finish(
        claim,
        status=evaluation.report.status,
        report=msgspec.json.encode(evaluation.report),
        error=evaluation.error,
        shards=size.units(),
    )
    log.info("run.finished", run=spec.id, status=evaluation.report.status)


async def abandon_run(work: Work, record: RunRecord, code: FailureCode) -> None:
    """End a run without numbers; what was answered is kept, the rest is skipped."""
    journal, claim = work.store.journal, work.claim
    await journal.halt(claim)
    size = await work.store.plans.size(work.tenant, record.id) or PlanSize(0, 0, 1)
    outcomes = await _read_outcomes(work, size, code)
    found = [await _describe_crash(work, size)] if claim.poisoned else []
    if size.total:
        await journal.pack(claim, outcomes, tags=[[]] * size.clean)
    shown = outcomes[: size.clean] or [skipped(code)] * record.spec.planned.clean
    await journal.finish(
        claim,
        status=RunStatus.FAILED,
        report=report_bare(record, status=RunStatus.FAILED, reason=code, clean=shown, found=found),
        error=code,
        shards=size.units(),
    )


async def _read_plan(work: Work, record: RunRecord) -> Planned:
    if record.spec.rescore is not None:
        return await plan_rescoring(work, record, record.spec.rescore)
    if record.spec.uploaded:
        return await plan_import(work, record)
    return await replan(work, record)


async def _describe_crash(work: Work, size: PlanSize) -> Diagnostic:
    """Tell what the workers were at that died of the claimed unit."""
    claim, store = work.claim, work.store
    if claim.unit in (PLAN, END):
        doing = "planning it" if claim.unit == PLAN else "computing its numbers"
        return describe_crash([], deaths=MAX_CRASHES, doing=doing)
    places = size.places(claim.unit)
    stored = await store.shards.partial(work.tenant, claim.job_id, claim.unit, places)
    requests = await store.plans.requests(
        work.tenant, claim.job_id, start=places.start, stop=places.stop
    )
    suspects = [
        request
        for place, request, outcome in zip(places, requests, stored, strict=True)
        if outcome is None and place < claim.sent
    ]
    return describe_crash(suspects, deaths=MAX_CRASHES, doing="about to send")


def _name_unsent(record: RunRecord, stopped: str) -> FailureCode | None:
    """Return why requests of a run may have no outcome; None if they must have one."""
    if record.cancel_requested:
        return FailureCode.CANCELLED
    return FailureCode.CIRCUIT_OPEN if stopped else None


async def _read_outcomes(work: Work, size: PlanSize, unsent: FailureCode | None) -> list[Outcome]:
    """Return the outcomes in plan order; what is missing was skipped for the reason given."""
    outcomes = []
    for unit in size.units():
        stored = await work.store.shards.partial(
            work.tenant, work.claim.job_id, unit, size.places(unit)
        )
        outcomes += [
            outcome if outcome is not None or unsent is None else skipped(unsent)
            for outcome in stored
        ]
    return [outcome for outcome in outcomes if outcome is not None]
