"""Routes of `/v1/adversarial/preview`: look at variants before any is sent."""

from typing import Final

from litestar import Response
from litestar.params import FromPath

from reteval.contract.api_keys import Scope
from reteval.contract.previews import Preview, PreviewRequest
from service import errors
from service.api.bodies import AnyRequest, check_media, read_body, read_query
from service.api.conditional import IF_NONE_MATCH, known_answers
from service.api.idempotency import ANSWER_HEADERS, REQUEST_HEADERS, create_once
from service.api.idempotency import ERRORS as KEY_ERRORS
from service.api.operations import JSON, Answer, Operation, creates, reads
from service.api.parameters import WaitParameters
from service.api.responses import POLL_HEADERS, accept_job, answer_job
from service.api.runs import Deployed
from service.core import previews
from service.core.decoding import decode
from service.core.idempotency import Idempotency

_TAG: Final = "catalogues"


@creates(
    "/adversarial/preview",
    Operation(
        id="createPreview",
        tag=_TAG,
        scope=Scope.TEST_SETS_READ,
        summary="Preview adversarial variants",
        about=(
            "Shows the variants of up to fifty texts, or of the first queries of a test set, with "
            "each change marked, as a run with the same `adversarial` would send them; nothing is "
            "sent. With `wait`, the answer comes with the report. Kept for a day."
        ),
        answers={
            200: Answer(
                about="It has ended",
                media={JSON: Preview},
                headers={"Location": "The preview's address.", **ANSWER_HEADERS},
            ),
            202: Answer(
                about="Accepted",
                media={JSON: Preview},
                headers={
                    "Location": "The preview's address.",
                    **ANSWER_HEADERS,
                    **POLL_HEADERS,
                },
            ),
        },
        headers=REQUEST_HEADERS,
        query=WaitParameters,
        body={JSON: PreviewRequest},
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
async def create_preview(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Have the variants made, and wait for them as long as asked."""
    check_media(request, (JSON,))
    sent = read_query(request, WaitParameters)
    asked = decode(await read_body(request), PreviewRequest)

    async def make(held: Idempotency | None) -> Response[bytes]:
        found = await previews.open_preview(backend, asked, wait_s=sent.wait, idempotency=held)
        return accept_job(found)

    return await create_once(request, backend, make)


@reads(
    "/adversarial/previews/{preview_id:str}",
    Operation(
        id="getPreview",
        tag=_TAG,
        scope=Scope.TEST_SETS_READ,
        summary="Read a preview",
        about="With `wait`, the answer comes when it has ended or the time is over.",
        answers=known_answers("Its state; tagged once it has ended", Preview, POLL_HEADERS),
        headers=IF_NONE_MATCH,
        query=WaitParameters,
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def get_preview(
    request: AnyRequest, backend: Deployed, preview_id: FromPath[str]
) -> Response[bytes]:
    """Answer a preview's state, and its report once it has ended."""
    sent = read_query(request, WaitParameters)
    return answer_job(request, await previews.get_preview(backend, preview_id, wait_s=sent.wait))


HANDLERS: Final = (create_preview, get_preview)
