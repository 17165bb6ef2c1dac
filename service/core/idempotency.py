"""Requests that are carried out once however often they are sent."""

from collections.abc import Awaitable, Callable

import structlog

from service.core.backend import Backend
from service.errors import ServiceError
from service.store.records import Idempotency, KeptAnswer

_log = structlog.get_logger("reteval.idempotency")

__all__ = ["Idempotency", "KeptAnswer", "answer_once"]

Make = Callable[[Idempotency], Awaitable[KeptAnswer]]


async def answer_once(
    backend: Backend, name: str, fingerprint: str, make: Make
) -> tuple[KeptAnswer, bool]:
    """Return the answer to a request, and whether it is an earlier one.

    `name` is the operation and the client's key, `fingerprint` a digest of the request. `make`
    hands what it is given on to the script that creates something. An answer is kept before
    anybody sees it, so all see the same; where a process died in between, `make` is done again
    and finds what was made.

    Raises:
        IdempotencyConflictError: the same request is under way.
        IdempotencyMismatchError: the key belongs to another request.
    """
    keys = backend.store.idempotency
    claimed = await keys.claim(backend.tenant, name, fingerprint)
    if isinstance(claimed, KeptAnswer):
        return claimed, True
    try:
        made = await make(claimed)
    except Exception:
        await _release(backend, claimed)
        raise
    kept = await keys.keep(claimed, made)
    return kept, kept != made


async def _release(backend: Backend, held: Idempotency) -> None:
    try:
        await backend.store.idempotency.release(held)
    except ServiceError as exc:  # the claim lapses by itself
        _log.warning("idempotency.release_failed", error=exc.detail)
