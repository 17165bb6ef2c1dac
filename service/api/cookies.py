"""The cookie of a person's session, and from where a request may bring it."""

from http.cookies import SimpleCookie
from typing import Any, Final
from urllib.parse import urlsplit

from litestar.datastructures import Cookie
from litestar.types import Scope

from service.api.envelope import read_header
from service.errors import ForbiddenError

SESSION_COOKIE: Final = "reteval_session"
_SAFE: Final = ("GET", "HEAD")
_OWN: Final = ("same-origin", "none")
_ELSEWHERE: Final = (
    "The form was sent from another site. Open the page here, and send it from there."
)


def read_session(scope: Scope) -> str:
    """Return the token of the session that a request brings, or an empty text."""
    sent = read_header(scope, b"cookie")
    if not sent or SESSION_COOKIE not in sent:
        return ""
    found = SimpleCookie(sent).get(SESSION_COOKIE)
    return found.value if found else ""


def bake(token: str, lifetime_s: int, scope: Scope) -> Cookie:
    """Return the cookie of a session: no script reads it, and no other site's form sends it."""
    return Cookie(
        key=SESSION_COOKIE,
        value=token,
        max_age=lifetime_s,
        path="/",
        httponly=True,
        samesite="lax",
        secure=_is_encrypted(scope),
    )


def is_safe(scope: Scope) -> bool:
    """Tell whether a request only asks."""
    method: Any = scope.get("method")
    return method in _SAFE


def refuse_elsewhere(scope: Scope) -> None:
    """See that a form comes from a page of ours.

    Browsers say so in `Sec-Fetch-Site`, older ones in `Origin` alone, which is `null` in those
    that say both, since our pages send no referrer. What says neither is no browser, and sends no
    cookie that it did not choose to send.

    Raises:
        ForbiddenError: it comes from another site.
    """
    site = read_header(scope, b"sec-fetch-site")
    origin = read_header(scope, b"origin")
    if site is not None:
        own = site in _OWN
    else:
        own = origin is None or urlsplit(origin).netloc == read_header(scope, b"host")
    if not own:
        raise ForbiddenError(_ELSEWHERE)


def _is_encrypted(scope: Scope) -> bool:
    # Behind a proxy that ends TLS, it says so; who lies only keeps the cookie from themselves.
    return "https" in (scope["scheme"], read_header(scope, b"x-forwarded-proto"))
