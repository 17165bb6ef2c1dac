"""The way past the framework for what is asked most: a plain GET of an answer that is kept.

Who may have it is decided by the guard, as for every request; whatever is not plain, or not kept,
goes the long way and finds that decision made.
"""

from http import HTTPMethod
from typing import Final

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Middleware, Receive, Scope, Send

from service.api.access import Guard
from service.api.conditional import send_tagged
from service.api.envelope import read_header
from service.api.hot import HotAnswers, Known
from service.api.operations import JSON, find_operation
from service.core.grants import RUN

_TAKING_JSON: Final = (None, "*/*", JSON)


def shorten(guard: Guard, hot: HotAnswers) -> Middleware:
    """Return a layer that answers from what is kept."""

    def wrap(app: ASGIApp) -> ASGIApp:
        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            known = await _find(guard, hot, scope)
            if known is None:
                await app(scope, receive, send)
            else:
                await send_tagged(known, scope, send)

        return answer

    return wrap


async def _find(guard: Guard, hot: HotAnswers, scope: Scope) -> Known | None:
    operation = find_operation(scope)
    if operation is None or not operation.kept or not _is_plain(scope):
        return None
    identity = await guard.decide(scope)
    if identity is None or identity.via:  # readers of another team's run are shown less
        return None
    return hot.find(identity.tenant, scope["path_params"][RUN], operation.kept)


def _is_plain(scope: Scope) -> bool:
    return (
        scope["type"] == ScopeType.HTTP
        and scope["method"] == HTTPMethod.GET
        and not scope["query_string"]
        and read_header(scope, b"accept") in _TAKING_JSON
    )
