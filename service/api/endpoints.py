"""Routes of `/v1/endpoints`: save, list, read, replace, rotate secrets, delete."""

from typing import Final

import msgspec
from litestar import Response
from litestar.params import FromPath

from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditEvent
from reteval.contract.saved_endpoints import (
    SavedEndpoint,
    SavedEndpointPage,
    SavedEndpointRequest,
    SecretsRequest,
)
from service import errors
from service.api.bodies import AnyRequest, NoParameters, check_media, read_body, read_query
from service.api.conditional import (
    IF_MATCH,
    IF_NONE_MATCH,
    answer_tagged,
    known_answers,
    read_precondition,
    show_tagged,
)
from service.api.hot import Known
from service.api.idempotency import ANSWER_HEADERS, REQUEST_HEADERS, create_once
from service.api.idempotency import ERRORS as KEY_ERRORS
from service.api.operations import JSON, Answer, Operation, creates, deletes, reads, replaces
from service.api.parameters import PageParameters
from service.api.responses import LINK_HEADERS, answer_nothing, answer_page
from service.api.runs import Deployed
from service.core import endpoints
from service.core.decoding import decode
from service.core.idempotency import Idempotency

_TAG: Final = "endpoints"
_TAGGED: Final = {"ETag": "Strong; another one after each change."}
_BODY_ERRORS: Final = (
    errors.MalformedJsonError,
    errors.TooLargeError,
    errors.UnsupportedMediaTypeError,
    errors.InvalidError,
    errors.EndpointNotAllowedError,
    errors.SecretsUnavailableError,
    errors.StorageFullError,
)
_CHANGE_ERRORS: Final = (
    errors.NotFoundError,
    errors.ChangedError,
    errors.PreconditionMissingError,
)


@creates(
    "/endpoints",
    Operation(
        id="saveEndpoint",
        tag=_TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.ENDPOINT_SAVED,
        summary="Save an endpoint",
        about="Header values are stored encrypted and never returned.",
        answers={
            201: Answer(
                about="Saved",
                media={JSON: SavedEndpoint},
                headers={"Location": "The endpoint's address.", **ANSWER_HEADERS, **_TAGGED},
            )
        },
        headers=REQUEST_HEADERS,
        body={JSON: SavedEndpointRequest},
        errors=(*_BODY_ERRORS, *KEY_ERRORS, errors.NameTakenError),
    ),
)
async def save_endpoint(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Save a new endpoint."""
    check_media(request, (JSON,))
    read_query(request, NoParameters)
    asked = decode(await read_body(request), SavedEndpointRequest)

    async def make(held: Idempotency | None) -> Response[bytes]:
        saved = await endpoints.save_endpoint(backend, asked, idempotency=held)
        return _show(saved, status=201, headers={"Location": f"/v1/endpoints/{saved.id}"})

    return await create_once(request, backend, make)


@reads(
    "/endpoints",
    Operation(
        id="listEndpoints",
        tag=_TAG,
        scope=Scope.RUNS_READ,
        summary="List saved endpoints, newest first",
        answers={
            200: Answer(about="A page", media={JSON: SavedEndpointPage}, headers=LINK_HEADERS)
        },
        query=PageParameters,
        errors=(errors.BadCursorError, errors.InvalidError),
    ),
)
async def list_endpoints(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Answer a page of saved endpoints."""
    sent = read_query(request, PageParameters)
    page = await endpoints.list_endpoints(backend, cursor=sent.cursor, limit=sent.limit)
    return answer_page(request, page)


@reads(
    "/endpoints/{ref:str}",
    Operation(
        id="getEndpoint",
        tag=_TAG,
        scope=Scope.RUNS_READ,
        summary="Read a saved endpoint by id or name",
        answers=known_answers("The endpoint", SavedEndpoint),
        headers=IF_NONE_MATCH,
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def get_endpoint(
    request: AnyRequest, backend: Deployed, ref: FromPath[str]
) -> Response[bytes]:
    """Answer a saved endpoint without its secrets."""
    read_query(request, NoParameters)
    saved = await endpoints.get_endpoint(backend, ref)
    return answer_tagged(request, _know(saved))


@replaces(
    "/endpoints/{ref:str}",
    Operation(
        id="replaceEndpoint",
        tag=_TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.ENDPOINT_CHANGED,
        summary="Replace a saved endpoint",
        about="Header values must be sent again. Runs keep the copy they were made with.",
        answers={200: Answer(about="Replaced", media={JSON: SavedEndpoint}, headers=_TAGGED)},
        headers=IF_MATCH,
        body={JSON: SavedEndpointRequest},
        errors=(*_BODY_ERRORS, *_CHANGE_ERRORS, errors.NameTakenError),
    ),
)
async def replace_endpoint(
    request: AnyRequest, backend: Deployed, ref: FromPath[str]
) -> Response[bytes]:
    """Replace a saved endpoint."""
    check_media(request, (JSON,))
    read_query(request, NoParameters)
    asked = decode(await read_body(request), SavedEndpointRequest)
    precondition = read_precondition(request)
    return _show(await endpoints.replace_endpoint(backend, ref, asked, precondition))


@replaces(
    "/endpoints/{ref:str}/secrets",
    Operation(
        id="rotateSecrets",
        tag=_TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.ENDPOINT_CHANGED,
        summary="Replace header values of a saved endpoint",
        answers={200: Answer(about="Rotated", media={JSON: SavedEndpoint}, headers=_TAGGED)},
        headers=IF_MATCH,
        body={JSON: SecretsRequest},
        errors=(*_BODY_ERRORS, *_CHANGE_ERRORS),
    ),
)
async def rotate_secrets(
    request: AnyRequest, backend: Deployed, ref: FromPath[str]
) -> Response[bytes]:
    """Replace header values; runs that have begun keep the old ones."""
    check_media(request, (JSON,))
    read_query(request, NoParameters)
    asked = decode(await read_body(request), SecretsRequest)
    precondition = read_precondition(request)
    return _show(await endpoints.rotate_secrets(backend, ref, asked, precondition))


@deletes(
    "/endpoints/{ref:str}",
    Operation(
        id="deleteEndpoint",
        tag=_TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.ENDPOINT_DELETED,
        summary="Delete a saved endpoint",
        answers={204: Answer(about="Deleted")},
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def delete_endpoint(
    request: AnyRequest, backend: Deployed, ref: FromPath[str]
) -> Response[bytes]:
    """Delete a saved endpoint and its secrets."""
    read_query(request, NoParameters)
    await endpoints.delete_endpoint(backend, ref)
    return answer_nothing()


def _show(
    saved: SavedEndpoint, *, status: int = 200, headers: dict[str, str] | None = None
) -> Response[bytes]:
    return show_tagged(_know(saved), status=status, headers=headers)


def _know(saved: SavedEndpoint) -> Known:
    return Known(msgspec.json.encode(saved), saved.entity_tag)


HANDLERS: Final = (
    save_endpoint,
    list_endpoints,
    get_endpoint,
    replace_endpoint,
    rotate_secrets,
    delete_endpoint,
)
