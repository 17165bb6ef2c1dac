"""Tells each caller its rate, in the header fields of the IETF's draft (RateLimit, 2025)."""

from typing import Any, Final

from litestar.datastructures import MutableScopeHeaders
from litestar.types import Message, Scope

from service.core.limiter import Standing

_STANDING: Final = "standing"
POLICY_HEADER: Final = "RateLimit-Policy"
RATE_HEADER: Final = "RateLimit"


def note_standing(scope: Any, standing: Standing) -> None:
    """Keep how far the caller has used its rate until the answer goes out."""
    scope["state"][_STANDING] = standing


def find_standing(scope: Any) -> Standing | None:
    """Return what was noted; None where requests are not counted."""
    standing: Standing | None = scope["state"].get(_STANDING)
    return standing if standing and standing.requests else None


async def announce(message: Message, scope: Scope) -> None:
    """Add the headers to an answer whose request was counted."""
    if message["type"] != "http.response.start" or (standing := find_standing(scope)) is None:
        return
    headers = MutableScopeHeaders.from_message(message)
    name = f'"{standing.policy}"'
    headers[POLICY_HEADER] = f"{name};q={standing.requests};w={standing.window_s}"
    headers[RATE_HEADER] = f"{name};r={standing.remaining};t={standing.reset_s}"
