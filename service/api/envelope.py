"""The frame of every exchange: headers as sent, request id, protective headers."""

import re
import secrets
from typing import Final

from litestar.config.cors import CORSConfig
from litestar.types import Scope

from reteval.contract.exports import LOST_HEADER

REQUEST_ID: Final = "X-Request-Id"
_REQUEST_ID_KEY: Final = "request_id"
_HEADERS_KEY: Final = "headers"
_ACCEPTED_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
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
    LOST_HEADER,
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


Headers = list[tuple[bytes, bytes]]
"""Of an answer, as they go out: names in lower case."""


def read_header(scope: Scope, name: bytes) -> str | None:
    """Return the first value of a header of the request; `name` in lower case, as servers give it.

    The framework's own objects for headers cost more than the answer of a hot read.
    """
    state = scope["state"]
    known = state.get(_HEADERS_KEY)
    if known is None:
        known = state[_HEADERS_KEY] = dict(reversed(list(scope["headers"])))
    value: bytes | None = known.get(name)
    return None if value is None else value.decode("latin-1")


def request_id(scope: Scope) -> str:
    """Return the request's id: the client's when it is well formed, else a new one."""
    state = scope["state"]
    known = state.get(_REQUEST_ID_KEY)
    if known is None:
        known = state[_REQUEST_ID_KEY] = _sent_id(scope) or secrets.token_hex(16)
    return str(known)


def stamp(headers: Headers, scope: Scope) -> None:
    """Add the request's id, and the headers that a response does not set itself."""
    given = dict(headers)
    headers.append((_ID_NAME, request_id(scope).encode()))
    headers += [row for row in _DEFAULTS if row[0] not in given]


def _sent_id(scope: Scope) -> str | None:
    sent = read_header(scope, _ID_NAME)
    return sent if sent and _ACCEPTED_ID.fullmatch(sent) else None
