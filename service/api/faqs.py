"""Route of `/v1/faqs`: a test set out of questions whose answers are known."""

from io import BytesIO
from typing import Annotated, Final

from litestar import Response
from msgspec import Meta, Struct

from reteval.contract import limits
from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditEvent
from reteval.contract.testsets import Name, Scale, TestSet, TestSetHead
from service import errors
from service.api.bodies import AnyRequest, check_media, read_body, read_query
from service.api.idempotency import ERRORS as KEY_ERRORS
from service.api.idempotency import REQUEST_HEADERS
from service.api.operations import CSV, JSON, JSON_LINES, Answer, Operation, creates
from service.api.test_sets import STORED_HEADERS, Deployed, store_staged
from service.core.faqs import stage_faq


class FaqParameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is said of the whole set. A document that answers has the highest grade."""

    name: Name = "unnamed"
    scale_max: Annotated[int, Meta(ge=1, le=limits.MAX_GRADE)] = 3
    relevant_from: Annotated[int, Meta(ge=1, le=limits.MAX_GRADE)] = 1
    language: Annotated[str, Meta(max_length=35)] = ""
    id_rule: Annotated[str, Meta(max_length=64)] = ""


@creates(
    "/faqs",
    Operation(
        id="importFaq",
        tag="building",
        scope=Scope.TEST_SETS_WRITE,
        event=AuditEvent.TEST_SET_CREATED,
        summary="Make a test set of questions and answers",
        about=(
            "CSV or JSON lines with `question`, `answer` and the document that holds the answer "
            "(`document`, `docid`, `url` or `id`), which becomes the query's known positive with "
            "the highest grade. A question on several rows has several documents; questions with "
            "one answer share a cluster."
        ),
        answers={
            201: Answer(about="Stored", media={JSON: TestSet}, headers=STORED_HEADERS),
            200: Answer(
                about="The same set is stored already under this name",
                media={JSON: TestSet},
                headers=STORED_HEADERS,
            ),
        },
        headers=REQUEST_HEADERS,
        query=FaqParameters,
        body={CSV: None, JSON_LINES: None},
        errors=(
            errors.MalformedTextError,
            errors.TooLargeError,
            errors.UnsupportedMediaTypeError,
            errors.InvalidError,
            *KEY_ERRORS,
            errors.StorageFullError,
        ),
    ),
)
async def import_faq(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Read the rows, and store their questions as a test set."""
    media = check_media(request, (CSV, JSON_LINES))
    sent = read_query(request, FaqParameters)
    head = TestSetHead(
        name=sent.name,
        scale=Scale(max=sent.scale_max),
        relevant_from=sent.relevant_from,
        language=sent.language,
        id_rule=sent.id_rule,
    )
    file = BytesIO(await read_body(request))
    staged = await stage_faq(backend, head, file, table=media == CSV)
    return await store_staged(request, backend, staged)


HANDLERS: Final = (import_faq,)
