"""The end of a run: outcomes to numbers to a packed record, in one step that others can see."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Sequence

import msgspec

from reteval.contract.diagnostics import Diagnostic
from reteval.contract.metrics import parse_metric
from reteval.contract.outcomes import FailureCode, Outcome, PlannedRequest
from reteval.contract.results import Results
from reteval.contract.runs import RunStatus
from service.egress import name_origin
from service.errors import CorruptRecordError
from service.store.bare_report import iso_time, report_bare, skipped
from service.store.chunks import SIZE
from service.store.claims import MAX_CRASHES
from service.store.plans import PlanSize
from service.store.records import END, PLAN, RunRecord
from worker.jobs.past import read_difficulty
from worker.jobs.planning import recall
from worker.jobs.stored import Stored, bridge
from worker.jobs.work import Work, log
from worker.pipeline.crashes import describe_crash
from worker.pipeline.evaluation import Evaluation, RunEvidence, evaluate
from worker.pipeline.holdout import digest_holdout, note_look
from worker.pipeline.plan import Plan


async def finalise_run(work: Work, record: RunRecord) -> None:
    """Score a run whose requests have all ended, and end it.

    Raises:
        LostClaimError: another worker has it.
    """
    store, claim, spec = work.store, work.claim, record.spec
    size = await store.plans.size(work.tenant, record.id)
    if size is None:
        raise CorruptRecordError("The plan of the run is gone.")
    planned = await recall(work, record, size, _open_requests(work, size))
    plan, showing = planned.plan, await store.plans.showing(work.tenant, record.id)
    blocked: list[Outcome] = []
    parts = _note_blocked(_read_shards(work, size, _name_unsent(record, showing.stopped)), blocked)
    tags = [query.tags for query in (*plan.scorable, *plan.nothing)]
    ids = await store.journal.pack(claim, parts, tags=tags)
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
            outcomes=_open_outcomes(work, size, ids),
            cancelled=record.cancel_requested,
            stopped=showing.stopped,
            found=showing.found,
            outside=spec.portion.outside if spec.portion else 0,
            difficulty=await read_difficulty(work, record),
        ),
    )
    report = await _note_look(work, record, plan, evaluation)
    await store.journal.put_slices(claim, evaluation.slices)
    await store.journal.put_columns(claim, evaluation.columns)
    await store.journal.put_variants(claim, ((w.value, w.clean) for w in evaluation.variants))
    await store.journal.put_unjudged(claim, evaluation.unjudged)
    if blocked:
        origin = name_origin(spec.request.endpoint.url)
        detail = f"{origin}: {len(blocked)} requests: {blocked[0].detail}"
        await store.audit.deny(work.tenant, target=spec.id, detail=detail)
    await store.journal.finish(
        claim,
        status=evaluation.report.status,
        report=msgspec.json.encode(report),
        error=evaluation.error,
        shards=size.units(),
    )
    log.info("run.finished", run=spec.id, status=evaluation.report.status)


async def _note_look(work: Work, record: RunRecord, plan: Plan, evaluation: Evaluation) -> Results:
    """Count a look at the hold-out, if the run was one, and say so in its report."""
    if not evaluation.held_out:
        return evaluation.report
    holdout = digest_holdout(record.spec.test_set.name, plan.queries)
    looks = await work.store.looks.note(work.tenant, record.id, holdout)
    return note_look(evaluation.report, looks, held_out=evaluation.held_out)


async def abandon_run(work: Work, record: RunRecord, code: FailureCode) -> None:
    """End a run without numbers; what was answered is kept, the rest is skipped."""
    journal, claim = work.store.journal, work.claim
    await journal.halt(claim)
    size = await work.store.plans.size(work.tenant, record.id) or PlanSize(0, 0, 1)
    found = [await _describe_crash(work, size)] if claim.poisoned else []
    shown: list[Outcome] = []
    if size.total:
        parts = _note_first(_read_shards(work, size, code), shown, size.clean)
        await journal.pack(claim, parts, tags=[[]] * size.clean)
    shown = shown or [skipped(code)] * record.spec.accountable
    await journal.finish(
        claim,
        status=RunStatus.FAILED,
        report=report_bare(record, status=RunStatus.FAILED, reason=code, clean=shown, found=found),
        error=code,
        shards=size.units(),
    )


def _open_requests(work: Work, size: PlanSize) -> Stored[PlannedRequest]:
    tenant, run_id = work.tenant, work.claim.job_id

    async def read(number: int) -> Sequence[PlannedRequest]:
        start = number * SIZE
        return await work.store.plans.requests(tenant, run_id, start=start, stop=start + SIZE)

    return bridge(read, size.total)


def _open_outcomes(work: Work, size: PlanSize, ids: Sequence[str]) -> Stored[Outcome]:
    tenant, run_id = work.tenant, work.claim.job_id

    async def read(number: int) -> Sequence[Outcome]:
        return await work.store.outcomes.chunk(tenant, run_id, number, ids)

    return bridge(read, size.total)


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


async def _read_shards(
    work: Work, size: PlanSize, unsent: FailureCode | None
) -> AsyncIterator[list[Outcome]]:
    """Yield the outcomes of shard after shard; what is missing was skipped for the reason given."""
    for unit in size.units():
        places = size.places(unit)
        stored = await work.store.shards.partial(work.tenant, work.claim.job_id, unit, places)
        outcomes = [
            outcome if outcome is not None or unsent is None else skipped(unsent)
            for outcome in stored
        ]
        there = [outcome for outcome in outcomes if outcome is not None]
        if len(there) != len(places):
            raise RuntimeError(f"shard {unit} has {len(there)} outcomes of {len(places)}")
        yield there


async def _note_blocked(
    parts: AsyncIterable[list[Outcome]], noted: list[Outcome]
) -> AsyncIterator[list[Outcome]]:
    """Pass the parts on, and note the outcomes of requests that were not let out."""
    async for part in parts:
        noted += [outcome for outcome in part if outcome.code is FailureCode.BLOCKED]
        yield part


async def _note_first(
    parts: AsyncIterable[list[Outcome]], noted: list[Outcome], count: int
) -> AsyncIterator[list[Outcome]]:
    """Pass the parts on, and note the first outcomes."""
    async for part in parts:
        noted += part[: count - len(noted)]
        yield part
