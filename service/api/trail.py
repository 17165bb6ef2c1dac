"""Puts what a route did into the audit log, once it succeeded and before it is answered."""

from typing import Final

from litestar.enums import ScopeType
from litestar.types import HTTPScope, Scope

from service.api.access import IDENTITY
from service.api.envelope import Headers
from service.api.operations import find_operation
from service.core.audit import record
from service.core.backend import Backend

_SUCCESS: Final = (201, 202, 204)
_CHANGED: Final = 200


async def note_event(status: int, headers: Headers, scope: Scope) -> None:
    """Record the event of a route that made, changed or deleted something."""
    operation = find_operation(scope)
    if operation is None or operation.event is None or scope["type"] != ScopeType.HTTP:
        return
    if not _succeeded(status, scope):
        return
    sent = dict(headers)
    if b"idempotent-replayed" in sent:
        return
    backend: Backend = scope["litestar_app"].state.backend
    made = sent.get(b"location", b"").decode("latin-1")
    await record(backend.of(scope["state"][IDENTITY]), operation.event, target=_target(made, scope))


def _target(location: str, scope: HTTPScope) -> str:
    """Return the ids in the address, then that of what was made."""
    made = location.rpartition("/")[2]
    named = [str(value) for value in scope["path_params"].values()]
    return "/".join(dict.fromkeys([*named, *([made] if made else [])]))


def _succeeded(status: int, scope: HTTPScope) -> bool:
    # 200 of a POST says that it was there already; of a PUT, that it was changed.
    return status in _SUCCESS or (status == _CHANGED and scope["method"] == "PUT")
