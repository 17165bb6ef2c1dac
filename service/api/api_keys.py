"""Routes of `/v1/keys`: make, list, rotate, revoke."""

from typing import Final

from litestar import Response
from litestar.params import FromPath

from reteval.contract.api_keys import ApiKeyPage, ApiKeyRequest, NewApiKey, Scope
from reteval.contract.audit import AuditEvent
from service import errors
from service.api.bodies import AnyRequest, NoParameters, check_media, read_body, read_query
from service.api.idempotency import (
    ANSWER_HEADERS,
    REQUEST_HEADERS,
    SECRET_ERRORS,
    create_once,
)
from service.api.operations import JSON, Answer, Operation, creates, deletes, reads
from service.api.parameters import KeyListParameters, RotateParameters
from service.api.responses import answer, answer_nothing
from service.api.runs import Deployed
from service.core import api_keys
from service.core.decoding import decode
from service.core.idempotency import Idempotency

_TAG: Final = "teams"
_MADE: Final = Answer(
    about="Made; the secret is in this answer only",
    media={JSON: NewApiKey},
    headers={"Location": "The key's address.", **ANSWER_HEADERS},
)


@creates(
    "/keys",
    Operation(
        id="createKey",
        tag=_TAG,
        scope=Scope.KEYS_ADMIN,
        event=AuditEvent.KEY_CREATED,
        summary="Make an API key",
        about=(
            "The secret is shown once. A key expires after at most a year. Keys for another team, "
            "and keys with `admin`, are made by admins."
        ),
        answers={201: _MADE},
        headers=REQUEST_HEADERS,
        body={JSON: ApiKeyRequest},
        errors=(
            errors.MalformedJsonError,
            errors.NotFoundError,
            errors.TooLargeError,
            errors.UnsupportedMediaTypeError,
            errors.InvalidError,
            *SECRET_ERRORS,
            errors.StorageFullError,
        ),
    ),
)
async def create_key(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Make a key."""
    check_media(request, (JSON,))
    read_query(request, NoParameters)
    asked = decode(await read_body(request), ApiKeyRequest)

    async def make(held: Idempotency | None) -> Response[bytes]:
        return _answer_made(await api_keys.create_key(backend, asked, idempotency=held))

    return await create_once(request, backend, make, secret=True)


@reads(
    "/keys",
    Operation(
        id="listKeys",
        tag=_TAG,
        scope=Scope.KEYS_ADMIN,
        summary="List API keys, newest first",
        about="Without secrets. Keys that have ended are listed until 30 days after their expiry.",
        answers={200: Answer(about="A page", media={JSON: ApiKeyPage})},
        query=KeyListParameters,
        errors=(errors.BadCursorError, errors.InvalidError),
    ),
)
async def list_keys(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Answer a page of keys."""
    sent = read_query(request, KeyListParameters)
    return answer(
        await api_keys.list_keys(backend, sent.team, cursor=sent.cursor, limit=sent.limit)
    )


@creates(
    "/keys/{key_id:str}/rotate",
    Operation(
        id="rotateKey",
        tag=_TAG,
        scope=Scope.KEYS_ADMIN,
        event=AuditEvent.KEY_ROTATED,
        summary="Replace an API key",
        about="Makes a key like it. Both open until the hours of overlap are over.",
        answers={201: _MADE},
        headers=REQUEST_HEADERS,
        query=RotateParameters,
        errors=(
            errors.NotFoundError,
            errors.InvalidError,
            *SECRET_ERRORS,
            errors.StorageFullError,
        ),
    ),
)
async def rotate_key(
    request: AnyRequest, backend: Deployed, key_id: FromPath[str]
) -> Response[bytes]:
    """Make the key that follows another one."""
    sent = read_query(request, RotateParameters)

    async def make(held: Idempotency | None) -> Response[bytes]:
        made = await api_keys.rotate_key(
            backend, key_id, overlap_hours=sent.overlap_hours, idempotency=held
        )
        return _answer_made(made)

    return await create_once(request, backend, make, secret=True)


@deletes(
    "/keys/{key_id:str}",
    Operation(
        id="revokeKey",
        tag=_TAG,
        scope=Scope.KEYS_ADMIN,
        event=AuditEvent.KEY_REVOKED,
        summary="Revoke an API key",
        about="It opens nothing from then on, within a second in every process.",
        answers={204: Answer(about="Revoked")},
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def revoke_key(
    request: AnyRequest, backend: Deployed, key_id: FromPath[str]
) -> Response[bytes]:
    """Revoke a key."""
    read_query(request, NoParameters)
    await api_keys.revoke_key(backend, key_id)
    return answer_nothing()


def _answer_made(made: NewApiKey) -> Response[bytes]:
    return answer(made, status=201, headers={"Location": f"/v1/keys/{made.id}"})


HANDLERS: Final = (create_key, list_keys, rotate_key, revoke_key)
