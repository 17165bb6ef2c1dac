"""What every response carries, whatever the route: request id and protective headers."""

import re
import secrets
from typing import Final

from litestar.config.cors import CORSConfig
from litestar.datastructures import MutableScopeHeaders
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
_DEFAULTS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


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
        headers = MutableScopeHeaders.from_message(message)
        headers[REQUEST_ID] = request_id(scope)
        for name, value in _DEFAULTS.items():
            headers.setdefault(name, value)
    elif message["type"] == "http.response.body" and scope.get("method") == "HEAD":
        message["body"] = b""


def _sent_id(scope: Scope) -> str | None:
    for name, value in scope["headers"]:
        if name.lower() == REQUEST_ID.lower().encode() and _ACCEPTED_ID.fullmatch(value):
            return value.decode()
    return None
