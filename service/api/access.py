"""The guard before every route of `/v1`: who calls, and whether the route's scope is theirs."""

from collections.abc import Iterable
from functools import partial
from http import HTTPMethod
from typing import Any, Final

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler
from litestar.types import Scope as ASGIScope
from msgspec import structs

from reteval.contract.api_keys import Scope
from reteval.contract.grants import SHARE_HEADER, SHARE_PARAMETER
from reteval.contract.tokens import KEY, holds_token
from service.api.cookies import is_safe, read_session, refuse_elsewhere
from service.api.envelope import read_header, request_id
from service.api.limiting import note_standing
from service.api.operations import (
    OPERATION,
    PAGES,
    Access,
    Operation,
    find_operation,
    opens_by_link,
)
from service.core.access import Visit, admit
from service.core.backend import Backend
from service.core.grants import RUN
from service.core.identity import LOCAL, NOBODY, Identity
from service.errors import KeyInUrlError, ServiceError, UnauthorizedError

IDENTITY: Final = "identity"
"""Where the guard leaves whom it let in, in the state of the request."""
_REFUSAL: Final = "refusal"
_SCHEME: Final = "bearer "
_KEY_PARAMETERS: Final = ("api_key", "apikey", "access_token", "authorization")
_SHARE_NAME: Final = SHARE_HEADER.lower().encode()

Connection = ASGIConnection[Any, Any, Any, Any]


class Guard:
    """Decides once a request whether it is let in, and as whom.

    With `required` false it lets in whoever comes, as the default team.
    """

    def __init__(self, *, required: bool, operator_key: str) -> None:
        self._required = required
        self._operator_key = operator_key

    async def check(self, connection: Connection, handler: BaseRouteHandler) -> None:
        """Let a request in, or refuse it.

        Raises:
            ServiceError: why it was refused, here or before.
        """
        scope = connection.scope
        if scope.get("method") == HTTPMethod.OPTIONS and handler.opt.get(OPERATION) is None:
            return
        if IDENTITY not in scope["state"] and _REFUSAL not in scope["state"]:
            await self.decide(scope)
        refusal: ServiceError | None = scope["state"].get(_REFUSAL)
        if refusal is not None:
            raise refusal

    async def decide(self, scope: ASGIScope) -> Identity | None:
        """Return whom a request is let in as; None keeps the reason for `check` to raise."""
        try:
            identity = scope["state"][IDENTITY] = await self._admit(scope)
        except ServiceError as exc:
            scope["state"][_REFUSAL] = exc
            return None
        return identity

    async def _admit(self, scope: ASGIScope) -> Identity:
        operation = find_operation(scope)
        if operation is None:
            raise UnauthorizedError("This route has not said what it needs.")
        _refuse_key_in_url(scope)
        visit = _read_visit(scope, operation)
        if operation.tag == PAGES:
            if not is_safe(scope):
                refuse_elsewhere(scope)
            if operation.scope is Access.OPEN:
                return structs.replace(NOBODY, ip=visit.ip, request_id=visit.request_id)
        if not self._required:
            return structs.replace(LOCAL, ip=visit.ip, request_id=visit.request_id)
        return await self._ask(scope, visit)

    async def recognise(self, scope: ASGIScope, key: str) -> Identity:
        """Return whom a key that somebody typed opens to.

        Raises:
            ServiceError: nobody, or too many were tried.
        """
        client = scope["client"]
        visit = Visit(
            key=key,
            share="",
            run_id="",
            scope=None,
            ip=client[0] if client else "",
            request_id=request_id(scope),
        )
        return await self._ask(scope, visit)

    async def _ask(self, scope: ASGIScope, visit: Visit) -> Identity:
        backend: Backend = scope["litestar_app"].state.backend
        note = partial(note_standing, scope)
        return await admit(backend, visit, operator_key=self._operator_key, note=note)


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


def _read_visit(scope: ASGIScope, operation: Operation) -> Visit:
    share = ""
    if opens_by_link(operation):
        share = read_header(scope, _SHARE_NAME) or _find(scope, SHARE_PARAMETER)
    client = scope["client"]
    key = _read_bearer(read_header(scope, b"authorization") or "")
    session = ""
    # A session reads everywhere; what it changes, it changes through forms of ours.
    if not key and (operation.tag == PAGES or is_safe(scope)):
        session = read_session(scope)
    return Visit(
        key=key,
        share=share,
        session=session,
        run_id=scope["path_params"].get(RUN, ""),
        scope=operation.scope if isinstance(operation.scope, Scope) else None,
        ip=client[0] if client else "",
        request_id=request_id(scope),
    )


def _find(scope: ASGIScope, parameter: str) -> str:
    return next((value for name, value in _parameters(scope) if name == parameter), "")


def _parameters(scope: ASGIScope) -> Iterable[tuple[str, str]]:
    if not scope["query_string"]:
        return []
    return Connection(scope).query_params.multi_items()


def _read_bearer(sent: str) -> str:
    return sent[len(_SCHEME) :].strip() if sent.lower().startswith(_SCHEME) else ""


def _refuse_key_in_url(scope: ASGIScope) -> None:
    for name, value in _parameters(scope):
        shares = name == SHARE_PARAMETER and not value.startswith(KEY)
        if name.lower() in _KEY_PARAMETERS or (holds_token(value) and not shares):
            raise KeyInUrlError(
                "Send the key in the header `Authorization: Bearer <key>`, and replace it: "
                "an address is kept in logs and histories."
            )
