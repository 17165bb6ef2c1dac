"""Which headers a client may have sent to its endpoint."""

import re
from collections.abc import Mapping
from typing import Final

from reteval.contract import limits
from service.egress.errors import EgressError

_TOKEN: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VALUE: Final = re.compile(r"[\t\x20-\x7e]*")
_OWN_HEADERS: Final = frozenset(
    {
        *("host", "content-length", "transfer-encoding", "connection", "keep-alive", "te"),
        *("trailer", "upgrade", "expect", "accept-encoding", "forwarded", "via"),
    }
)
_OWN_PREFIXES: Final = ("proxy-", "x-forwarded-")


def check_headers(headers: Mapping[str, str]) -> None:
    """Judge the headers a client wants sent to its endpoint.

    Raises:
        EgressError: a header that belongs to the transport, bad characters, or too many.
    """
    size = sum(len(name) + len(value) for name, value in headers.items())
    if len(headers) > limits.MAX_HEADERS or size > limits.MAX_HEADER_BYTES:
        raise EgressError(
            "header_not_allowed",
            f"send at most {limits.MAX_HEADERS} headers and {limits.MAX_HEADER_BYTES} bytes",
        )
    for name, value in headers.items():
        if not _TOKEN.fullmatch(name):
            raise EgressError("header_not_allowed", "a header name has characters it may not have")
        lower = name.lower()
        if lower in _OWN_HEADERS or lower.startswith(_OWN_PREFIXES):
            raise EgressError(
                "header_not_allowed", f"header {name!r} belongs to the transport; leave it out"
            )
        if not _VALUE.fullmatch(value):
            raise EgressError(
                "header_not_allowed", f"the value of header {name!r} may hold printable ASCII only"
            )
