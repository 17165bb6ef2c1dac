"""Routes of `/v1/test-sets/{test_set}/versions` and `/diff`: how a set changes, and did."""

from typing import Final

from litestar import Response
from litestar.params import FromPath

from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditEvent
from reteval.contract.testsets import TestSet
from reteval.contract.versions import ChangeSet, DiffPage, VersionPage
from service import errors
from service.api.bodies import AnyRequest, NoParameters, check_media, read_body, read_query
from service.api.conditional import IF_NONE_MATCH, known_answers
from service.api.idempotency import ERRORS as KEY_ERRORS
from service.api.idempotency import REQUEST_HEADERS, create_once
from service.api.operations import CSV, JSON, Answer, Operation, creates, reads
from service.api.parameters import DiffParameters, PageParameters, RatingParameters
from service.api.responses import LINK_HEADERS, answer, answer_fixed_page, answer_page
from service.api.test_sets import STORED_HEADERS, TAG, Deployed
from service.core import test_sets, versions
from service.core.backend import Backend
from service.core.grants import TEST_SET
from service.core.idempotency import Idempotency
from service.core.ingest.changes import Stated
from service.core.test_sets import StagedSet

_MEDIA: Final = (JSON, CSV)


@creates(
    "/test-sets/{test_set:str}/versions",
    Operation(
        id="createVersion",
        tag=TAG,
        scope=Scope.TEST_SETS_WRITE,
        event=AuditEvent.VERSION_CREATED,
        summary="Change a test set into a new version",
        about=(
            "The set stays as it is; what comes of the changes is stored as the next version of "
            "its name and says what it was made from. As one JSON object, or as CSV with the "
            "columns query_id, docid and rating, such as the filled-in list of what to label; "
            "the query parameters belong to CSV."
        ),
        answers={
            201: Answer(about="Stored", media={JSON: TestSet}, headers=STORED_HEADERS),
            200: Answer(
                about="A set with that content is stored already under this name",
                media={JSON: TestSet},
                headers=STORED_HEADERS,
            ),
        },
        headers=REQUEST_HEADERS,
        query=RatingParameters,
        body={JSON: ChangeSet, CSV: None},
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
async def create_version(
    request: AnyRequest, backend: Deployed, test_set: FromPath[str]
) -> Response[bytes]:
    """Read the changes, and store what comes of them."""
    staged = await _stage(request, backend, test_set)

    async def make(held: Idempotency | None) -> Response[bytes]:
        made, created = await test_sets.store_test_set(backend, staged, idempotency=held)
        return answer(
            made,
            status=201 if created else 200,
            headers={"Location": f"/v1/test-sets/{made.id}"},
        )

    try:
        return await create_once(request, backend, make)
    finally:
        await staged.discard()


@reads(
    "/test-sets/{test_set:str}/versions",
    Operation(
        id="listVersions",
        tag=TAG,
        scope=Scope.TEST_SETS_READ,
        shared=TEST_SET,
        summary="List the versions of a test set's name, newest first",
        about="Each with who made it and when, from which set, and counts of what was changed.",
        answers={200: Answer(about="A page", media={JSON: VersionPage}, headers=LINK_HEADERS)},
        query=PageParameters,
        errors=(errors.BadCursorError, errors.NotFoundError, errors.InvalidError),
    ),
)
async def list_versions(
    request: AnyRequest, backend: Deployed, test_set: FromPath[str]
) -> Response[bytes]:
    """Answer a page of versions."""
    page = read_query(request, PageParameters)
    found = await versions.list_versions(backend, test_set, cursor=page.cursor, limit=page.limit)
    return answer_page(request, found)


@reads(
    "/test-sets/{test_set:str}/diff",
    Operation(
        id="diffTestSet",
        tag=TAG,
        scope=Scope.TEST_SETS_READ,
        shared=TEST_SET,
        summary="Show how a test set differs from another",
        about=(
            "Queries and judgments that were added, removed or changed, a row each; the counts "
            "are of all rows. Both sets must be one's own, or granted."
        ),
        answers=known_answers("A page", DiffPage, LINK_HEADERS),
        headers=IF_NONE_MATCH,
        query=DiffParameters,
        errors=(errors.BadCursorError, errors.NotFoundError, errors.InvalidError),
    ),
)
async def diff_test_set(
    request: AnyRequest, backend: Deployed, test_set: FromPath[str]
) -> Response[bytes]:
    """Answer a page of differences."""
    sent = read_query(request, DiffParameters)
    found = await versions.diff(
        backend, test_set, sent.against, cursor=sent.cursor, limit=sent.limit
    )
    return answer_fixed_page(request, found)


async def _stage(request: AnyRequest, backend: Backend, ref: str) -> StagedSet:
    if check_media(request, _MEDIA) == JSON:
        read_query(request, NoParameters)
        return await versions.stage_changes(backend, ref, await read_body(request))
    sent = read_query(request, RatingParameters)
    return await versions.stage_ratings(
        backend,
        ref,
        await read_body(request),
        note=sent.note,
        stated=Stated(rater=sent.rater, at=sent.at, source=sent.source),
    )


HANDLERS: Final = (create_version, list_versions, diff_test_set)
