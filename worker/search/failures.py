"""Why a call gave no answer: from the exceptions of the libraries to one code each."""

import socket
import ssl
from collections.abc import Iterator
from typing import Final

import aiohttp
from aiohttp.http import HttpProcessingError
from msgspec import Struct

from reteval.contract.outcomes import FailureCode

RETRYABLE: Final = frozenset(
    {
        FailureCode.CONNECT,
        FailureCode.DNS_ERROR,
        FailureCode.DNS_TIMEOUT,
        FailureCode.TIMEOUT,
        FailureCode.RESET,
        FailureCode.TRUNCATED,
        FailureCode.RATE_LIMITED,
        FailureCode.HTTP_5XX,
    }
)
"""Failures that another attempt may mend; the others tell the same thing every time."""


class RefusedError(OSError):
    """The policy refused an address. An OSError, so that dialling code lets it through."""


class LookupTimeoutError(aiohttp.ClientError):
    """A name was not resolved in time."""


class DroppedError(aiohttp.ClientError):
    """The connection broke before the answer's head was there."""


class CallError(Exception):
    """A call without an answer. `retry_after` is what the endpoint asked for, in seconds.

    `again` is what the reply itself says of another attempt; None: the code tells.
    `attempts` counts how often it was made before it was left at that.
    """

    def __init__(
        self,
        code: FailureCode,
        detail: str,
        *,
        http_status: int | None = None,
        latency_ms: float | None = None,
        retry_after: float | None = None,
        again: bool | None = None,
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.http_status = http_status
        self.latency_ms = latency_ms
        self.retry_after = retry_after
        self.again = again
        self.attempts = 1


class _Rule(Struct, frozen=True):
    kinds: tuple[type[BaseException], ...]
    code: FailureCode
    text: str


_NO_CONNECTION: Final = "no connection could be made"

# The first rule that fits any link of the chain wins: a wrapper tells less than what it wraps.
# Refused and unroutable read the same, so that a run is no port scanner.
_RULES: Final = (
    _Rule((RefusedError,), FailureCode.BLOCKED, ""),
    _Rule((LookupTimeoutError,), FailureCode.DNS_TIMEOUT, "the host name was not resolved in time"),
    _Rule(
        (aiohttp.ClientConnectorDNSError, socket.gaierror),
        FailureCode.DNS_ERROR,
        "the host name does not resolve",
    ),
    _Rule((ssl.SSLError, ssl.CertificateError), FailureCode.TLS_ERROR, "TLS failed"),
    _Rule((aiohttp.ClientConnectorError,), FailureCode.CONNECT, _NO_CONNECTION),
    _Rule(
        (ConnectionResetError, BrokenPipeError, DroppedError),
        FailureCode.RESET,
        "the endpoint closed the connection before it answered",
    ),
    _Rule((aiohttp.ClientPayloadError,), FailureCode.TRUNCATED, "the answer was cut short"),
    _Rule(
        (HttpProcessingError, aiohttp.ClientResponseError), FailureCode.BAD_HTTP, "no valid HTTP"
    ),
    _Rule((TimeoutError,), FailureCode.TIMEOUT, "no answer within the time limit"),
)


def explain(exc: BaseException, latency_ms: float | None = None) -> CallError:
    """Name the failure behind an exception of the HTTP libraries or of the socket."""
    chain = list(_links(exc))
    for rule in _RULES:
        found = [link for link in chain if isinstance(link, rule.kinds)]
        if found:
            return CallError(rule.code, _describe(rule, found[-1]), latency_ms=latency_ms)
    return CallError(FailureCode.CONNECT, _NO_CONNECTION, latency_ms=latency_ms)


def _describe(rule: _Rule, found: BaseException) -> str:
    if rule.code is FailureCode.BLOCKED:
        return str(found)
    if isinstance(found, ssl.SSLCertVerificationError):
        return f"{rule.text}: {found.verify_message}"
    if isinstance(found, ssl.SSLError) and found.reason:
        return f"{rule.text}: {found.reason}"
    return rule.text


def _links(exc: BaseException | None) -> Iterator[BaseException]:
    while exc is not None:
        yield exc
        exc = exc.__cause__
