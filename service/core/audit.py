"""Writing the audit log, and reading it."""

from datetime import UTC, datetime
from typing import Final

import structlog

from reteval.contract.audit import AuditEvent, AuditLog, AuditPage, AuditRow
from service.core.backend import Backend, to_iso
from service.errors import StorageFullError, StoreUnavailableError
from service.store.audit import Entry

_MAX_CHARS: Final = 200

_log = structlog.get_logger("reteval.audit")


async def record(
    backend: Backend, event: AuditEvent, *, target: str = "", detail: str = ""
) -> None:
    """Add an event by the caller; a store that takes no writes leaves it to the process's log."""
    caller = backend.identity
    fields = {
        "team": caller.team,
        "key": caller.key,
        "target": target[:_MAX_CHARS],
        "ip": caller.ip,
        "request_id": caller.request_id,
        "via": caller.via,
        "detail": detail[:_MAX_CHARS],
    }
    try:
        await backend.store.audit.append(event.log.value, {"event": event.value, **fields})
    except (StoreUnavailableError, StorageFullError) as exc:
        _log.warning("audit.lost", what=event.value, why=exc.detail, **fields)


async def page_audit(backend: Backend, log: AuditLog, *, cursor: str, limit: int) -> AuditPage:
    """Return a page of a log, newest first.

    Raises:
        BadCursorError: the cursor belongs to another list.
    """
    cursors = await backend.cursors()
    scope = ("audit", log.value)
    entries, position = await backend.store.audit.page(
        log.value, before=cursors.read(scope, cursor), limit=limit
    )
    return AuditPage(items=tuple(map(_show, entries)), next_cursor=cursors.issue(scope, position))


def _show(entry: Entry) -> AuditRow:
    entry_id, fields = entry
    milliseconds = int(entry_id.partition("-")[0])
    return AuditRow(
        id=entry_id,
        at=to_iso(datetime.fromtimestamp(milliseconds / 1_000, UTC)),
        **{**fields, "event": AuditEvent(fields["event"])},  # type: ignore[arg-type]  # all text
    )
