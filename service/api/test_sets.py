"""Routes of `/v1/test-sets`."""

from typing import Annotated, Final

from litestar import Response
from litestar.di import NamedDependency
from litestar.params import FromPath, SkipValidation
from litestar.response import Stream
from msgspec import Meta, Struct

from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditEvent
from reteval.contract.exports import DEFAULT_INDEX, LOST_HEADER, MAX_INDEX_BYTES, ExportFormat
from reteval.contract.imports import ImportPreview
from reteval.contract.testsets import QueryPage, TestSet, TestSetPage, TestSetUpload
from service import errors
from service.api.bodies import AnyRequest, NoParameters, read_query
from service.api.conditional import IF_NONE_MATCH, answer_known, known_answers
from service.api.idempotency import ANSWER_HEADERS, REQUEST_HEADERS, create_once
from service.api.idempotency import ERRORS as KEY_ERRORS
from service.api.operations import (
    BINARY,
    CSV,
    GZIP,
    JSON,
    JSON_LINES,
    MULTIPART,
    PARQUET,
    TEXT,
    TSV,
    ZIP,
    Answer,
    Operation,
    creates,
    deletes,
    reads,
)
from service.api.parameters import PageParameters, TestSetListParameters, UploadParameters
from service.api.responses import (
    LINK_HEADERS,
    answer,
    answer_fixed_page,
    answer_nothing,
    answer_page,
    answer_stream,
)
from service.api.uploads import MultipartUpload, receive, stage
from service.core import test_sets
from service.core.backend import Backend
from service.core.exports import registry
from service.core.grants import TEST_SET
from service.core.idempotency import Idempotency
from service.core.importing import preview_upload
from service.core.test_sets import StagedSet

TAG: Final = "test sets"
STORED_HEADERS: Final = {"Location": "The set's address.", **ANSWER_HEADERS}

Deployed = NamedDependency[SkipValidation[Backend]]


class ExportParameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The form of an exported test set."""

    format: ExportFormat = ExportFormat.JSONL
    index: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=MAX_INDEX_BYTES,
            description="The index that `rank_eval` says the documents are in.",
        ),
    ] = DEFAULT_INDEX


@creates(
    "/test-sets",
    Operation(
        id="uploadTestSet",
        tag=TAG,
        scope=Scope.TEST_SETS_WRITE,
        event=AuditEvent.TEST_SET_CREATED,
        summary="Upload a test set",
        about=(
            "In our own form as one JSON object, or as JSON lines (a query a line, for large "
            "sets); or in any format that `GET /v1/formats` lists, told by content: one file as "
            "the body, several as parts or in a zip. What must not be guessed, such as what a "
            "label is worth, is a query parameter; with `dry_run=true` the answer says what was "
            "read, what is refused and why, and nothing is stored. Parameters that belong to the "
            "set are fields of a JSON object of our own."
        ),
        answers={
            201: Answer(about="Stored", media={JSON: TestSet}, headers=STORED_HEADERS),
            200: Answer(
                about="The same set is stored already under this name, or a preview",
                media={JSON: (TestSet, ImportPreview)},
                headers=STORED_HEADERS,
            ),
        },
        headers=REQUEST_HEADERS,
        query=UploadParameters,
        body={
            JSON: TestSetUpload,
            JSON_LINES: None,
            CSV: None,
            TSV: None,
            TEXT: None,
            ZIP: None,
            GZIP: None,
            PARQUET: None,
            BINARY: None,
            MULTIPART: MultipartUpload,
        },
        errors=(
            errors.MalformedJsonError,
            errors.MalformedTextError,
            errors.TooLargeError,
            errors.UnsupportedMediaTypeError,
            errors.InvalidError,
            *KEY_ERRORS,
            errors.StorageFullError,
        ),
    ),
)
async def upload_test_set(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Read the body in whatever format it has, and store it, or tell what it would become."""
    asked = read_query(request, UploadParameters)
    if asked.dry_run:
        async with receive(request, asked) as upload:
            return answer(await preview_upload(upload))
    return await store_staged(request, backend, await stage(request, backend, asked))


async def store_staged(request: AnyRequest, backend: Backend, staged: StagedSet) -> Response[bytes]:
    """Answer a set that was read and checked: stored now, or found."""

    async def make(held: Idempotency | None) -> Response[bytes]:
        test_set, created = await test_sets.store_test_set(backend, staged, idempotency=held)
        return answer(
            test_set,
            status=201 if created else 200,
            headers={"Location": f"/v1/test-sets/{test_set.id}"},
        )

    try:
        return await create_once(request, backend, make)
    finally:
        await staged.discard()


