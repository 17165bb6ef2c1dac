"""Judging: one pair after the other put to a model, each answer read strictly and kept.

A pair is in the record once for each time it was judged, as a grade or as a failure. What a model
answered is remembered apart from that, so that no answer is paid for twice.
"""

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Final

import msgspec
from msgspec import structs

from reteval.contract.judge_prompts import JudgePrompt
from reteval.contract.judges import Judge, JudgeProgress
from reteval.contract.judgings import JudgingState
from reteval.contract.outcomes import FailureCode
from service.store.judging_records import JudgingRecord, StepSpec
from service.store.pools import Pooled
from worker.jobs.bench import Bench, Item, Verdict, open_chat
from worker.jobs.keeping import Keeper
from worker.jobs.queueing import queue_pairs
from worker.jobs.stepping import end_step
from worker.jobs.work import Work, log
from worker.judging.beliefs import find_last
from worker.judging.purse import Purse
from worker.search.crew import Crew

BATCH: Final = 200
"""Queries whose pairs are read before any of them is put to the model."""


class Ledger:
    """What a judge has come to, written with its votes."""

    def __init__(
        self, work: Work, record: JudgingRecord, judge: Judge, progress: JudgeProgress
    ) -> None:
        self.gave_up = False
        self.purse = Purse(judge.request.caps, progress.spent, pairs=progress.judged)
        self._work = work
        self._record = record
        self._judge = judge
        self._pairs = progress.pairs
        self._judged = progress.judged
        self._failures = Counter(progress.failures)

    async def write(self, batch: Sequence[Verdict]) -> None:
        """Write votes, and how far the judge is with them.

        Raises:
            LostClaimError: the claim is void.
            StoreUnavailableError: the store is away.
        """
        failures, judged = self._failures.copy(), self._judged
        for verdict in batch:
            failures[verdict.item.failed] -= 1
            failures[verdict.vote.error] += 1
            judged += not verdict.vote.error
        votes = [(verdict.item.query_id, verdict.vote) for verdict in batch]
        judges = self._show(judged, failures)
        await self._work.store.pools.add_votes(
            self._work.claim, self._record.id, votes, {"judges": judges}
        )
        self._judged, self._failures = judged, failures

    @property
    def progress(self) -> JudgeProgress:
        """How far the judge is."""
        return self._sum_up(self._judged, self._failures)

    def judges(self) -> bytes:
        """Return all judges of the judging, this one as it is now."""
        return self._show(self._judged, self._failures)

    def _show(self, judged: int, failures: Mapping[str, int]) -> bytes:
        mine = structs.replace(self._judge, progress=self._sum_up(judged, failures))
        others = [one for one in self._record.judges if one.rater != mine.rater]
        return msgspec.json.encode([*others, mine])

    def _sum_up(self, judged: int, failures: Mapping[str, int]) -> JudgeProgress:
        named = {code: count for code, count in sorted(failures.items()) if code and count > 0}
        return JudgeProgress(
            pairs=self._pairs,
            judged=judged,
            failed=sum(named.values()),
            failures=named,
            spent=self.purse.spent,
        )


async def judge_pairs(work: Work, record: JudgingRecord, step: StepSpec) -> None:
    """Put what is left to the judge, rank what people are to see, and end the job.

    Raises:
        LostClaimError: another worker has it.
        ServiceError: the store is away.
    """
    judge, prompt = need_judge(step)
    work.hold.makes_way = True
    await work.store.pools.drop_answers(work.tenant, record.id)  # the pool stays as it is
    query_ids = await list_queries(work, record)
    ledger = Ledger(work, record, judge, await count_pairs(work, record, judge, query_ids))
    async with (
        open_chat(work, judge.request, prompt) as (chat, manners),
        Keeper(work, ledger.write) as keeper,
    ):
        crew = Crew(
            Bench(work, judge, prompt, chat, ledger.purse).judge,
            manners=manners,
            concurrency=judge.request.model.limits.concurrency,
            failed=lambda verdict: verdict is not None and verdict.away,
            given_up=None,
        )

        def emit(_place: int, verdict: Verdict | None) -> None:
            if verdict is not None:
                keeper.take(verdict)
            elif not ledger.purse.exhausted:
                ledger.gave_up = True

        async for items in _list_items(work, record, judge, query_ids):
            if work.hold.stopping() or ledger.purse.exhausted or ledger.gave_up:
                break
            await crew.work(
                _while_affordable(items, ledger), emit=emit, stopping=work.hold.stopping
            )
    await _end(work, record, ledger, query_ids)


