"""Alerts: make, show, change, delete; see what they found."""

import contextlib
from collections.abc import Iterator
from typing import Final

from msgspec import structs

from reteval.contract.alerts import (
    Alert,
    AlertPage,
    AlertRequest,
    EvaluationPage,
)
from reteval.contract.gates import Gate, GateRequest, NewestRun
from reteval.contract.limits import MAX_NAME_BYTES
from reteval.contract.problems import ProblemItem
from service.core.backend import Backend
from service.core.gates.checks import check_gate
from service.core.idempotency import Idempotency
from service.core.pointing import pointing_at
from service.core.preconditions import match_version
from service.core.texts import check_text
from service.errors import InvalidError, NotFoundError
from service.store.alerts import AlertRecord
from service.store.bare_report import iso_time
from service.store.keys import new_id
from service.store.versioned import NEW

_TO_COME: Final = "run_to_come"
BEFORE: Final = "run_before"
"""In the place of runs that are not there yet, or that no rule asks for."""


async def create_alert(
    backend: Backend, request: AlertRequest, *, idempotency: Idempotency | None = None
) -> Alert:
    """Keep a new alert, which looks at what ends from now on.

    Raises:
        IdempotencyConflictError: another process took the key over.
        InvalidError: it breaks a rule.
        NotFoundError: it names a webhook, a schedule or a run that does not exist.
    """
    return await _put(backend, new_id("al"), request, version=NEW, idempotency=idempotency)


async def replace_alert(
    backend: Backend, alert_id: str, request: AlertRequest, if_match: str
) -> Alert:
    """Put another alert in the place of the one that the caller has read; it knows nothing yet.

    Raises:
        ChangedError: it is not the one that `if_match` names.
        InvalidError, NotFoundError: as `create_alert`.
    """
    record = await backend.store.alerts.get(backend.tenant, alert_id)
    version = match_version(record.id, record.version, if_match)
    return await _put(backend, alert_id, request, version=version)


async def list_alerts(backend: Backend, *, cursor: str, limit: int) -> AlertPage:
    """Return a page of alerts, newest first.

    Raises:
        BadCursorError: the cursor belongs to another list.
    """
    cursors = await backend.cursors()
    scope = ("alerts", backend.tenant)
    found, position = await backend.store.alerts.page(
        backend.tenant, before=cursors.read(scope, cursor), limit=limit
    )
    return AlertPage(items=tuple(map(_show, found)), next_cursor=cursors.issue(scope, position))


async def get_alert(backend: Backend, alert_id: str) -> Alert:
    """Return an alert with its state.

    Raises:
        NotFoundError: there is none.
    """
    return _show(await backend.store.alerts.get(backend.tenant, alert_id))


async def delete_alert(backend: Backend, alert_id: str) -> None:
    """Delete an alert with what it found.

    Raises:
        NotFoundError: there is none.
    """
    await backend.store.alerts.delete(backend.tenant, alert_id)


async def list_evaluations(
    backend: Backend, alert_id: str, *, cursor: str, limit: int
) -> EvaluationPage:
    """Return a page of what an alert found, newest first.

    Raises:
        BadCursorError: the cursor belongs to another list.
        NotFoundError: there is no such alert.
    """
    cursors = await backend.cursors()
    scope = ("evaluations", backend.tenant, alert_id)
    found, position = await backend.store.alerts.evaluations(
        backend.tenant, alert_id, before=cursors.read(scope, cursor), limit=limit
    )
    return EvaluationPage(items=tuple(found), next_cursor=cursors.issue(scope, position))


def hold(gate: Gate, run: str, before: str | None = None) -> GateRequest:
    """Return the question whether a run passes a gate; with `before`, against that run."""
    fields = structs.asdict(gate)
    return GateRequest(**(fields if before is None else fields | {"baseline": before}), run=run)


async def _put(
    backend: Backend,
    alert_id: str,
    request: AlertRequest,
    *,
    version: int,
    idempotency: Idempotency | None = None,
) -> Alert:
    items = check_text(request.name, pointer="/name", max_bytes=MAX_NAME_BYTES)
    if request.previous and request.gate.baseline is not None:
        items.append(
            ProblemItem(
                pointer="/previous",
                message="the gate has a baseline of its own",
                fix="Leave one of them out.",
            )
        )
    if items:
        raise InvalidError("The alert breaks a rule.", errors=items)
    with pointing_at("/gate"):
        check_gate(hold(request.gate, _TO_COME, BEFORE if request.previous else None))
    if request.enabled:  # what names something that is gone can still be switched off
        await _check_named(backend, request)
    record = await backend.store.alerts.put(
        backend.tenant, alert_id, request, version=version, idempotency=idempotency
    )
    return _show(record)


async def _check_named(backend: Backend, request: AlertRequest) -> None:
    """See that what an alert names is there.

    Raises:
        NotFoundError: a webhook, the schedule or the baseline is not.
    """
    store, tenant, baseline = backend.store, backend.tenant, request.gate.baseline
    if baseline is not None and not isinstance(baseline, NewestRun):
        with _found_at("/gate/baseline", "Take an id from GET /v1/runs."):
            await store.runs.get(tenant, baseline)
    if request.runs.schedule:
        with _found_at("/runs/schedule", "Take an id from GET /v1/schedules."):
            await store.schedules.get(tenant, request.runs.schedule)
    for place, webhook in enumerate(request.webhooks):
        with _found_at(f"/webhooks/{place}", "Take an id from GET /v1/webhooks."):
            await store.webhooks.get(tenant, webhook)


@contextlib.contextmanager
def _found_at(pointer: str, fix: str) -> Iterator[None]:
    try:
        yield
    except NotFoundError as exc:
        item = ProblemItem(pointer=pointer, message="there is no such object", fix=fix)
        raise NotFoundError(exc.detail, errors=[item]) from exc


def _show(record: AlertRecord) -> Alert:
    own = f"/v1/alerts/{record.id}"
    return Alert(
        **structs.asdict(record.request),
        id=record.id,
        state=record.state,
        failing=record.failing,
        passing=record.passing,
        told_at=None if record.told_ms is None else iso_time(record.told_ms),
        version=record.version,
        created_at=iso_time(record.created_ms),
        updated_at=iso_time(record.updated_ms),
        links={"self": own, "evaluations": f"{own}/evaluations"},
    )
