"""Route of `/v1/test-sets/{id}/splits`."""

from typing import Final

from litestar import Response
from litestar.params import FromPath

from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditEvent
from reteval.contract.splits import SplitReport, SplitRequest
from service import errors
from service.api.bodies import AnyRequest, NoParameters, check_media, read_body, read_query
from service.api.idempotency import ANSWER_HEADERS, REQUEST_HEADERS, create_once
from service.api.idempotency import ERRORS as KEY_ERRORS
from service.api.operations import JSON, Answer, Operation, creates
from service.api.responses import answer
from service.api.runs import Deployed
from service.core import splits
from service.core.decoding import decode
from service.core.idempotency import Idempotency

_HEADERS: Final = {"Location": "The version's address.", **ANSWER_HEADERS}


@creates(
    "/test-sets/{test_set:str}/splits",
    Operation(
        id="splitTestSet",
        tag="test sets",
        scope=Scope.TEST_SETS_WRITE,
        event=AuditEvent.TEST_SET_CREATED,
        summary="Divide a test set into tune and holdout",
        about=(
            "Makes a version of the set in which every query is in one of the two, drawn by a "
            "seed and evenly by what `stratify_by` names. Clusters, variants and equal texts stay "
            "together. The same request again answers the same version."
        ),
        answers={
            201: Answer(about="Divided", media={JSON: SplitReport}, headers=_HEADERS),
            200: Answer(
                about="There is a version that is divided so",
                media={JSON: SplitReport},
                headers=_HEADERS,
            ),
        },
        headers=REQUEST_HEADERS,
        body={JSON: SplitRequest},
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
async def split_test_set(
    request: AnyRequest, backend: Deployed, test_set: FromPath[str]
) -> Response[bytes]:
    """Divide a test set."""
    check_media(request, (JSON,))
    read_query(request, NoParameters)
    asked = decode(await read_body(request), SplitRequest)

    async def make(held: Idempotency | None) -> Response[bytes]:
        made, created = await splits.split_test_set(backend, test_set, asked, idempotency=held)
        return answer(
            made,
            status=201 if created else 200,
            headers={"Location": f"/v1/test-sets/{made.test_set.id}"},
        )

    return await create_once(request, backend, make)


HANDLERS: Final = (split_test_set,)
