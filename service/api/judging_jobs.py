"""Routes of a judging's jobs: pool, judge, and what shows a judge before it is paid."""

from typing import Final

from litestar import Response
from litestar.params import FromPath

from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditEvent
from reteval.contract.judge_prompts import PromptCatalogue
from reteval.contract.judges import JudgeRequest, TryRequest
from reteval.contract.judgings import Judging, JudgingJob
from service import errors
from service.api.bodies import AnyRequest, NoParameters, check_media, read_body, read_query
from service.api.conditional import IF_NONE_MATCH, known_answers
from service.api.idempotency import ANSWER_HEADERS, REQUEST_HEADERS, create_once
from service.api.idempotency import ERRORS as KEY_ERRORS
from service.api.judgings import BODY_ERRORS, TAG
from service.api.operations import JSON, Answer, Operation, creates, reads
from service.api.parameters import WaitParameters
from service.api.responses import POLL_HEADERS, accept_job, answer, answer_job, pace
from service.api.runs import Deployed
from service.core.decoding import decode
from service.core.idempotency import Idempotency
from service.core.judging import steps

_BEGUN: Final = {
    202: Answer(
        about="Begun",
        media={JSON: Judging},
        headers={"Location": "The judging's address.", **ANSWER_HEADERS, **POLL_HEADERS},
    )
}
_JOB_HEADERS: Final = {"Location": "The job's address.", **ANSWER_HEADERS}
_JOB: Final = {
    200: Answer(about="It has ended", media={JSON: JudgingJob}, headers=_JOB_HEADERS),
    202: Answer(
        about="Accepted", media={JSON: JudgingJob}, headers={**_JOB_HEADERS, **POLL_HEADERS}
    ),
}
_CHANGE_ERRORS: Final = (
    errors.JudgingBusyError,
    errors.JudgingFrozenError,
    errors.QuotaExceededError,
)
_JUDGE_ERRORS: Final = (
    *BODY_ERRORS,
    *KEY_ERRORS,
    errors.JudgingIncompleteError,
    errors.EndpointNotAllowedError,
)


@reads(
    "/judge-prompts",
    Operation(
        id="listJudgePrompts",
        tag=TAG,
        scope=Scope.TEST_SETS_READ,
        summary="List the prompts that judges can be asked with",
        about="A prompt of your own has the same form, and is sent where a prompt's id would be.",
        answers={200: Answer(about="All of them", media={JSON: PromptCatalogue})},
        errors=(errors.InvalidError,),
    ),
)
async def list_judge_prompts(request: AnyRequest, backend: Deployed) -> Response[bytes]:  # noqa: ARG001
    """Answer the prompts that come with the service."""
    read_query(request, NoParameters)
    return answer(steps.list_prompts())


@creates(
    "/judgings/{judging_id:str}/pool",
    Operation(
        id="poolJudging",
        tag=TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.JUDGING_POOLED,
        summary="Pool what endpoints and runs return for the queries",
        about=(
            "Asked again, only searches that have no answer are sent. Once anybody has voted the "
            "pool stays as it is."
        ),
        answers=_BEGUN,
        headers=REQUEST_HEADERS,
        errors=(
            errors.NotFoundError,
            errors.InvalidError,
            errors.StorageFullError,
            *KEY_ERRORS,
            *_CHANGE_ERRORS,
        ),
    ),
)
async def pool_judging(
    request: AnyRequest, backend: Deployed, judging_id: FromPath[str]
) -> Response[bytes]:
    """Begin to pool."""
    read_query(request, NoParameters)

    async def make(held: Idempotency | None) -> Response[bytes]:
        return _begun(await steps.begin_pool(backend, judging_id, idempotency=held))

    return await create_once(request, backend, make)


@creates(
    "/judgings/{judging_id:str}/judge",
    Operation(
        id="judgeJudging",
        tag=TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.JUDGING_JUDGED,
        summary="Have a model judge the pool",
        about=(
            "One pair a call. What this judge has judged before is not asked again, what failed "
            "is. At a cap the judging is `budget_exhausted`, with all that it has."
        ),
        answers=_BEGUN,
        headers=REQUEST_HEADERS,
        body={JSON: JudgeRequest},
        errors=(*_JUDGE_ERRORS, *_CHANGE_ERRORS, errors.SecretsUnavailableError),
    ),
)
async def judge_judging(
    request: AnyRequest, backend: Deployed, judging_id: FromPath[str]
) -> Response[bytes]:
    """Begin to judge."""
    check_media(request, (JSON,))
    read_query(request, NoParameters)
    asked = decode(await read_body(request), JudgeRequest)

    async def make(held: Idempotency | None) -> Response[bytes]:
        return _begun(await steps.begin_judge(backend, judging_id, asked, idempotency=held))

    return await create_once(request, backend, make)