@reads(
    "/test-sets",
    Operation(
        id="listTestSets",
        tag=TAG,
        scope=Scope.TEST_SETS_READ,
        summary="List test sets, newest first",
        answers={200: Answer(about="A page", media={JSON: TestSetPage}, headers=LINK_HEADERS)},
        query=TestSetListParameters,
        errors=(errors.BadCursorError, errors.InvalidError),
    ),
)
async def list_test_sets(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Answer a page of test sets."""
    page = read_query(request, TestSetListParameters)
    found = await test_sets.list_test_sets(
        backend, name=page.name, cursor=page.cursor, limit=page.limit
    )
    return answer_page(request, found)


@reads(
    "/test-sets/{test_set:str}",
    Operation(
        id="getTestSet",
        tag=TAG,
        scope=Scope.TEST_SETS_READ,
        shared=TEST_SET,
        summary="Read a test set's head",
        about="By id, or by name for the newest version.",
        answers=known_answers("The set without its queries", TestSet),
        headers=IF_NONE_MATCH,
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def get_test_set(
    request: AnyRequest, backend: Deployed, test_set: FromPath[str]
) -> Response[bytes]:
    """Answer a test set."""
    read_query(request, NoParameters)
    return answer_known(request, await test_sets.get_test_set(backend, test_set))


@reads(
    "/test-sets/{test_set:str}/queries",
    Operation(
        id="listTestSetQueries",
        tag=TAG,
        scope=Scope.TEST_SETS_READ,
        shared=TEST_SET,
        summary="List a test set's queries in upload order",
        answers=known_answers("A page", QueryPage, LINK_HEADERS),
        headers=IF_NONE_MATCH,
        query=PageParameters,
        errors=(errors.BadCursorError, errors.NotFoundError, errors.InvalidError),
    ),
)
async def list_queries(
    request: AnyRequest, backend: Deployed, test_set: FromPath[str]
) -> Response[bytes]:
    """Answer a page of queries."""
    page = read_query(request, PageParameters)
    found = await test_sets.list_queries(backend, test_set, cursor=page.cursor, limit=page.limit)
    return answer_fixed_page(request, found)


@reads(
    "/test-sets/{test_set:str}/export",
    Operation(
        id="exportTestSet",
        tag=TAG,
        scope=Scope.TEST_SETS_READ,
        shared=TEST_SET,
        summary="Download a test set",
        about=(
            "`jsonl` can be uploaded again as it is; the others are forms that other tools read. "
            "`trec` and `beir` are zips."
        ),
        answers={
            200: Answer(
                about="The set",
                media={JSON_LINES: None, JSON: None, CSV: None, TEXT: None, ZIP: None},
                headers={
                    LOST_HEADER: "What of this set the format has no place for, such as "
                    "`tags, split`; absent where nothing is lost."
                },
            )
        },
        query=ExportParameters,
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def export_test_set(
    request: AnyRequest, backend: Deployed, test_set: FromPath[str]
) -> Stream:
    """Stream a test set, and say first what of it is left behind."""
    wanted = read_query(request, ExportParameters)
    found = await test_sets.get_test_set(backend, test_set)
    made = await registry.export_test_set(backend, found, wanted.format, index=wanted.index)
    return answer_stream(
        made.chunks,
        media=made.layout.media,
        filename=f"{found.id}.{made.layout.ending}",
        headers={LOST_HEADER: ", ".join(made.lost)} if made.lost else {},
    )


@deletes(
    "/test-sets/{test_set:str}",
    Operation(
        id="deleteTestSet",
        tag=TAG,
        scope=Scope.TEST_SETS_WRITE,
        event=AuditEvent.TEST_SET_DELETED,
        summary="Delete a test set that no run refers to",
        about="By id only.",
        answers={204: Answer(about="Deleted")},
        errors=(errors.NotFoundError, errors.ReferencedError, errors.InvalidError),
    ),
)
async def delete_test_set(
    request: AnyRequest, backend: Deployed, test_set: FromPath[str]
) -> Response[bytes]:
    """Delete a test set."""
    read_query(request, NoParameters)
    await test_sets.delete_test_set(backend, test_set)
    return answer_nothing()


HANDLERS: Final = (
    upload_test_set,
    list_test_sets,
    get_test_set,
    list_queries,
    export_test_set,
    delete_test_set,
)
