"""Requests that are carried out once however often they are sent."""

from collections.abc import Awaitable, Callable
from typing import Final

import structlog
from msgspec import structs

from service.core.backend import Backend
from service.errors import SecretsUnavailableError, ServiceError
from service.store.idempotency import shown_once
from service.store.records import Idempotency, KeptAnswer
from service.store.sealing import seal, unseal

_log = structlog.get_logger("reteval.idempotency")

__all__ = ["Idempotency", "KeptAnswer", "answer_once"]

_BODY: Final = "body"
"""Under which an answer's body is sealed."""

Make = Callable[[Idempotency], Awaitable[KeptAnswer]]


async def answer_once(
    backend: Backend, name: str, fingerprint: str, make: Make, *, secret: bool = False
) -> tuple[KeptAnswer, bool]:
    """Return the answer to a request, and whether it is an earlier one.

    `name` is the operation and the client's key, `fingerprint` a digest of the request. `make`
    hands what it is given on to the script that creates something. An answer is kept before
    anybody sees it, so all see the same; where a process died in between, `make` is done again
    and finds what was made.

    An answer with a `secret` is kept sealed with the operator's key, for the caller's own key;
    where there is no operator's key it is not kept.

    Raises:
        IdempotencyConflictError: the same request is under way.
        IdempotencyMismatchError: the key belongs to another request.
        ShownOnceError: the answer held a secret and is not kept, or cannot be opened any more.
    """
    keys = backend.store.idempotency
    if secret:
        name = f"{backend.identity.key}:{name}"
    claimed = await keys.claim(backend.tenant, name, fingerprint)
    if isinstance(claimed, KeptAnswer):
        return _open(backend, claimed) if secret else claimed, True
    try:
        made = await make(claimed)
    except Exception:
        await _release(backend, claimed)
        raise
    if not secret:
        kept = await keys.keep(claimed, made)
        return kept, kept != made
    if backend.secret_key:
        await keys.keep(claimed, _seal(backend, made))
    return made, False


def _seal(backend: Backend, answer: KeptAnswer) -> KeptAnswer:
    body = seal(backend.secret_key, {_BODY: answer.body.decode()})
    return structs.replace(answer, body=body)


def _open(backend: Backend, kept: KeptAnswer) -> KeptAnswer:
    try:
        body = unseal(backend.secret_key, kept.body)[_BODY]
    except SecretsUnavailableError as exc:  # the operator has changed, or dropped, the key
        raise shown_once() from exc
    return structs.replace(kept, body=body.encode())


async def _release(backend: Backend, held: Idempotency) -> None:
    try:
        await backend.store.idempotency.release(held)
    except ServiceError as exc:  # the claim lapses by itself
        _log.warning("idempotency.release_failed", error=exc.detail)
