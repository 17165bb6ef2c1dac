"""Who may call: one bearer key, compared in constant time."""

import hmac
from collections.abc import Callable
from typing import Any, Final

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler

from service.errors import UnauthorizedError

_SCHEME: Final = "bearer "

Guard = Callable[["ASGIConnection[Any, Any, Any, Any]", BaseRouteHandler], None]


def require_key(api_key: str) -> Guard:
    """Return a guard that admits only this key; without a key it admits nobody."""
    expected = api_key.encode()

    def guard(connection: "ASGIConnection[Any, Any, Any, Any]", _: BaseRouteHandler) -> None:
        sent = connection.headers.get("Authorization", "")
        if not sent.lower().startswith(_SCHEME):
            raise UnauthorizedError("Send the header `Authorization: Bearer <key>`.")
        given = sent[len(_SCHEME) :].strip().encode("latin-1", "replace")
        if not expected or not hmac.compare_digest(given, expected):
            raise UnauthorizedError("The API key is not valid here.")

    return guard
