"""Routes of `/v1/leakage-checks`: ask for one, watch it, page through its pairs."""

from typing import Final

from litestar import Response
from litestar.params import FromPath

from reteval.contract.api_keys import Scope
from reteval.contract.leakage import LeakageCheck, LeakageRequest, LeakedPairPage
from service import errors
from service.api.bodies import AnyRequest, check_media, read_body, read_query
from service.api.conditional import IF_NONE_MATCH, known_answers
from service.api.idempotency import ANSWER_HEADERS, REQUEST_HEADERS, create_once
from service.api.idempotency import ERRORS as KEY_ERRORS
from service.api.operations import JSON, Answer, Operation, creates, reads
from service.api.parameters import LeakedPairParameters, WaitParameters
from service.api.responses import (
    LINK_HEADERS,
    POLL_HEADERS,
    accept_job,
    answer_fixed_page,
    answer_job,
)
from service.api.runs import Deployed
from service.core import leakage
from service.core.decoding import decode
from service.core.idempotency import Idempotency

_TAG: Final = "test sets"


@creates(
    "/leakage-checks",
    Operation(
        id="createLeakageCheck",
        tag=_TAG,
        scope=Scope.TEST_SETS_READ,
        summary="Check a test set for leakage",
        about=(
            "Looks for queries that are asked twice, the same or nearly: within the set, between "
            "its splits, and in a list of tuning or training queries; and for queries copied from "
            "documents that are given, or that a run returned. With a `run`, its metrics are told "
            "with and without them, for which the key needs `results:read`. With `wait`, the "
            "answer comes with the report. Kept for a day."
        ),
        answers={
            200: Answer(
                about="It has ended",
                media={JSON: LeakageCheck},
                headers={"Location": "The check's address.", **ANSWER_HEADERS},
            ),
            202: Answer(
                about="Accepted",
                media={JSON: LeakageCheck},
                headers={"Location": "The check's address.", **ANSWER_HEADERS, **POLL_HEADERS},
            ),
        },
        headers=REQUEST_HEADERS,
        query=WaitParameters,
        body={JSON: LeakageRequest},
        errors=(
            errors.MalformedJsonError,
            errors.NotFoundError,
            errors.TooLargeError,
            errors.UnsupportedMediaTypeError,
            errors.InvalidError,
            *KEY_ERRORS,
            errors.StorageFullError,
        ),
    ),
)
async def create_leakage_check(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Have a set checked, and wait for it as long as asked."""
    check_media(request, (JSON,))
    sent = read_query(request, WaitParameters)
    asked = decode(await read_body(request), LeakageRequest)

    async def make(held: Idempotency | None) -> Response[bytes]:
        found = await leakage.open_check(backend, asked, wait_s=sent.wait, idempotency=held)
        return accept_job(found)

    return await create_once(request, backend, make)


@reads(
    "/leakage-checks/{check_id:str}",
    Operation(
        id="getLeakageCheck",
        tag=_TAG,
        scope=Scope.TEST_SETS_READ,
        summary="Read a leakage check",
        about="With `wait`, the answer comes when it has ended or the time is over.",
        answers=known_answers("Its state; tagged once it has ended", LeakageCheck, POLL_HEADERS),
        headers=IF_NONE_MATCH,
        query=WaitParameters,
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def get_leakage_check(
    request: AnyRequest, backend: Deployed, check_id: FromPath[str]
) -> Response[bytes]:
    """Answer a check's state, and its report once it has ended."""
    sent = read_query(request, WaitParameters)
    return answer_job(request, await leakage.get_check(backend, check_id, wait_s=sent.wait))


@reads(
    "/leakage-checks/{check_id:str}/pairs",
    Operation(
        id="listLeakedPairs",
        tag=_TAG,
        scope=Scope.TEST_SETS_READ,
        summary="List the pairs of a leakage check",
        about="Gravest kinds first, then most alike; at most a thousand of a kind and place.",
        answers=known_answers("A page of pairs", LeakedPairPage, LINK_HEADERS),
        headers=IF_NONE_MATCH,
        query=LeakedPairParameters,
        errors=(
            errors.NotFoundError,
            errors.NotTerminalError,
            errors.BadCursorError,
            errors.InvalidError,
        ),
    ),
)
async def list_leaked_pairs(
    request: AnyRequest, backend: Deployed, check_id: FromPath[str]
) -> Response[bytes]:
    """Answer a page of pairs."""
    sent = read_query(request, LeakedPairParameters)
    page = await leakage.page_pairs(
        backend, check_id, kind=sent.kind, cursor=sent.cursor, limit=sent.limit
    )
    return answer_fixed_page(request, page)


HANDLERS: Final = (create_leakage_check, get_leakage_check, list_leaked_pairs)
