"""The plan of a run that calls its endpoint: made once, stored, and replayed after that."""

import asyncio

import msgspec

from reteval.contract.testsets import Query, TestSet
from service.store.records import RunRecord
from worker.jobs.hold import Stop
from worker.jobs.paraphrasing import ask_model
from worker.jobs.work import Work
from worker.pipeline.paraphrases import Answers, choose_asked
from worker.pipeline.plan import Plan, build_plan


async def plan_run(work: Work, record: RunRecord, test_set: TestSet) -> Plan:
    """Build the plan; a run taken over replays the requests that were planned first.

    A model that writes paraphrases is asked before anything is planned, and its answers are
    stored first. Where the run is let go meanwhile, nothing is: who takes it over asks again.
    """
    journal, claim = work.store.journal, work.claim
    queries = await work.read_queries(test_set.id)
    stored = await journal.plan(claim)
    answers: Answers = await work.store.outcomes.model_answers(work.tenant, record.id)
    is_whole = True
    if stored is None and not answers:
        answers, is_whole = await _ask(work, record, queries, test_set.relevant_from)
    plan = await asyncio.to_thread(
        build_plan,
        queries,
        record.spec.request.adversarial,
        relevant_from=test_set.relevant_from,
        language=test_set.language,
        rounds=record.spec.request.repeat,
        answers=answers,
    )
    if stored is not None:
        return msgspec.structs.replace(plan, requests=tuple(stored[0]))
    if is_whole or work.hold.reason is Stop.CANCELLED:
        if answers:
            await journal.put_model_answers(claim, answers)
        await journal.put_plan(claim, plan.requests, clean=plan.clean)
    return plan


async def _ask(
    work: Work, record: RunRecord, queries: list[Query], relevant_from: int
) -> tuple[Answers, bool]:
    """Return what the model answered, and whether it was asked for every query."""
    request = record.spec.request.adversarial
    asked = choose_asked(queries, request, relevant_from=relevant_from)
    if not asked or request is None or request.model is None:
        return {}, True
    answers = await ask_model(work, record, request.model, asked)
    return answers, len(answers) == len(asked)
