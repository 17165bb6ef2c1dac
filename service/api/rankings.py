"""Route of `/v1/rankings`: score rankings that were made elsewhere."""

from typing import Final

from litestar import Response
from msgspec import Struct

from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditEvent
from reteval.contract.problems import ProblemItem
from reteval.contract.rankings import RankingsHead
from reteval.contract.runs import Run
from service import errors
from service.api.bodies import AnyRequest, NoParameters, check_media, read_files, read_query
from service.api.idempotency import ANSWER_HEADERS, REQUEST_HEADERS, create_once
from service.api.idempotency import ERRORS as KEY_ERRORS
from service.api.operations import JSON, MULTIPART, Answer, Operation, creates
from service.api.responses import POLL_HEADERS, accept_run
from service.api.runs import Deployed
from service.core import rankings
from service.core.decoding import decode
from service.core.idempotency import Idempotency
from service.errors import InvalidError

MAX_RANKINGS_BYTES: Final = 200_000_000
_PARTS: Final = {"request", "rankings"}


class RankingsUpload(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The parts: `request` (JSON), and `rankings` (TREC, ranx or JSON lines, packed or not)."""

    request: bytes
    rankings: bytes


@creates(
    "/rankings",
    Operation(
        id="scoreRankings",
        tag="runs",
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.RUN_CREATED,
        summary="Score rankings made elsewhere",
        about=(
            "Makes a run without an endpoint. A TREC run and ranx JSON are ordered as trec_eval "
            "does (score, then document id, both falling); JSON lines keep their order."
        ),
        answers={
            202: Answer(
                about="Accepted",
                media={JSON: Run},
                headers={"Location": "The run's address.", **ANSWER_HEADERS, **POLL_HEADERS},
            )
        },
        headers=REQUEST_HEADERS,
        body={MULTIPART: RankingsUpload},
        errors=(
            errors.MalformedJsonError,
            errors.MalformedTextError,
            errors.NotFoundError,
            errors.TooLargeError,
            errors.UnsupportedMediaTypeError,
            errors.InvalidError,
            *KEY_ERRORS,
            errors.StorageFullError,
        ),
    ),
)
async def score_rankings(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Read both parts, store the rankings, wake a worker."""
    check_media(request, (MULTIPART,))
    read_query(request, NoParameters)
    files = await read_files(request, max_bytes=MAX_RANKINGS_BYTES)
    if set(files) != _PARTS:
        raise InvalidError(
            "The upload has other parts than it needs.",
            errors=[
                ProblemItem(
                    pointer=f"/{name}",
                    message=f"the part {name!r} is " + ("missing" if name in _PARTS else "unknown"),
                    fix="Send exactly the files `request` and `rankings`.",
                )
                for name in sorted(set(files) ^ _PARTS)
            ],
        )
    head = decode(await files["request"].read(), RankingsHead)
    body = await files["rankings"].read()

    async def make(held: Idempotency | None) -> Response[bytes]:
        return accept_run(await rankings.score_rankings(backend, head, body, idempotency=held))

    return await create_once(request, backend, make)


HANDLERS: Final = (score_rankings,)
