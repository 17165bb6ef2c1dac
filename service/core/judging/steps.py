"""The jobs of judgings: begun by a request, done by a worker, read until they have ended."""

from typing import Final

import msgspec
from msgspec import structs

from reteval.contract.judge_prompts import JudgePrompt, NamedPrompt, PromptCatalogue, read_prompts
from reteval.contract.judges import Judge, JudgeRequest, TryRequest
from reteval.contract.judgings import JobKind, Judging, JudgingJob, JudgingState
from service.core.backend import Backend
from service.core.jobs import await_end, wake
from service.core.judging.checks import (
    check_judge,
    find_headers,
    find_prompt,
    name_rater,
    strip_judge,
)
from service.core.judging.judgings import get_judging
from service.errors import InvalidError, JudgingIncompleteError, NotFoundError
from service.queue import INTERACTIVE, RUNS
from service.store.bare_report import iso_time
from service.store.judging_records import JudgingRecord, StepRecord, StepSpec
from service.store.keys import STEP_PREFIX, new_id
from service.store.records import Idempotency
from service.store.sealing import seal

POLL_S: Final = 0.5
MAX_PROBES: Final = 400
"""Calls that a scorecard makes at most."""


def list_prompts() -> PromptCatalogue:
    """Return the prompts that come with the service."""
    found = [NamedPrompt(prompt=prompt, hash=prompt.hash) for prompt in read_prompts().values()]
    return PromptCatalogue(prompts=tuple(found))


async def begin_pool(
    backend: Backend, judging_id: str, *, idempotency: Idempotency | None = None
) -> Judging:
    """Begin to pool; once there are votes the pool stays as it is.

    Raises:
        NotFoundError: no such judging.
        InvalidError: there are votes on the pool.
        JudgingBusyError, JudgingFrozenError: it cannot be changed now, or at all.
        QuotaExceededError: the team may send no more queries today.
        IdempotencyConflictError: another process took the key over.
    """
    record = await backend.store.judgings.get(backend.tenant, judging_id)
    if (record.judges or record.review.reviewed) and not record.state.busy:
        raise InvalidError("There are votes on this pool already; make another judging.")
    step = _plan(backend, record, JobKind.POOL)
    await _begin(
        backend,
        step,
        queue=RUNS,
        fields={"state": JudgingState.POOLING.value.encode()},
        secrets=record.sealed,
        queries=record.spec.queries * len(record.spec.request.endpoints),
        idempotency=idempotency,
    )
    return await get_judging(backend, judging_id)


async def begin_judge(
    backend: Backend,
    judging_id: str,
    request: JudgeRequest,
    *,
    idempotency: Idempotency | None = None,
) -> Judging:
    """Begin to judge, or go on where this judge was.

    Raises:
        NotFoundError: no such judging.
        InvalidError, EndpointNotAllowedError, SecretsUnavailableError: the request is refused.
        JudgingIncompleteError: there is no pool.
        JudgingBusyError, JudgingFrozenError: it cannot be changed now, or at all.
        QuotaExceededError: the team may send no more queries today.
        IdempotencyConflictError: another process took the key over.
    """
    record = await backend.store.judgings.get(backend.tenant, judging_id)
    judge, prompt = _describe(backend, record, request)
    others = [one for one in record.judges if one.rater != judge.rater]
    left = (record.pool.pairs - judge.progress.judged) * request.votes
    most = request.caps.max_pairs
    await _begin(
        backend,
        structs.replace(_plan(backend, record, JobKind.JUDGE), judge=judge, prompt=prompt),
        queue=RUNS,
        fields={
            "state": JudgingState.JUDGING.value.encode(),
            "judges": msgspec.json.encode([*others, judge]),
        },
        secrets=_seal(backend, request),
        queries=left if most is None else min(left, most * request.votes),
        idempotency=idempotency,
    )
    return await get_judging(backend, judging_id)


async def begin_estimate(
    backend: Backend,
    judging_id: str,
    request: JudgeRequest,
    *,
    wait_s: float,
    idempotency: Idempotency | None = None,
) -> JudgingJob:
    """Have a worker count what a judge would come to.

    Raises:
        NotFoundError, InvalidError, EndpointNotAllowedError, JudgingIncompleteError: as
            `begin_judge`.
        IdempotencyConflictError: another process took the key over.
    """
    record = await backend.store.judgings.get(backend.tenant, judging_id)
    judge, prompt = _describe(backend, record, request)
    step = structs.replace(_plan(backend, record, JobKind.ESTIMATE), judge=judge, prompt=prompt)
    begun = await _begin(backend, step, idempotency=idempotency)
    return await get_job(backend, judging_id, begun, wait_s=wait_s)


async def begin_try(
    backend: Backend,
    judging_id: str,
    request: TryRequest,
    *,
    wait_s: float,
    idempotency: Idempotency | None = None,
) -> JudgingJob:
    """Have one pair put to a judge.

    Raises:
        NotFoundError, InvalidError, EndpointNotAllowedError, JudgingIncompleteError,
            QuotaExceededError, SecretsUnavailableError: as `begin_judge`.
        IdempotencyConflictError: another process took the key over.
    """
    record = await backend.store.judgings.get(backend.tenant, judging_id)
    judge, prompt = _describe(backend, record, request)
    step = structs.replace(
        _plan(backend, record, JobKind.TRY),
        judge=judge,
        prompt=prompt,
        query_id=request.query_id,
        doc_id=request.doc_id,
    )
    begun = await _begin(
        backend, step, secrets=_seal(backend, request), queries=1, idempotency=idempotency
    )
    return await get_job(backend, judging_id, begun, wait_s=wait_s)


