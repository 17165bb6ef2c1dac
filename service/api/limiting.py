"""Tells each caller its rate, in the header fields of the IETF's draft (RateLimit, 2025)."""

from typing import Any, Final

from litestar.types import Scope

from service.api.envelope import Headers
from service.core.limiter import Standing

_STANDING: Final = "standing"
POLICY_HEADER: Final = "RateLimit-Policy"
RATE_HEADER: Final = "RateLimit"
_POLICY_NAME: Final = POLICY_HEADER.lower().encode()
_RATE_NAME: Final = RATE_HEADER.lower().encode()


def note_standing(scope: Any, standing: Standing) -> None:
    """Keep how far the caller has used its rate until the answer goes out."""
    scope["state"][_STANDING] = standing


def find_standing(scope: Any) -> Standing | None:
    """Return what was noted; None where requests are not counted."""
    standing: Standing | None = scope["state"].get(_STANDING)
    return standing if standing and standing.requests else None


def announce(headers: Headers, scope: Scope) -> None:
    """Add the headers to an answer whose request was counted."""
    standing = find_standing(scope)
    if standing is None:
        return
    policy = f'"{standing.policy}";q={standing.requests};w={standing.window_s}'
    rate = f'"{standing.policy}";r={standing.remaining};t={standing.reset_s}'
    headers += [(_POLICY_NAME, policy.encode()), (_RATE_NAME, rate.encode())]
