"""The plan of a run that calls its endpoint: made once, stored, and tried on a few requests."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

from msgspec import Struct, structs

from reteval.contract.diagnostics import Diagnostic
from reteval.contract.endpoints import Endpoint
from reteval.contract.outcomes import PlannedRequest
from reteval.contract.testsets import TestSet
from service.store.plans import PlanSize, Showing, name_shard
from service.store.records import RunRecord
from worker.jobs.canary import Canary
from worker.jobs.hold import Stop
from worker.jobs.paraphrasing import ask_model
from worker.jobs.retrying import take_over
from worker.jobs.sending import list_asks, open_sender
from worker.jobs.targets import open_endpoint, read_policy
from worker.jobs.window import closing, seconds_until_open
from worker.jobs.work import Work
from worker.pipeline.lookup import find_missing
from worker.pipeline.paraphrases import Answers, choose_asked
from worker.pipeline.plan import Decisions, Plan, build_plan, choose_split, recall_plan
from worker.pipeline.samples import judged_ids
from worker.search.lookup import look_up


class Planned(Struct, frozen=True):
    """A plan, and the test set as the run sees it."""

    test_set: TestSet
    plan: Plan


async def plan_run(work: Work, record: RunRecord) -> bool:
    """Plan a run, see how its first requests end, and put its shards; True: they can be taken.

    Raises:
        LostClaimError: another worker has it.
        ServiceError: the store is away.
    """
    window = record.spec.request.limits.window
    closed_s = seconds_until_open(window, datetime.now(UTC)) if window else 0.0
    if closed_s and not record.cancel_requested:
        await work.postpone(closed_s)
        return False
    async with closing(work.hold, window):
        planned, size = await _plan(work, record)
        showing = await _try_out(work, record, planned, size) if size else Showing()
    if size is None or work.hold.reason not in (None, Stop.CANCELLED):
        await work.make_way(window)
        return False
    await work.store.plans.put_showing(work.claim, showing)
    await work.store.plans.commit(work.claim, [] if showing.stopped else size.units())
    return True


async def recall(
    work: Work, record: RunRecord, size: PlanSize, requests: Sequence[PlannedRequest]
) -> Planned:
    """Return the plan that was stored with these requests, and the test set as the run sees it."""
    store, tenant, spec = work.store, work.tenant, record.spec
    test_set = await store.test_sets.get(tenant, spec.test_set.id)
    relevant_from = spec.rescore.relevant_from if spec.rescore else test_set.relevant_from
    plan = recall_plan(
        await work.read_queries(test_set.id),
        requests,
        await store.plans.decisions(tenant, record.id, Decisions),
        relevant_from=relevant_from,
        variants=size.variants,
        split=spec.request.split,
    )
    if spec.portion:
        seen = spec.portion
        test_set = structs.replace(test_set, stats=seen.stats, warnings=seen.warnings)
    return Planned(_see(test_set, relevant_from, plan) if spec.rescore else test_set, plan)


def _see(test_set: TestSet, relevant_from: int, plan: Plan) -> TestSet:
    """Return the test set under another threshold, by which other queries are scored."""
    unscorable = test_set.stats.queries - plan.clean
    stats = structs.replace(test_set.stats, scorable=len(plan.scorable), unscorable=unscorable)
    return structs.replace(test_set, relevant_from=relevant_from, stats=stats)


async def _plan(work: Work, record: RunRecord) -> tuple[Planned, PlanSize | None]:
    """Make the plan and store it; a run taken over replays what was planned first.

    A model that writes paraphrases is asked before anything is planned, and its answers are
    stored first. Where the run is let go meanwhile, nothing is: who takes it over asks again.
    """
    plans = work.store.plans
    stored = await plans.size(work.tenant, record.id)
    if stored is None and record.spec.retry:
        stored = await take_over(work, record)
    if stored:
        requests = await plans.requests(work.tenant, record.id, start=0, stop=stored.total)
        return await recall(work, record, stored, requests), stored
    test_set = await work.store.test_sets.get(work.tenant, record.spec.test_set.id)
    answers: Answers = await plans.model_answers(work.tenant, record.id)
    is_whole = True
    if not answers:
        answers, is_whole = await _ask(work, record, test_set)
    plan = await asyncio.to_thread(
        build_plan,
        await work.read_queries(test_set.id),
        record.spec.request.adversarial,
        relevant_from=test_set.relevant_from,
        language=test_set.language,
        rounds=record.spec.request.repeat,
        answers=answers,
        split=record.spec.request.split,
    )
    planned = Planned(test_set, plan)
    if not is_whole and work.hold.reason is not Stop.CANCELLED:
        return planned, None
    if answers:
        await plans.put_model_answers(work.claim, answers)
    return planned, await work.put_plan(plan)


async def _ask(work: Work, record: RunRecord, test_set: TestSet) -> tuple[Answers, bool]:
    """Return what the model answered, and whether it was asked for every query."""
    request = record.spec.request.adversarial
    queries = choose_split(await work.read_queries(test_set.id), record.spec.request.split)
    asked = choose_asked(queries, request, relevant_from=test_set.relevant_from)
    if not asked or request is None or request.model is None:
        return {}, True
    answers = await ask_model(work, record, request.model, asked)
    return answers, len(answers) == len(asked)


async def _try_out(work: Work, record: RunRecord, planned: Planned, size: PlanSize) -> Showing:
    """Send the first requests; when all fail alike, say so, else look the judged ids up."""
    endpoint = await open_endpoint(work, record.spec.request.endpoint)
    canary = Canary(planned.plan, endpoint, most=size.shard)
    unit = name_shard(0)
    done = await work.store.shards.done(work.claim, unit)
    first = planned.plan.requests[: canary.size]
    asks = list_asks(first, planned.plan.queries, planned.test_set.language)
    missing = [(place, ask) for place, ask in enumerate(asks) if place not in done]
    if missing:
        async with open_sender(work, record, endpoint, unit, tap=canary.witness.see) as sender:
            await sender.send(missing, watch=canary.watch)
    failure = await canary.find_failure(work)
    if failure:
        return Showing(stopped=f"canary: {failure.value}", found=(canary.describe(failure),))
    return Showing(found=await _look_up(work, record, endpoint, planned.plan))


async def _look_up(
    work: Work, record: RunRecord, endpoint: Endpoint, plan: Plan
) -> tuple[Diagnostic, ...]:
    """Ask the endpoint which judged documents it has, where it can be asked."""
    if endpoint.lookup is None or work.hold.stopping():
        return ()
    known = await look_up(
        endpoint,
        judged_ids(plan.scorable),
        limits=record.spec.request.limits,
        policy=read_policy(work),
        stopping=work.hold.stopping,
    )
    missing = find_missing(known)
    return (missing,) if missing else ()