async def begin_measure(
    backend: Backend, judging_id: str, *, wait_s: float, idempotency: Idempotency | None = None
) -> JudgingJob:
    """Have agreement measured, of the last judge with people and of people with each other.

    Raises:
        NotFoundError: no such judging.
        JudgingIncompleteError: there is no pool.
        IdempotencyConflictError: another process took the key over.
    """
    record = await backend.store.judgings.get(backend.tenant, judging_id)
    _need_pool(record)
    step = _plan(backend, record, JobKind.MEASURE)
    begun = await _begin(backend, step, idempotency=idempotency)
    return await get_job(backend, judging_id, begun, wait_s=wait_s)


async def begin_scorecard(
    backend: Backend,
    judging_id: str,
    request: JudgeRequest,
    *,
    wait_s: float,
    idempotency: Idempotency | None = None,
) -> JudgingJob:
    """Have a judge tempted with probes made of the pool's texts.

    Raises:
        NotFoundError, InvalidError, EndpointNotAllowedError, JudgingIncompleteError,
            QuotaExceededError, SecretsUnavailableError: as `begin_judge`.
        IdempotencyConflictError: another process took the key over.
    """
    record = await backend.store.judgings.get(backend.tenant, judging_id)
    judge, prompt = _describe(backend, record, request)
    step = structs.replace(_plan(backend, record, JobKind.SCORECARD), judge=judge, prompt=prompt)
    begun = await _begin(
        backend,
        step,
        queue=RUNS,
        secrets=_seal(backend, request),
        queries=MAX_PROBES,
        idempotency=idempotency,
    )
    return await get_job(backend, judging_id, begun, wait_s=wait_s)


async def get_job(backend: Backend, judging_id: str, job_id: str, *, wait_s: float) -> JudgingJob:
    """Return a job of a judging as soon as it has ended, or as it is after `wait_s` seconds.

    Raises:
        NotFoundError: the judging has no such job, or has it no more.
    """
    job = await await_end(lambda: backend.store.steps.get(backend.tenant, job_id), wait_s=wait_s)
    if job.spec.judging != judging_id:
        raise NotFoundError(f"There is no job {job_id!r}.")
    return await _show(backend, job)


async def _show(backend: Backend, job: StepRecord) -> JudgingJob:
    own = f"/v1/judgings/{job.spec.judging}"
    return JudgingJob(
        id=job.id,
        judging=job.spec.judging,
        kind=job.spec.kind,
        status=job.status,
        created_at=iso_time(job.created_ms),
        links={"self": f"{own}/jobs/{job.id}", "judging": own},
        error=job.error or None,
        poll_after_s=None if job.status.terminal else POLL_S,
        report=await backend.store.steps.report(backend.tenant, job),
    )


def _plan(backend: Backend, record: JudgingRecord, kind: JobKind) -> StepSpec:
    return StepSpec(
        id=new_id(STEP_PREFIX.removesuffix("_")),
        judging=record.id,
        kind=kind,
        code_version=backend.code_version,
    )


def _describe(
    backend: Backend, record: JudgingRecord, request: JudgeRequest
) -> tuple[Judge, JudgePrompt]:
    """Return a judge as it is recorded, with what it has come to so far, and its prompt."""
    prompt = find_prompt(request, scale_max=record.spec.scale_max)
    check_judge(request, backend.policy)
    _need_pool(record)
    plain = JudgeRequest(
        **{name: getattr(request, name) for name in JudgeRequest.__struct_fields__}
    )
    judge = Judge(
        rater=name_rater(request, prompt),
        request=strip_judge(plain),
        prompt_id=prompt.id,
        prompt_version=prompt.version,
        prompt_hash=prompt.hash,
    )
    known = [one for one in record.judges if one.rater == judge.rater]
    return (structs.replace(judge, progress=known[0].progress) if known else judge), prompt


def _need_pool(record: JudgingRecord) -> None:
    if not record.pool.queries:
        raise JudgingIncompleteError(
            f"Judging {record.id!r} has no pool; POST /v1/judgings/{record.id}/pool first."
        )


def _seal(backend: Backend, request: JudgeRequest) -> bytes:
    headers = find_headers(request.model)
    return seal(backend.secret_key, headers) if headers else b""


async def _begin(
    backend: Backend,
    step: StepSpec,
    *,
    queue: str = INTERACTIVE,
    fields: dict[str, bytes] | None = None,
    secrets: bytes = b"",
    queries: int = 0,
    idempotency: Idempotency | None = None,
) -> str:
    begun = await backend.store.judgings.begin(
        backend.tenant,
        step,
        queue=queue,
        fields=fields or {},
        secrets=secrets,
        queries=queries,
        quotas=backend.quotas,
        idempotency=idempotency,
    )
    await wake(backend, begun, await backend.store.steps.get(backend.tenant, begun))
    return begun
