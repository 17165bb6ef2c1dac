"""Idempotency keys: who works on a request, what it made, and how it was answered."""

import secrets
from typing import Final

import msgspec

from service.errors import (
    IdempotencyConflictError,
    IdempotencyMismatchError,
    ShownOnceError,
)
from service.store import keys
from service.store.records import Idempotency, KeptAnswer
from service.store.scripts import Scripts, text

KEPT_MS: Final = 86_400_000
"""How long a key is remembered."""
LEASE_S: Final = 20.0
"""How long a process that died keeps others from a key under which it made nothing."""


class IdempotencyKeys:
    """All idempotency keys of a deployment."""

    def __init__(self, scripts: Scripts, *, lease_s: float = LEASE_S) -> None:
        self._scripts = scripts
        self._lease_ms = round(lease_s * 1000)

    async def claim(self, tenant: str, name: str, fingerprint: str) -> Idempotency | KeptAnswer:
        """Take up the key for a request, or return how that was answered before.

        Raises:
            IdempotencyConflictError: another process is at it.
            IdempotencyMismatchError: the key was used for another request.
        """
        held = Idempotency(entry=keys.idempotency(tenant, name), token=secrets.token_hex(16))
        verdict, answer = await self._scripts.run(
            "claim_key", [held.entry], [fingerprint, held.token, self._lease_ms, KEPT_MS]
        )
        if text(verdict) == "mismatch":
            raise IdempotencyMismatchError(
                "This Idempotency-Key was used for another request; use a new key."
            )
        if text(verdict) == "busy":
            raise under_way()
        if text(verdict) == "answered":
            return msgspec.msgpack.decode(answer, type=KeptAnswer)
        return held

    async def keep(self, held: Idempotency, answer: KeptAnswer) -> KeptAnswer:
        """Keep an answer and return it, or the one that was kept first."""
        first = await self._scripts.run(
            "keep_answer", [held.entry], [msgspec.msgpack.encode(answer)]
        )
        return msgspec.msgpack.decode(first, type=KeptAnswer)

    async def release(self, held: Idempotency) -> None:
        """Give the key back; if something was made under it, it stays."""
        await self._scripts.run("release_key", [held.entry], [held.token])


def script_words(held: Idempotency | None) -> tuple[str, str]:
    """Return the key and the token that a creating script takes."""
    return (held.entry, held.token) if held else (keys.idempotency(keys.SYSTEM_TENANT, ""), "")


def refuse_second(verdict: str) -> None:
    """Refuse what a script that makes a secret did not do: another secret would be another one.

    Raises:
        IdempotencyConflictError: another process took the key over.
        ShownOnceError: it was made under the key before.
    """
    if verdict == "lost":
        raise under_way()
    if verdict == "made":
        raise shown_once()


def shown_once() -> ShownOnceError:
    """Return the error of a request whose first answer held a secret that is not kept."""
    return ShownOnceError(
        "This request was carried out before, and the secret in its answer is not kept. "
        "Rotate what it made, or delete that and send the request with a new Idempotency-Key."
    )


def under_way() -> IdempotencyConflictError:
    """Return the error of a request that another process is at."""
    return IdempotencyConflictError(
        "A request with this Idempotency-Key is under way; ask again for its answer."
    )
