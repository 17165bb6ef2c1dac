"""What a judge would cost, and how it does on one pair: looked at before anything is spent."""

from typing import Final

import msgspec

from reteval.contract.judges import JudgeEstimate, Trial
from reteval.contract.judgings import JudgingReport
from reteval.contract.outcomes import FailureCode
from reteval.contract.runs import RunStatus
from service.store.judging_records import JudgingRecord, StepSpec
from worker.jobs.bench import Item, Known, open_chat, show_pair, write_ask
from worker.jobs.judging import list_left, list_queries, need_judge
from worker.jobs.work import Work
from worker.judging.purse import find_cost, find_exceeded
from worker.judging.questions import count_prompt_tokens, digest_question
from worker.judging.replies import read_reply
from worker.search.failures import CallError
from worker.search.template import Prepared
from worker.search.transport import Reply

SHOWN: Final = 4_000
"""Bytes of an answer that are shown."""


async def estimate_judge(work: Work, record: JudgingRecord, step: StepSpec) -> None:
    """Count what is left for a judge, without a call, and end the job.

    Raises:
        LostClaimError: another worker has it.
        ServiceError: the store is away.
    """
    judge, prompt = need_judge(step)
    request = judge.request
    query_ids = await list_queries(work, record)
    pairs = cached = calls = tokens = 0
    async for pool in work.store.pools.read(work.tenant, record.id, query_ids):
        for item in list_left(pool, judge):
            pairs += 1
            asked = show_pair(item, request)
            for seed in range(request.votes):
                digest = digest_question(request, judge.prompt_hash, asked, seed=seed)
                if await work.store.pools.recall(work.tenant, digest, Known) is not None:
                    cached += 1
                else:
                    calls += 1
                    tokens += count_prompt_tokens(prompt, asked)
    spent = judge.progress.spent
    prompt_tokens, completion_tokens = tokens, calls * prompt.max_tokens
    exceeds = find_exceeded(
        request.caps,
        spent.prompt_tokens + prompt_tokens,
        spent.completion_tokens + completion_tokens,
    )
    most = request.caps.max_pairs
    if most is not None and judge.progress.judged + pairs > most:
        exceeds = (*exceeds, "max_pairs")
    estimate = JudgeEstimate(
        pairs=pairs,
        cached=cached,
        calls=calls,
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        cost=find_cost(request.caps, prompt_tokens, completion_tokens),
        exceeds=exceeds,
    )
    await finish_short(work, JudgingReport(estimate=estimate))


async def try_judge(work: Work, record: JudgingRecord, step: StepSpec) -> None:
    """Put one pair to a judge, show everything of it but secrets, and end the job.

    Raises:
        LostClaimError: another worker has it.
        ServiceError: the store is away.
    """
    item = await _find_item(work, record, step)
    if item is None:
        await work.store.journal.finish(
            work.claim, status=RunStatus.FAILED, report=b"", error=FailureCode.NOT_SENDABLE
        )
        return
    trial = await _try(work, step, item)
    await finish_short(work, JudgingReport(trial=trial))


async def finish_short(work: Work, report: JudgingReport) -> None:
    """End a job that changes nothing.

    Raises:
        LostClaimError: another worker has it.
    """
    await work.store.journal.finish(
        work.claim, status=RunStatus.COMPLETED, report=msgspec.json.encode(report), error=""
    )


async def _find_item(work: Work, record: JudgingRecord, step: StepSpec) -> Item | None:
    """Return the pair that is named, or the first with a text."""
    wanted = [step.query_id] if step.query_id else await list_queries(work, record)
    async for pool in work.store.pools.read(work.tenant, record.id, wanted):
        for pair in pool.pairs:
            if pair.text and step.doc_id in ("", pair.doc_id):
                return Item(query_id=pool.query_id, query=pool.query, pair=pair)
    return None


async def _try(work: Work, step: StepSpec, item: Item) -> Trial:
    judge, prompt = need_judge(step)
    seen: list[tuple[Prepared, Reply | None]] = []

    def tap(request: Prepared, reply: Reply | None) -> None:
        seen.append((request, reply))

    async with open_chat(work, judge.request, prompt, tap=tap) as (chat, _):
        ask = write_ask(item, prompt, show_pair(item, judge.request), 0)
        said, error, detail, form = None, "", "", ""
        try:
            said, heard = await chat.ask(
                ask,
                read=lambda body: read_reply(body, scale_max=prompt.scale_max),
                unfit=lambda reply: reply.error is not None and reply.error.repairable,
            )
            error, detail = said.error.value if said.error else "", said.detail
            form = heard.form.value
        except CallError as exc:
            error, detail = exc.code.value, exc.detail
        request, reply = seen[-1] if seen else (None, None)
        return Trial(
            query_id=item.query_id,
            doc_id=item.pair.doc_id,
            sent="" if request is None else chat.mask((request.body or b"").decode()),
            http_status=None if reply is None else reply.status,
            answer="" if reply is None else chat.mask(reply.body[:SHOWN].decode(errors="replace")),
            grade=None if said is None else said.grade,
            probs=None if said is None else said.probs,
            explanation="" if said is None else chat.mask(said.explanation),
            error=error,
            detail=chat.mask(detail),
            response_format=form,
        )
