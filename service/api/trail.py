"""Puts what a route did, or would not call, into the audit log before it is answered."""

from typing import Final
from urllib.parse import urlsplit

from litestar.enums import ScopeType
from litestar.types import Scope

from reteval.contract.audit import AuditEvent
from service.api.access import IDENTITY
from service.api.envelope import Headers
from service.api.operations import Operation, find_operation
from service.api.problems import DENIED
from service.core.audit import record
from service.core.backend import Backend
from service.errors import EndpointNotAllowedError

_SUCCESS: Final = (201, 202, 204, 303)
_CHANGED: Final = 200
_LED_ON: Final = 303


async def note_event(status: int, headers: Headers, scope: Scope) -> None:
    """Record that a route made, changed or deleted something, or refused an address."""
    operation = find_operation(scope)
    if operation is None or scope["type"] != ScopeType.HTTP:
        return
    denied: EndpointNotAllowedError | None = scope["state"].get(DENIED)
    if denied is None and operation.event is None:
        return
    backend: Backend = scope["litestar_app"].state.backend
    if denied is not None and denied.origin:
        await record(
            backend.of(scope["state"][IDENTITY]),
            AuditEvent.EGRESS_DENIED,
            target=denied.origin,
            detail=f"{operation.id}: {denied.errors[0].message}",
        )
    if operation.event is None or not _succeeded(status, operation):
        return
    sent = dict(headers)
    if b"idempotent-replayed" in sent:
        return
    made = urlsplit(sent.get(b"location", b"").decode("latin-1")).path.rpartition("/")[2]
    named = [str(value) for value in scope["path_params"].values()]
    if status == _LED_ON and named:
        made = ""  # a form leads to a page about what its address names
    target = "/".join(dict.fromkeys([*named, *([made] if made else [])]))
    await record(backend.of(scope["state"][IDENTITY]), operation.event, target=target)


def _succeeded(status: int, operation: Operation) -> bool:
    # 200 beside another success says that it was there already; alone, that it was changed.
    return status in _SUCCESS or (status == _CHANGED and not {*_SUCCESS} & {*operation.answers})
