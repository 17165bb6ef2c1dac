"""A judge at work on one pair: what it is asked, what is remembered, what it comes to."""

import contextlib
import statistics
from collections.abc import AsyncIterator
from typing import Final

from msgspec import Struct, structs

from reteval.contract.endpoints import Endpoint
from reteval.contract.judge_prompts import JudgePrompt
from reteval.contract.judges import Judge, JudgeRequest
from reteval.contract.pools import PooledPair
from reteval.contract.votes import Cast, RaterKind, Vote
from service.store.sealing import unseal
from worker.jobs.sharing import name_target, share_lanes, share_pace
from worker.jobs.stepping import now_iso
from worker.jobs.targets import read_policy
from worker.jobs.work import Work
from worker.judging.purse import Purse
from worker.judging.questions import (
    Asked,
    count_prompt_tokens,
    cut_text,
    digest_question,
    fill_fields,
    write_body,
    write_schema,
)
from worker.judging.replies import Reply, read_reply
from worker.search.caller import Tap
from worker.search.chat import LONGEST_WAIT_S, Chat, Question
from worker.search.failures import RETRYABLE, CallError
from worker.search.manners import Manners
from worker.search.template import Ask

_PATH: Final = "/chat/completions"


class Item(Struct, frozen=True, kw_only=True):
    """A pair that is to be judged; `failed` is why it was not when it was tried before."""

    query_id: str
    query: str
    pair: PooledPair
    failed: str = ""


class Verdict(Struct, frozen=True, kw_only=True):
    """What a judge came to; `away`: its server may not be there."""

    item: Item
    vote: Vote
    away: bool = False


class Known(Struct, frozen=True, kw_only=True):
    """An answer that is remembered."""

    grade: int
    probs: tuple[float, ...] | None = None
    explanation: str = ""
    fingerprint: str = ""
    latency_ms: float | None = None
    cached: bool = True


class _NoGradeError(Exception):
    """An answer, or none, that is no judgment."""

    def __init__(self, code: str, detail: str, *, away: bool = False) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.away = away


class _SpentError(Exception):
    """A call that the caps do not allow."""


