"""`Idempotency-Key`: a creating request with one is carried out once, and answered the same."""

import hashlib
import re
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Final

from litestar import Response
from litestar.exceptions import ClientException

from service import errors
from service.api.bodies import AnyRequest, body_digest
from service.api.operations import OPERATION
from service.core.backend import Backend
from service.core.idempotency import Idempotency, KeptAnswer, answer_once

HEADER: Final = "Idempotency-Key"
REQUEST_HEADERS: Final = {
    HEADER: "1 to 255 visible ASCII characters, bare or quoted. For 24 hours, the same request "
    "with the same key is answered the same and makes nothing new."
}
ANSWER_HEADERS: Final = {
    "Idempotent-Replayed": "`true` on an answer that was given before under the same key."
}
ERRORS: Final = (errors.IdempotencyConflictError, errors.IdempotencyMismatchError)
SECRET_ERRORS: Final = (*ERRORS, errors.ShownOnceError)
"""Of routes whose answer holds a secret."""
KEY: Final = re.compile(r'"[!-~]{1,255}"|[!#-~][!-~]{0,254}')
"""The header's value: 1 to 255 visible ASCII characters, bare or quoted as structured fields."""

Make = Callable[[Idempotency | None], Awaitable[Response[bytes]]]


async def create_once(
    request: AnyRequest, backend: Backend, make: Make, *, secret: bool = False
) -> Response[bytes]:
    """Answer a creating request whose body was read, once for each idempotency key.

    Raises:
        ClientException: a key that is none.
        IdempotencyConflictError, IdempotencyMismatchError, ShownOnceError: see `answer_once`.
    """
    key = _read_key(request)
    if key is None:
        return await make(None)

    async def keep(held: Idempotency) -> KeptAnswer:
        return _keep(await make(held))

    name = f"{request.route_handler.opt[OPERATION].id}:{key}"
    kept, replayed = await answer_once(backend, name, _fingerprint(request), keep, secret=secret)
    marks = {"Idempotent-Replayed": "true"} if replayed else {}
    return Response(
        kept.body,
        status_code=kept.status,
        media_type=kept.media,
        headers=kept.headers | marks,
    )


def _keep(answer: Response[bytes]) -> KeptAnswer:
    return KeptAnswer(
        status=answer.status_code or HTTPStatus.OK,
        media=str(answer.media_type),
        headers=dict(answer.headers),
        body=answer.content,
    )


def _fingerprint(request: AnyRequest) -> str:
    """Digest what was asked for, as it was received: the body's bytes, not what they mean."""
    parts = (
        request.method,
        request.url.path,
        request.url.query,
        request.headers.get("Content-Type", ""),
        body_digest(request),
    )
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def _read_key(request: AnyRequest) -> str | None:
    sent = request.headers.getall(HEADER, [])
    if not sent:
        return None
    if len(sent) > 1 or not KEY.fullmatch(sent[0]):
        raise ClientException(f"{HEADER} is 1 to 255 visible ASCII characters, sent once.")
    return sent[0][1:-1] if sent[0].startswith('"') else sent[0]