async def list_queries(work: Work, record: JudgingRecord) -> list[str]:
    """Return the ids of the set's queries, in order; those without a pool among them."""
    return [query.id for query in await work.read_queries(record.spec.test_set.id)]


def need_judge(step: StepSpec) -> tuple[Judge, JudgePrompt]:
    """Return the judge of a job, which has one by its kind."""
    if step.judge is None or step.prompt is None:
        raise RuntimeError(f"the job {step.id!r} has no judge")
    return step.judge, step.prompt


async def count_pairs(
    work: Work, record: JudgingRecord, judge: Judge, query_ids: Sequence[str]
) -> JudgeProgress:
    """Count what the judge is to judge and has judged, from the votes themselves."""
    pairs = judged = 0
    failures: Counter[str] = Counter()
    async for pool in work.store.pools.read(work.tenant, record.id, query_ids):
        last = find_last(pool.votes, judge.rater)
        for pair in pool.pairs:
            if pair.text and (pair.known is None or judge.request.known):
                pairs += 1
                vote = last.get(pair.doc_id)
                judged += vote is not None and not vote.error
                failures[vote.error if vote else ""] += 1
    failures.pop("", None)
    return JudgeProgress(
        pairs=pairs,
        judged=judged,
        failed=sum(failures.values()),
        failures=dict(failures),
        spent=judge.progress.spent,
    )


def list_left(pool: Pooled, judge: Judge) -> list[Item]:
    """Return the pairs of a pool that the judge has not judged, in their shuffled order."""
    last = find_last(pool.votes, judge.rater)
    items = []
    for pair in pool.pairs:
        vote = last.get(pair.doc_id)
        wanted = pair.text and (pair.known is None or judge.request.known)
        if wanted and (vote is None or vote.error):
            failed = vote.error if vote else ""
            items.append(Item(query_id=pool.query_id, query=pool.query, pair=pair, failed=failed))
    return items


async def _list_items(
    work: Work, record: JudgingRecord, judge: Judge, query_ids: Sequence[str]
) -> AsyncIterator[list[Item]]:
    for start in range(0, len(query_ids), BATCH):
        pools = work.store.pools.read(work.tenant, record.id, query_ids[start : start + BATCH])
        yield [item async for pool in pools for item in list_left(pool, judge)]


def _while_affordable(items: Sequence[Item], ledger: Ledger) -> Iterator[tuple[int, Item]]:
    for place, item in enumerate(items):
        if ledger.purse.exhausted or ledger.gave_up:
            return
        yield place, item


async def _end(work: Work, record: JudgingRecord, ledger: Ledger, query_ids: Sequence[str]) -> None:
    progress = ledger.progress
    state, error = JudgingState.JUDGED, ""
    if ledger.purse.exhausted:
        state, error = JudgingState.BUDGET_EXHAUSTED, "a cap was reached"
    elif ledger.gave_up or (progress.failed and not progress.judged):
        codes = Counter(progress.failures).most_common(1)
        state = JudgingState.FAILED
        error = codes[0][0] if codes else FailureCode.CIRCUIT_OPEN.value
    if work.hold.reason is None:
        await queue_pairs(work, record, query_ids)
    log.info("judging.stopped", judging=record.id, judged=progress.judged, failed=progress.failed)
    await end_step(work, record, state=state, error=error, fields={"judges": ledger.judges()})
