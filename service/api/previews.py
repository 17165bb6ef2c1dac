"""Routes of `/v1/adversarial/preview`: look at variants before any is sent."""

from typing import Final

from litestar import Response
from litestar.params import FromPath

from reteval.contract.api_keys import Scope
from reteval.contract.previews import Preview, PreviewRequest
from service import errors
from service.api.bodies import AnyRequest, check_media, read_body, read_query
from service.api.operations import JSON, Answer, Operation, creates, reads
from service.api.parameters import WaitParameters
from service.api.responses import POLL_HEADERS, answer_job
from service.api.runs import Deployed
from service.core import previews
from service.core.decoding import decode

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
            200: Answer(about="It has ended", media={JSON: Preview}),
            202: Answer(
                about="Accepted",
                media={JSON: Preview},
                headers={"Location": "The preview's address.", **POLL_HEADERS},
            ),
        },
        query=WaitParameters,
        body={JSON: PreviewRequest},
        errors=(
            errors.MalformedJsonError,
            errors.NotFoundError,
            errors.TooLargeError,
            errors.UnsupportedMediaTypeError,
            errors.InvalidError,
            errors.StorageFullError,
        ),
    ),
)
async def create_preview(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Have the variants made, and wait for them as long as asked."""
    check_media(request, (JSON,))
    sent = read_query(request, WaitParameters)
    asked = decode(await read_body(request), PreviewRequest)
    return answer_job(await previews.open_preview(backend, asked, wait_s=sent.wait), created=True)


@reads(
    "/adversarial/previews/{preview_id:str}",
    Operation(
        id="getPreview",
        tag=_TAG,
        scope=Scope.TEST_SETS_READ,
        summary="Read a preview",
        about="With `wait`, the answer comes when it has ended or the time is over.",
        answers={200: Answer(about="Its state", media={JSON: Preview}, headers=POLL_HEADERS)},
        query=WaitParameters,
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def get_preview(
    request: AnyRequest, backend: Deployed, preview_id: FromPath[str]
) -> Response[bytes]:
    """Answer a preview's state, and its report once it has ended."""
    sent = read_query(request, WaitParameters)
    return answer_job(await previews.get_preview(backend, preview_id, wait_s=sent.wait))


HANDLERS: Final = (create_preview, get_preview)
