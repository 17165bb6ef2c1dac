"""A run that calls its endpoint: plan, send what is missing, conclude."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime

from reteval.contract.diagnostics import Diagnostic
from reteval.contract.endpoints import Endpoint
from reteval.contract.outcomes import FailureCode
from reteval.contract.runs import Window
from service.store.ending import end_task
from service.store.journal import LostClaimError
from service.store.records import RunRecord
from worker.jobs.canary import Canary, Emit
from worker.jobs.finalising import finalise_run, skip_missing
from worker.jobs.hold import Stop
from worker.jobs.planning import plan_run
from worker.jobs.recorder import Recorder
from worker.jobs.sharing import name_target, share_lanes, share_pace
from worker.jobs.targets import open_endpoint, read_policy
from worker.jobs.window import seconds_until_closed, seconds_until_open
from worker.jobs.work import Work
from worker.pipeline.lookup import find_missing
from worker.pipeline.plan import Plan
from worker.pipeline.samples import judged_ids
from worker.pipeline.text_overlap import find_comparison
from worker.search.lookup import look_up
from worker.search.manners import Manners
from worker.search.searcher import Searcher
from worker.search.template import Ask


async def search_run(work: Work, record: RunRecord) -> None:
    """Carry a run to its end, or hand it on.

    Raises:
        LostClaimError: another worker has it.
        ServiceError: the store is away.
    """
    window = record.spec.request.limits.window
    closed_s = seconds_until_open(window, datetime.now(UTC)) if window else 0.0
    if closed_s and not record.cancel_requested:
        await work.postpone(closed_s)
        return
    test_set = await work.store.test_sets.get(work.tenant, record.spec.test_set.id)
    async with _closing(work, window):
        plan = await plan_run(work, record, test_set)
        endpoint = await open_endpoint(work, record.spec.request.endpoint)
        canary = Canary(plan, endpoint)
        await _send(work, record, endpoint, plan, canary, language=test_set.language)
    failure = await canary.find_failure(work)
    found = [] if failure else await _look_up(work, record, endpoint, plan)
    reason = work.hold.reason
    if reason is Stop.LOST:
        raise LostClaimError(record.id)
    if reason is Stop.DRAINING:
        await work.hand_on(queue=record.queue)
        return
    if reason is Stop.WINDOW and window:
        await work.postpone(seconds_until_open(window, datetime.now(UTC)))
        return
    if reason is Stop.CANCELLED:
        await skip_missing(work, len(plan.requests), FailureCode.CANCELLED)
    elif failure:
        await skip_missing(work, len(plan.requests), FailureCode.CIRCUIT_OPEN)
    await finalise_run(
        work,
        record,
        test_set,
        plan,
        cancelled=reason is Stop.CANCELLED,
        stopped=f"canary: {failure.value}" if failure else "",
        found=[canary.describe(failure)] if failure else found,
    )


@contextlib.asynccontextmanager
async def _closing(work: Work, window: Window | None) -> AsyncIterator[None]:
    """Stop the run when the hours at which its endpoint may be called are over."""
    if window is None:
        yield
        return
    closing = asyncio.get_running_loop().call_later(
        seconds_until_closed(window, datetime.now(UTC)), work.hold.stop, Stop.WINDOW
    )
    try:
        yield
    finally:
        closing.cancel()


def list_asks(plan: Plan, language: str) -> list[Ask]:
    """Return what is asked for each request of a plan: variants carry their query's fields.

    `language` is the test set's, for reading whether an answer could be one.
    """
    fields = {query.id: query.fields for query in plan.queries if query.fields}
    for query in plan.queries:
        if query.parent in fields:
            fields.setdefault(query.id, fields[query.parent])
    return [
        Ask(
            text=request.text,
            id=request.query_id,
            fields=fields.get(request.query_id, {}),
            compare=find_comparison(request, language),
        )
        for request in plan.requests
    ]


async def _send(
    work: Work,
    record: RunRecord,
    endpoint: Endpoint,
    plan: Plan,
    canary: Canary,
    *,
    language: str,
) -> None:
    """Send every request that has no outcome yet, until done, told to stop, or all fail alike."""
    done = await work.store.journal.done(work.claim)
    missing = [
        (place, ask) for place, ask in enumerate(list_asks(plan, language)) if place not in done
    ]
    if not missing:
        return
    recorder = Recorder(work.store.journal, work.claim)
    writing = asyncio.create_task(recorder.keep())
    try:
        async with _open_searcher(work, record, endpoint, canary) as searcher:
            first = [row for row in missing if row[0] < canary.size]
            await _search(work, searcher, first, canary.watch(recorder.record), writing)
            canary.witness.close()
            if work.hold.reason is not Stop.LOST:
                await recorder.flush()
            if await canary.find_failure(work) is None:
                await _search(work, searcher, missing[len(first) :], recorder.record, writing)
    finally:
        with contextlib.suppress(LostClaimError):
            await end_task(writing)
    if work.hold.reason is not Stop.LOST:
        await recorder.flush()


async def _search(
    work: Work,
    searcher: Searcher,
    missing: list[tuple[int, Ask]],
    emit: Emit,
    writing: "asyncio.Task[None]",
) -> None:
    if not missing or work.hold.stopping():
        return
    searching = asyncio.create_task(
        searcher.search_all(missing, emit=emit, stopping=work.hold.stopping)
    )
    await asyncio.wait({searching, writing}, return_when=asyncio.FIRST_COMPLETED)
    if writing.done():
        work.hold.stop(Stop.LOST)
    await searching


@contextlib.asynccontextmanager
async def _open_searcher(
    work: Work, record: RunRecord, endpoint: Endpoint, canary: Canary
) -> AsyncIterator[Searcher]:
    limits, policy = record.spec.request.limits, read_policy(work)
    target = name_target(policy, endpoint.url)
    async with (
        share_lanes(work, target, limits) as lanes,
        Searcher(
            endpoint,
            limits=limits,
            depth=record.spec.depth,
            policy=policy,
            manners=Manners(pacer=share_pace(work, target, limits), lanes=lanes),
            run_id=record.id,
            tap=canary.witness.see if canary.size else None,
        ) as searcher,
    ):
        yield searcher


async def _look_up(
    work: Work, record: RunRecord, endpoint: Endpoint, plan: Plan
) -> list[Diagnostic]:
    """Ask the endpoint which judged documents it has, where it can be asked."""
    if endpoint.lookup is None or work.hold.stopping():
        return []
    known = await look_up(
        endpoint,
        judged_ids(plan.scorable),
        limits=record.spec.request.limits,
        policy=read_policy(work),
        stopping=work.hold.stopping,
    )
    missing = find_missing(known)
    return [missing] if missing else []
