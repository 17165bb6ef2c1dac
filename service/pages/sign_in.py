"""Signing in with a key, and out again."""

from typing import Any, Final

from litestar import Response

from service.api.access import Guard
from service.api.bodies import AnyRequest
from service.api.cookies import SESSION_COOKIE, bake
from service.api.operations import Access
from service.core.backend import Backend
from service.core.sessions import begin_session, end_session
from service.errors import ForbiddenError, UnauthorizedError
from service.pages.forms import read_form
from service.pages.rendering import answer_page, show
from service.pages.routing import SIGN_IN, Deployed, lead_to, shows, takes

_START: Final = "/runs"


@shows(SIGN_IN, "showSignIn", scope=Access.OPEN)
async def show_sign_in(request: AnyRequest) -> Response[bytes]:
    """Show where a key can be given."""
    going = _read_going(request.query_params.get("next", ""))
    return await show(request, "sign_in.html", going=going, refusal="")


@takes(SIGN_IN, "signIn", scope=Access.OPEN)
async def sign_in(request: AnyRequest) -> Response[Any]:
    """Begin a session with a key, and lead to where it was asked for."""
    fields = await read_form(request)
    going = _read_going(fields.get("next", ""))
    key = fields.get("key", "").strip()
    guard: Guard = request.app.state.guard
    try:
        identity = await guard.recognise(request.scope, key)
    except (UnauthorizedError, ForbiddenError) as exc:
        return answer_page(
            request, "sign_in.html", status=exc.status, going=going, refusal=exc.detail
        )
    backend: Backend = request.app.state.backend
    session = await begin_session(backend.of(identity), key)
    answer = lead_to(going)
    answer.set_cookie(bake(session.token, session.lifetime_s, request.scope))
    return answer


@takes("/sign-out", "signOut", scope=Access.ANY_KEY)
async def sign_out(backend: Deployed) -> Response[Any]:
    """End the session, here and in the browser."""
    await end_session(backend)
    answer = lead_to(SIGN_IN)
    answer.delete_cookie(SESSION_COOKIE)
    return answer


def _read_going(path: str) -> str:
    """Return where to go after signing in: a path of ours, or the start."""
    own = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if own else _START


HANDLERS: Final = (show_sign_in, sign_in, sign_out)
