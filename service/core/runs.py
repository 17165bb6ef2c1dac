"""Runs: accept, show, wait for, cancel, delete. The record in the store is the truth."""

import asyncio
import hashlib
from datetime import UTC, datetime
from typing import Final

import structlog
from msgspec import Struct, structs

from reteval.contract.problems import ProblemItem
from reteval.contract.runs import Progress, Run, RunPage, RunRequest, RunStatus, TestSetRef
from reteval.contract.testsets import TestSet
from service.core.backend import Backend, to_iso
from service.core.estimates import estimate
from service.core.run_checks import check_run
from service.errors import NotFoundError, StorageFullError, StoreUnavailableError
from service.store.keys import new_id
from service.store.records import Idempotency, RunRecord, RunSpec
from service.store.sealing import seal

POLL_S: Final = (0.5, 5.0)
"""Least and most seconds a client is told to wait before it asks again."""
_FIRST_PAUSE_S: Final = 0.1
_LONGEST_PAUSE_S: Final = 1.0

_log = structlog.get_logger("reteval.runs")


class RunFilter(Struct, frozen=True, kw_only=True):
    """Which runs to list; empty means any. `test_set` is an id or a name."""

    test_set: str = ""
    label: str = ""
    status: RunStatus | None = None


async def create_run(
    backend: Backend, request: RunRequest, *, body: bytes, idempotency_key: str | None
) -> tuple[Run, bool]:
    """Accept a run and wake a worker; the flag is False for a repeat of an earlier request.

    Raises:
        InvalidError, EndpointNotAllowedError, SecretsUnavailableError: the request is refused.
        NotFoundError: no such test set.
        IdempotencyMismatchError: the key belongs to another body.
    """
    resolved = check_run(request, backend.policy)
    test_set = await _find_test_set(backend, request.test_set)
    headers = request.endpoint.headers
    spec = RunSpec(
        id=new_id("run"),
        request=_without_secrets(request),
        test_set=TestSetRef(
            id=test_set.id, name=test_set.name, version=test_set.version, hash=test_set.hash
        ),
        depth=resolved.depth,
        metrics=tuple(str(metric) for metric in resolved.metrics),
        planned=estimate(request, test_set.stats),
        egress=backend.egress,
        code_version=backend.code_version,
        unscorable=test_set.stats.unscorable,
    )
    record, created = await backend.store.runs.create(
        backend.tenant,
        spec,
        secrets=seal(backend.secret_key, headers) if headers else None,
        idempotency=_idempotency(idempotency_key, body),
    )
    if created:
        await _wake(backend, record)
    return show(record, backend.now()), created


