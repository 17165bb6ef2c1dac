"""What every response carries, whatever the route: request id and protective headers."""

import re
import secrets
from typing import Final

from litestar.config.cors import CORSConfig
from litestar.types import Message, Scope

REQUEST_ID: Final = "X-Request-Id"
_REQUEST_ID_KEY: Final = "request_id"
_ACCEPTED_ID: Final = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_REQUEST_HEADERS: Final = (
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "If-Match",
    "If-None-Match",
    REQUEST_ID,
)
_ANSWER_HEADERS: Final = (
    "ETag",
    "Idempotent-Replayed",
    "Link",
    "Location",
    "Retry-After",
    REQUEST_ID,
)
_DEFAULTS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)
_ID_NAME: Final = REQUEST_ID.lower().encode()


def allow_origins(origins: tuple[str, ...]) -> CORSConfig | None:
    """Let pages of these origins read the API with a key of their own; None lets no page."""
    if not origins:
        return None
    return CORSConfig(
        allow_origins=list(origins),
        allow_headers=[*_REQUEST_HEADERS],
        expose_headers=[*_ANSWER_HEADERS],
        allow_credentials=False,
    )


def request_id(scope: Scope) -> str:
    """Return the request's id: the client's when it is well formed, else a new one."""
    state = scope["state"]
    known = state.get(_REQUEST_ID_KEY)
    if known is None:
        known = state[_REQUEST_ID_KEY] = _sent_id(scope) or secrets.token_hex(16)
    return str(known)


async def stamp(message: Message, scope: Scope) -> None:
    """Add the headers that a response does not set itself; an answer to HEAD has no body."""
    if message["type"] == "http.response.start":
        given = [*message["headers"], (_ID_NAME, request_id(scope).encode())]
        names = {name.lower() for name, _ in given}
        message["headers"] = given + [row for row in _DEFAULTS if row[0] not in names]
    elif message["type"] == "http.response.body" and scope.get("method") == "HEAD":
        message["body"] = b""


def _sent_id(scope: Scope) -> str | None:
    for name, value in scope["headers"]:
        if name.lower() == _ID_NAME and _ACCEPTED_ID.fullmatch(value):
            return value.decode()
    return None
