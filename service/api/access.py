"""The guard before every route of `/v1`: who calls, and whether the route's scope is theirs."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

from litestar.connection import ASGIConnection
from litestar.enums import HttpMethod
from litestar.handlers import BaseRouteHandler
from msgspec import structs

from reteval.contract.api_keys import Scope
from reteval.contract.grants import SHARE_HEADER, SHARE_PARAMETER
from reteval.contract.tokens import KEY, holds_token
from service.api.envelope import request_id
from service.api.limiting import note_standing
from service.api.operations import OPERATION, Operation, opens_by_link
from service.core.access import Visit, admit
from service.core.backend import Backend
from service.core.grants import RUN
from service.core.identity import LOCAL, Identity
from service.errors import KeyInUrlError, UnauthorizedError

IDENTITY: Final = "identity"
"""Where the guard leaves whom it let in, in the state of the request."""
_SCHEME: Final = "bearer "
_KEY_PARAMETERS: Final = ("api_key", "apikey", "access_token", "authorization")

Connection = ASGIConnection[Any, Any, Any, Any]
Guard = Callable[[Connection, BaseRouteHandler], Awaitable[None]]


def guard_routes(*, required: bool, operator_key: str) -> Guard:
    """Return a guard; with `required` false it lets in whoever comes, as the default team."""

    async def guard(connection: Connection, handler: BaseRouteHandler) -> None:
        operation = handler.opt.get(OPERATION)
        if operation is None and connection.scope.get("method") == HttpMethod.OPTIONS:
            return
        if not isinstance(operation, Operation):
            raise UnauthorizedError("This route has not said what it needs.")
        _refuse_key_in_url(connection)
        visit = _read_visit(connection, operation)
        if required:
            backend: Backend = connection.app.state.backend
            identity = await admit(
                backend,
                visit,
                operator_key=operator_key,
                note=partial(note_standing, connection.scope),
            )
        else:
            identity = structs.replace(LOCAL, ip=visit.ip, request_id=visit.request_id)
        connection.scope["state"][IDENTITY] = identity

    return guard


def drop_share(connection: Connection) -> list[tuple[str, str]]:
    """Return the query parameters that are the route's own: a link's token is the guard's."""
    operation = connection.scope["route_handler"].opt.get(OPERATION)
    pairs = connection.query_params.multi_items()
    if operation is None or not opens_by_link(operation):
        return list(pairs)
    return [(name, value) for name, value in pairs if name != SHARE_PARAMETER]


def find_identity(connection: Connection) -> Identity:
    """Return whom the guard let in; a route without the guard has nobody, and fails."""
    identity: Identity = connection.scope["state"][IDENTITY]
    return identity


def _read_visit(connection: Connection, operation: Operation) -> Visit:
    share = connection.headers.get(SHARE_HEADER) or connection.query_params.get(SHARE_PARAMETER)
    client = connection.client
    return Visit(
        key=_read_bearer(connection.headers.get("Authorization", "")),
        share=(share or "") if opens_by_link(operation) else "",
        run_id=connection.path_params.get(RUN, ""),
        scope=operation.scope if isinstance(operation.scope, Scope) else None,
        ip=client.host if client else "",
        request_id=request_id(connection.scope),
    )


def _read_bearer(sent: str) -> str:
    return sent[len(_SCHEME) :].strip() if sent.lower().startswith(_SCHEME) else ""


def _refuse_key_in_url(connection: Connection) -> None:
    if not connection.scope["query_string"]:
        return
    for name, value in connection.query_params.multi_items():
        shares = name == SHARE_PARAMETER and not value.startswith(KEY)
        if name.lower() in _KEY_PARAMETERS or (holds_token(value) and not shares):
            raise KeyInUrlError(
                "Send the key in the header `Authorization: Bearer <key>`, and replace it: "
                "an address is kept in logs and histories."
            )