async def get_run(backend: Backend, run_id: str, *, wait_s: float = 0.0) -> Run:
    """Return a run as soon as it has ended, or as it is after `wait_s` seconds.

    Raises:
        NotFoundError: no such run.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + wait_s
    pause = _FIRST_PAUSE_S
    record = await backend.store.runs.get(backend.tenant, run_id)
    while not record.status.terminal and (left := deadline - loop.time()) > 0:
        await asyncio.sleep(min(pause, left))
        pause = min(pause * 1.5, _LONGEST_PAUSE_S)
        record = await backend.store.runs.get(backend.tenant, run_id)
    return show(record, backend.now())


async def list_runs(backend: Backend, wanted: RunFilter, *, cursor: str, limit: int) -> RunPage:
    """Return a page of runs, newest first.

    Raises:
        BadCursorError: the cursor belongs to another list.
        NotFoundError: the test set of the filter does not exist.
    """
    cursors = await backend.cursors()
    scope = ("runs", backend.tenant, wanted.test_set, wanted.label, wanted.status or "")
    before = cursors.read(scope, cursor)
    test_set = (
        await backend.store.test_sets.get(backend.tenant, wanted.test_set)
        if wanted.test_set
        else None
    )
    records, position = await backend.store.runs.page(
        backend.tenant,
        before=before,
        limit=limit,
        test_set=test_set.id if test_set else None,
        label=wanted.label or None,
        status=wanted.status,
    )
    now = backend.now()
    return RunPage(
        items=tuple(show(record, now) for record in records),
        next_cursor=cursors.issue(scope, position),
    )


async def cancel_run(backend: Backend, run_id: str) -> Run:
    """Ask a run to stop.

    Raises:
        AlreadyTerminalError: it has ended.
        NotFoundError: no such run.
    """
    record = await backend.store.runs.request_cancel(backend.tenant, run_id)
    return show(record, backend.now())


async def delete_run(backend: Backend, run_id: str) -> None:
    """Delete a run that has ended.

    Raises:
        RunActiveError: it has not ended.
        NotFoundError: no such run.
    """
    await backend.store.runs.delete(backend.tenant, run_id)


def show(record: RunRecord, now: datetime) -> Run:
    """Turn a stored record into what clients see at `now`."""
    spec = record.spec
    eta_s = _eta(record, now)
    return Run(
        id=spec.id,
        status=record.status,
        test_set=spec.test_set,
        label=spec.request.label,
        meta=spec.request.meta,
        created_at=_moment(record.created_ms),
        started_at=None if record.started_ms is None else _moment(record.started_ms),
        finished_at=None if record.finished_ms is None else _moment(record.finished_ms),
        progress=Progress(
            done=record.done,
            total=record.total or spec.planned.clean,
            failed=record.failed,
            eta_s=eta_s,
        ),
        planned=spec.planned,
        endpoint=spec.request.endpoint,
        links=_links(record),
        cancel_requested=record.cancel_requested,
        attempts=record.attempts,
        error=record.error,
        poll_after_s=_poll_after(record, eta_s),
    )


async def _find_test_set(backend: Backend, ref: str) -> TestSet:
    try:
        return await backend.store.test_sets.get(backend.tenant, ref)
    except NotFoundError as exc:
        item = ProblemItem(
            pointer="/test_set",
            message=f"there is no test set {ref!r}",
            fix="Upload it first, or take an id or a name from GET /v1/test-sets.",
        )
        raise NotFoundError(exc.detail, errors=[item]) from exc


def _without_secrets(request: RunRequest) -> RunRequest:
    blank = dict.fromkeys(request.endpoint.headers, "")
    return structs.replace(request, endpoint=structs.replace(request.endpoint, headers=blank))


def _idempotency(key: str | None, body: bytes) -> Idempotency | None:
    if key is None:
        return None
    return Idempotency(key, hashlib.sha256(b"POST /v1/runs\x00" + body).hexdigest())


async def _wake(backend: Backend, record: RunRecord) -> None:
    """Tell a worker. A lost wake-up only costs time: the reaper repeats it."""
    try:
        await backend.queue.enqueue(record.tenant, record.id, record.epoch)
    except (StoreUnavailableError, StorageFullError):
        _log.warning("run.wake_failed", run=record.id)


def _moment(milliseconds: int) -> str:
    return to_iso(datetime.fromtimestamp(milliseconds / 1_000, UTC))


def _eta(record: RunRecord, now: datetime) -> float | None:
    if record.status is not RunStatus.RUNNING or not record.done or record.started_ms is None:
        return None
    elapsed = max(0.0, now.timestamp() - record.started_ms / 1_000)
    left = max(0, record.total - record.done)
    return round(elapsed / record.done * left, 1)


def _poll_after(record: RunRecord, eta_s: float | None) -> float | None:
    if record.status.terminal:
        return None
    least, most = POLL_S
    return least if eta_s is None else min(most, max(least, eta_s / 4))


def _links(record: RunRecord) -> dict[str, str]:
    own = f"/v1/runs/{record.id}"
    return {
        "self": own,
        "test_set": f"/v1/test-sets/{record.spec.test_set.id}",
        "cancel": f"{own}/cancel",
        "results": f"{own}/results",
        "queries": f"{own}/queries",
        "outcomes": f"{own}/outcomes",
        "variants": f"{own}/variants",
        "export": f"{own}/export",
    }
