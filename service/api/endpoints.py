"""Routes of `/v1/endpoints`: save, list, read, replace, rotate secrets, delete."""

from typing import Final

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
from service.api.operations import JSON, Answer, Operation, creates, deletes, reads, replaces
from service.api.parameters import PageParameters
from service.api.responses import answer, answer_nothing
from service.api.runs import Deployed
from service.core import endpoints
from service.core.decoding import decode

_TAG: Final = "endpoints"
_BODY_ERRORS: Final = (
    errors.MalformedJsonError,
    errors.TooLargeError,
    errors.UnsupportedMediaTypeError,
    errors.InvalidError,
    errors.EndpointNotAllowedError,
    errors.SecretsUnavailableError,
    errors.StorageFullError,
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
                headers={"Location": "The endpoint's address."},
            )
        },
        body={JSON: SavedEndpointRequest},
        errors=(*_BODY_ERRORS, errors.NameTakenError),
    ),
)
async def save_endpoint(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Save a new endpoint."""
    check_media(request, (JSON,))
    read_query(request, NoParameters)
    asked = decode(await read_body(request), SavedEndpointRequest)
    saved = await endpoints.save_endpoint(backend, asked)
    return answer(saved, status=201, headers={"Location": f"/v1/endpoints/{saved.id}"})


@reads(
    "/endpoints",
    Operation(
        id="listEndpoints",
        tag=_TAG,
        scope=Scope.RUNS_READ,
        summary="List saved endpoints, newest first",
        answers={200: Answer(about="A page", media={JSON: SavedEndpointPage})},
        query=PageParameters,
        errors=(errors.BadCursorError, errors.InvalidError),
    ),
)
async def list_endpoints(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Answer a page of saved endpoints."""
    sent = read_query(request, PageParameters)
    return answer(await endpoints.list_endpoints(backend, cursor=sent.cursor, limit=sent.limit))


@reads(
    "/endpoints/{ref:str}",
    Operation(
        id="getEndpoint",
        tag=_TAG,
        scope=Scope.RUNS_READ,
        summary="Read a saved endpoint by id or name",
        answers={200: Answer(about="The endpoint", media={JSON: SavedEndpoint})},
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def get_endpoint(
    request: AnyRequest, backend: Deployed, ref: FromPath[str]
) -> Response[bytes]:
    """Answer a saved endpoint without its secrets."""
    read_query(request, NoParameters)
    return answer(await endpoints.get_endpoint(backend, ref))


@replaces(
    "/endpoints/{ref:str}",
    Operation(
        id="replaceEndpoint",
        tag=_TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.ENDPOINT_CHANGED,
        summary="Replace a saved endpoint",
        about="Header values must be sent again. Runs keep the copy they were made with.",
        answers={200: Answer(about="Replaced", media={JSON: SavedEndpoint})},
        body={JSON: SavedEndpointRequest},
        errors=(*_BODY_ERRORS, errors.NotFoundError, errors.NameTakenError),
    ),
)
async def replace_endpoint(
    request: AnyRequest, backend: Deployed, ref: FromPath[str]
) -> Response[bytes]:
    """Replace a saved endpoint."""
    check_media(request, (JSON,))
    read_query(request, NoParameters)
    asked = decode(await read_body(request), SavedEndpointRequest)
    return answer(await endpoints.save_endpoint(backend, asked, ref=ref))


@replaces(
    "/endpoints/{ref:str}/secrets",
    Operation(
        id="rotateSecrets",
        tag=_TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.ENDPOINT_CHANGED,
        summary="Replace header values of a saved endpoint",
        answers={200: Answer(about="Rotated", media={JSON: SavedEndpoint})},
        body={JSON: SecretsRequest},
        errors=(*_BODY_ERRORS, errors.NotFoundError),
    ),
)
async def rotate_secrets(
    request: AnyRequest, backend: Deployed, ref: FromPath[str]
) -> Response[bytes]:
    """Replace header values; runs that have begun keep the old ones."""
    check_media(request, (JSON,))
    read_query(request, NoParameters)
    asked = decode(await read_body(request), SecretsRequest)
    return answer(await endpoints.rotate_secrets(backend, ref, asked))


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


HANDLERS: Final = (
    save_endpoint,
    list_endpoints,
    get_endpoint,
    replace_endpoint,
    rotate_secrets,
    delete_endpoint,
)
