"""Routes of a judging's pairs and votes: what people see, and what they say."""

from typing import Any, Final

from litestar import Response
from litestar.params import FromPath

from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditEvent
from reteval.contract.problems import ProblemItem
from reteval.contract.votes import JudgedPairPage, ReviewPage, VotesAnswer, VotesRequest
from service import errors
from service.api.bodies import AnyRequest, NoParameters, check_media, read_body, read_query
from service.api.idempotency import ANSWER_HEADERS, REQUEST_HEADERS, create_once
from service.api.idempotency import ERRORS as KEY_ERRORS
from service.api.judgings import BODY_ERRORS, TAG
from service.api.operations import CSV, JSON, Answer, Operation, creates, reads
from service.api.parameters import JudgedPairParameters, RaterParameters, ReviewParameters
from service.api.responses import LINK_HEADERS, answer, answer_page, answer_stream
from service.api.runs import Deployed
from service.core.decoding import decode
from service.core.idempotency import Idempotency
from service.core.judging import reviewing, tables


@reads(
    "/judgings/{judging_id:str}/pairs",
    Operation(
        id="listJudgedPairs",
        tag=TAG,
        scope=Scope.TEST_SETS_READ,
        summary="List the pairs of a pool with all votes",
        about="A page of few pairs may have a next one: so many queries are looked through.",
        answers={200: Answer(about="A page", media={JSON: JudgedPairPage}, headers=LINK_HEADERS)},
        query=JudgedPairParameters,
        errors=(errors.BadCursorError, errors.NotFoundError, errors.InvalidError),
    ),
)
async def list_judged_pairs(
    request: AnyRequest, backend: Deployed, judging_id: FromPath[str]
) -> Response[bytes]:
    """Answer a page of pairs."""
    sent = read_query(request, JudgedPairParameters)
    page = await reviewing.page_pairs(
        backend, judging_id, status=sent.status, cursor=sent.cursor, limit=sent.limit
    )
    return answer_page(request, page)


@reads(
    "/judgings/{judging_id:str}/review",
    Operation(
        id="reviewJudging",
        tag=TAG,
        scope=Scope.TEST_SETS_READ,
        summary="List what people are to look at",
        about=(
            "A random sample of what the judge said, by grade, then its failures and its doubts, "
            "without pairs that people have voted on. `csv` is the whole queue with an empty "
            "column `grade` to fill in. `audit=queries` shows every pair of 30 queries drawn at "
            "random instead, by which `measure` puts metrics right."
        ),
        answers={
            200: Answer(
                about="A page, or the queue",
                media={JSON: ReviewPage, CSV: None},
                headers=LINK_HEADERS,
            )
        },
        query=ReviewParameters,
        errors=(
            errors.BadCursorError,
            errors.NotFoundError,
            errors.JudgingIncompleteError,
            errors.InvalidError,
        ),
    ),
)
async def review_judging(
    request: AnyRequest, backend: Deployed, judging_id: FromPath[str]
) -> Response[Any]:
    """Answer a page of the queue, or stream all of it."""
    sent = read_query(request, ReviewParameters)
    if sent.format == "json":
        page = await reviewing.page_review(
            backend,
            judging_id,
            audit=sent.audit,
            suggest=sent.suggest,
            cursor=sent.cursor,
            limit=sent.limit,
        )
        return answer_page(request, page)
    if sent.cursor or sent.suggest:
        item = ProblemItem(
            pointer="?format",
            message="csv has neither pages nor suggestions",
            fix="Leave `cursor` and `suggest` out.",
        )
        raise errors.InvalidError("A query parameter is not valid.", errors=[item])
    chunks = await tables.export_review(backend, judging_id, audit=sent.audit)
    return answer_stream(chunks, media=CSV, filename="review.csv")


@creates(
    "/judgings/{judging_id:str}/votes",
    Operation(
        id="createVotes",
        tag=TAG,
        scope=Scope.TEST_SETS_WRITE,
        event=AuditEvent.JUDGING_VOTED,
        summary="Say what people think of pairs",
        about=(
            "As JSON, or as the table of the queue with grades filled in. All votes are kept; of "
            "each rater the last one counts, and people's go before any model's."
        ),
        answers={200: Answer(about="Written", media={JSON: VotesAnswer}, headers=ANSWER_HEADERS)},
        headers=REQUEST_HEADERS,
        query=RaterParameters,
        body={JSON: VotesRequest, CSV: None},
        errors=(
            *BODY_ERRORS,
            *KEY_ERRORS,
            errors.MalformedTextError,
            errors.JudgingBusyError,
            errors.JudgingFrozenError,
            errors.JudgingIncompleteError,
        ),
    ),
)
async def create_votes(
    request: AnyRequest, backend: Deployed, judging_id: FromPath[str]
) -> Response[bytes]:
    """Write votes."""
    if check_media(request, (JSON, CSV)) == CSV:
        rater = read_query(request, RaterParameters).rater
        votes = tables.read_votes(await read_body(request))
    else:
        read_query(request, NoParameters)
        sent = decode(await read_body(request), VotesRequest)
        votes, rater = sent.votes, sent.rater

    async def make(held: Idempotency | None) -> Response[bytes]:
        written = await reviewing.add_votes(
            backend, judging_id, votes, rater=rater, idempotency=held
        )
        return answer(written)

    return await create_once(request, backend, make)


HANDLERS: Final = (list_judged_pairs, review_judging, create_votes)