@creates(
    "/judgings/{judging_id:str}/estimate",
    Operation(
        id="estimateJudge",
        tag=TAG,
        scope=Scope.RUNS_WRITE,
        summary="Estimate what a judge would come to",
        about="Pairs, answers that are known, calls, tokens and money; no call is made.",
        answers=_JOB,
        headers=REQUEST_HEADERS,
        query=WaitParameters,
        body={JSON: JudgeRequest},
        errors=_JUDGE_ERRORS,
    ),
)
async def estimate_judge(
    request: AnyRequest, backend: Deployed, judging_id: FromPath[str]
) -> Response[bytes]:
    """Have it counted, and wait for that as long as asked."""
    check_media(request, (JSON,))
    sent = read_query(request, WaitParameters)
    asked = decode(await read_body(request), JudgeRequest)

    async def make(held: Idempotency | None) -> Response[bytes]:
        found = await steps.begin_estimate(
            backend, judging_id, asked, wait_s=sent.wait, idempotency=held
        )
        return accept_job(found)

    return await create_once(request, backend, make)


@creates(
    "/judgings/{judging_id:str}/try",
    Operation(
        id="tryJudge",
        tag=TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.JUDGING_TRIED,
        summary="Try a judge on one pair",
        about="Shows what was sent, what came back and what was read in it; nothing is recorded.",
        answers=_JOB,
        headers=REQUEST_HEADERS,
        query=WaitParameters,
        body={JSON: TryRequest},
        errors=(*_JUDGE_ERRORS, errors.QuotaExceededError, errors.SecretsUnavailableError),
    ),
)
async def try_judge(
    request: AnyRequest, backend: Deployed, judging_id: FromPath[str]
) -> Response[bytes]:
    """Have one pair judged, and wait for that as long as asked."""
    check_media(request, (JSON,))
    sent = read_query(request, WaitParameters)
    asked = decode(await read_body(request), TryRequest)

    async def make(held: Idempotency | None) -> Response[bytes]:
        found = await steps.begin_try(
            backend, judging_id, asked, wait_s=sent.wait, idempotency=held
        )
        return accept_job(found)

    return await create_once(request, backend, make)


@creates(
    "/judgings/{judging_id:str}/measure",
    Operation(
        id="measureJudging",
        tag=TAG,
        scope=Scope.TEST_SETS_READ,
        summary="Measure how far the last judge and people agree",
        about=(
            "On the random sample of the queue; people among each other on all they voted on. Also "
            "each configuration's metric by the judge, put right by whole queries that people "
            "labelled, and how unsure the grades leave it."
        ),
        answers=_JOB,
        headers=REQUEST_HEADERS,
        query=WaitParameters,
        errors=(
            errors.NotFoundError,
            errors.JudgingIncompleteError,
            errors.InvalidError,
            errors.StorageFullError,
            *KEY_ERRORS,
        ),
    ),
)
async def measure_judging(
    request: AnyRequest, backend: Deployed, judging_id: FromPath[str]
) -> Response[bytes]:
    """Have agreement measured, and wait for that as long as asked."""
    sent = read_query(request, WaitParameters)

    async def make(held: Idempotency | None) -> Response[bytes]:
        found = await steps.begin_measure(backend, judging_id, wait_s=sent.wait, idempotency=held)
        return accept_job(found)

    return await create_once(request, backend, make)


@creates(
    "/judgings/{judging_id:str}/scorecard",
    Operation(
        id="scoreJudge",
        tag=TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.JUDGING_TRIED,
        summary="Tempt a judge with probes",
        about=(
            "Texts of the pool with the query's words put in, with a claim to be relevant, padded, "
            "cut, of other queries, and again: what a judge falls for is told as exposed."
        ),
        answers=_JOB,
        headers=REQUEST_HEADERS,
        query=WaitParameters,
        body={JSON: JudgeRequest},
        errors=(*_JUDGE_ERRORS, errors.QuotaExceededError, errors.SecretsUnavailableError),
    ),
)
async def score_judge(
    request: AnyRequest, backend: Deployed, judging_id: FromPath[str]
) -> Response[bytes]:
    """Have a judge probed, and wait for that as long as asked."""
    check_media(request, (JSON,))
    sent = read_query(request, WaitParameters)
    asked = decode(await read_body(request), JudgeRequest)

    async def make(held: Idempotency | None) -> Response[bytes]:
        found = await steps.begin_scorecard(
            backend, judging_id, asked, wait_s=sent.wait, idempotency=held
        )
        return accept_job(found)

    return await create_once(request, backend, make)


@reads(
    "/judgings/{judging_id:str}/jobs/{job_id:str}",
    Operation(
        id="getJudgingJob",
        tag=TAG,
        scope=Scope.TEST_SETS_READ,
        summary="Read a job of a judging",
        about="With `wait`, the answer comes when it has ended or the time is over.",
        answers=known_answers("Its state; tagged once it has ended", JudgingJob, POLL_HEADERS),
        headers=IF_NONE_MATCH,
        query=WaitParameters,
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def get_judging_job(
    request: AnyRequest, backend: Deployed, judging_id: FromPath[str], job_id: FromPath[str]
) -> Response[bytes]:
    """Answer a job's state, and its report once it has ended."""
    sent = read_query(request, WaitParameters)
    return answer_job(request, await steps.get_job(backend, judging_id, job_id, wait_s=sent.wait))


def _begun(found: Judging) -> Response[bytes]:
    return answer(found, status=202, headers={"Location": found.links["self"], **pace(found)})


HANDLERS: Final = (
    list_judge_prompts,
    pool_judging,
    judge_judging,
    estimate_judge,
    try_judge,
    measure_judging,
    score_judge,
    get_judging_job,
)