class Bench:
    """A judge with its chat, its purse and its memory."""

    def __init__(
        self, work: Work, judge: Judge, prompt: JudgePrompt, chat: Chat, purse: Purse
    ) -> None:
        self._work = work
        self._judge = judge
        self._prompt = prompt
        self._chat = chat
        self._purse = purse

    async def judge(self, item: Item) -> Verdict | None:
        """Put a pair to the judge as often as votes are wanted; None where the caps forbid it.

        All answers must be grades, else the pair has failed; those that were are remembered.

        Raises:
            ServiceError: the store is away.
        """
        if not self._purse.admit_pair():
            return None
        asked = show_pair(item, self._judge.request)
        answers: list[Known] = []
        try:
            for seed in range(self._judge.request.votes):
                answers += [await self._answer(item, asked, seed)]
        except _SpentError:
            return None
        except _NoGradeError as exc:
            vote = self._vote(item, asked, answers, error=exc.code, detail=exc.detail)
            return Verdict(item=item, vote=vote, away=exc.away)
        return Verdict(item=item, vote=self._vote(item, asked, answers))

    async def grade(self, item: Item, seed: int = 0) -> int | None:
        """Return what a judge gives a pair once, for its scorecard; None where that is no grade.

        Raises:
            ServiceError: the store is away.
        """
        try:
            return (await self._answer(item, show_pair(item, self._judge.request), seed)).grade
        except (_NoGradeError, _SpentError):
            return None

    async def _answer(self, item: Item, asked: Asked, seed: int) -> Known:
        digest = digest_question(self._judge.request, self._judge.prompt_hash, asked, seed=seed)
        tenant = self._work.tenant
        known = await self._work.store.pools.recall(tenant, digest, Known)
        if known is not None:
            self._purse.save()
            return known
        reply, latency_ms = await self._ask(item, asked, seed)
        if reply.grade is None:
            code = "" if reply.error is None else reply.error.value
            raise _NoGradeError(code, self._chat.mask(reply.detail))
        answer = Known(
            grade=reply.grade,
            probs=reply.probs,
            explanation=self._chat.mask(reply.explanation),
            fingerprint=self._chat.mask(reply.fingerprint),
            latency_ms=latency_ms,
        )
        await self._work.store.pools.remember(tenant, digest, answer)
        return structs.replace(answer, cached=False)

    async def _ask(self, item: Item, asked: Asked, seed: int) -> tuple[Reply, float]:
        aside = (count_prompt_tokens(self._prompt, asked), self._prompt.max_tokens)
        if not self._purse.admit(*aside):
            raise _SpentError
        used = aside
        try:
            reply, heard = await self._chat.ask(
                write_ask(item, self._prompt, asked, seed),
                read=lambda body: read_reply(body, scale_max=self._prompt.scale_max),
                unfit=lambda said: said.error is not None and said.error.repairable,
            )
            used = (
                aside[0] if reply.prompt_tokens is None else reply.prompt_tokens,
                aside[1] if reply.completion_tokens is None else reply.completion_tokens,
            )
        except CallError as exc:
            used = (0, 0)
            raise _NoGradeError(exc.code, exc.detail, away=exc.code in RETRYABLE) from exc
        finally:
            self._purse.settle(aside, used)
        return reply, heard.latency_ms

    def _vote(
        self, item: Item, asked: Asked, answers: list[Known], *, error: str = "", detail: str = ""
    ) -> Vote:
        casts = tuple(
            Cast(grade=one.grade, seed=seed, latency_ms=one.latency_ms, cached=one.cached)
            for seed, one in enumerate(answers)
        )
        grades = [one.grade for one in answers]
        first = answers[0] if answers and not error else None
        return Vote(
            doc_id=item.pair.doc_id,
            kind=RaterKind.LLM,
            rater=self._judge.rater,
            at=now_iso(),
            grade=None if first is None else statistics.median_low(grades),
            error=error,
            detail=detail,
            explanation=first.explanation if first else "",
            casts=casts,
            probs=first.probs if first else None,
            text_sha256=item.pair.text_sha256,
            cut=asked.cut,
            fingerprint=first.fingerprint if first else "",
        )


def show_pair(item: Item, request: JudgeRequest) -> Asked:
    """Return what a judge is shown of a pair."""
    document, cut = cut_text(item.pair.text, request.max_chars)
    return Asked(query=item.query, document=document, cut=cut or item.pair.cut)


def write_ask(item: Item, prompt: JudgePrompt, asked: Asked, seed: int) -> Ask:
    """Return what is filled into the prompt for a pair."""
    return Ask(
        text=item.query, id=item.query_id, fields=dict(fill_fields(prompt, asked, seed=seed))
    )


@contextlib.asynccontextmanager
async def open_chat(
    work: Work, request: JudgeRequest, prompt: JudgePrompt, *, tap: Tap | None = None
) -> AsyncIterator[tuple[Chat, Manners]]:
    """Open the model, under the policy, the limits and the pace of any target."""
    model, policy = request.model, read_policy(work)
    sealed = await work.store.claims.secrets(work.claim)
    headers = unseal(work.settings.secret_key, sealed) if sealed else {}
    endpoint = Endpoint(
        url=model.base_url.rstrip("/") + _PATH, headers=headers, params=dict(model.params)
    )
    target = name_target(policy, endpoint.url)
    question = Question(
        body=write_body(request, prompt),
        system=prompt.system,
        user=prompt.user,
        form=prompt.bare_form if request.logprobs else prompt.form,
        schema=None if request.logprobs else write_schema(prompt),
    )
    async with share_lanes(work, target, model.limits) as lanes:
        pacer = share_pace(work, target, model.limits, longest_s=LONGEST_WAIT_S)
        manners = Manners(pacer=pacer, lanes=lanes)
        async with Chat(
            endpoint,
            question,
            limits=model.limits,
            policy=policy,
            manners=manners,
            run_id=work.claim.job_id,
            tap=tap,
        ) as chat:
            yield chat, manners
