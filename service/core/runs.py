"""Runs: accept, show, wait for, cancel, delete. The record in the store is the truth."""

from datetime import UTC, datetime
from typing import Final

from msgspec import Struct, structs

from reteval.contract.endpoints import Endpoint
from reteval.contract.problems import ProblemItem
from reteval.contract.runs import Progress, Run, RunPage, RunRequest, RunStatus, TestSetRef
from reteval.contract.splits import HoldoutLooks, SplitShare
from reteval.contract.testsets import TestSet
from service.core.admission import set_aside
from service.core.backend import Backend, to_iso
from service.core.endpoints import resolve_endpoint, strip_secrets
from service.core.estimates import Outlook, estimate
from service.core.jobs import await_end, wake
from service.core.model_checks import find_model_headers, resolve_model, strip_model_secrets
from service.core.run_checks import Resolved, check_run
from service.core.splits import find_portion
from service.core.trends import hide_secrets
from service.errors import NotFoundError
from service.queue import RUNS
from service.store.keys import new_id
from service.store.records import Idempotency, RunRecord, RunSpec
from service.store.sealing import join_headers, seal

POLL_S: Final = (0.5, 5.0)
"""Least and most seconds a client is told to wait before it asks again."""


class RunFilter(Struct, frozen=True, kw_only=True):
    """Which runs to list; empty means any. `test_set` is an id or a name."""

    test_set: str = ""
    label: str = ""
    status: RunStatus | None = None
    schedule: str = ""


class DraftedRun(Struct, frozen=True):
    """A run that can be stored, and what it will cost."""

    spec: RunSpec
    outlook: Outlook


async def create_run(
    backend: Backend, request: RunRequest, *, idempotency: Idempotency | None = None
) -> Run:
    """Accept a run and wake a worker.

    Raises:
        InvalidError, EndpointNotAllowedError, SecretsUnavailableError: the request is refused.
        NotFoundError: no such test set.
        StorageFullError: the store has less memory left than the run may need.
        QuotaExceededError: the team may not have another one of this size.
        IdempotencyConflictError: another process took the key over.
    """
    drafted, headers = await prepare_run(backend, request)
    return await accept(
        backend, drafted.spec, drafted.outlook, headers=headers, idempotency=idempotency
    )


async def prepare_run(backend: Backend, request: RunRequest) -> tuple[DraftedRun, dict[str, str]]:
    """Check a request and spell out its run, with the header values that are kept apart.

    Raises:
        InvalidError, EndpointNotAllowedError, SecretsUnavailableError: the request is refused.
        NotFoundError: no such test set.
    """
    request = await resolve_targets(backend, request)
    resolved = check_run(request, backend.policy)
    test_set = await find_test_set(backend, request.test_set)
    return await draft_run(backend, request, resolved, test_set), find_headers(request)


async def resolve_targets(backend: Backend, request: RunRequest) -> RunRequest:
    """Return a request with saved endpoints and models in the place of their names.

    Raises:
        InvalidError, SecretsUnavailableError: there is no such one, or it cannot be read.
    """
    endpoint = await resolve_endpoint(backend, request.endpoint)
    return await resolve_model(backend, structs.replace(request, endpoint=endpoint))


def find_headers(request: RunRequest) -> dict[str, str]:
    """Return the header values of a request, which are kept apart from it."""
    return join_headers(request.endpoint.headers, find_model_headers(request))


async def draft_run(
    backend: Backend, request: RunRequest, resolved: Resolved, test_set: TestSet
) -> DraftedRun:
    """Spell out a run that was checked, and what it will cost.

    Raises:
        InvalidError: the test set has no such split.
    """
    portion = await find_portion(backend, test_set, request.split)
    stats = portion.stats if portion else test_set.stats
    outlook = estimate(request, stats, depth=resolved.depth, metrics=resolved.metrics)
    spec = RunSpec(
        id=new_id("run"),
        request=structs.replace(
            strip_model_secrets(request), endpoint=strip_secrets(request.endpoint)
        ),
        test_set=TestSetRef(
            id=test_set.id, name=test_set.name, version=test_set.version, hash=test_set.hash
        ),
        depth=resolved.depth,
        metrics=tuple(str(metric) for metric in resolved.metrics),
        planned=outlook.planned,
        egress=backend.egress,
        code_version=backend.code_version,
        unscorable=stats.unscorable,
        portion=portion,
    )
    return DraftedRun(spec, outlook)


async def accept(
    backend: Backend,
    spec: RunSpec,
    outlook: Outlook,
    *,
    headers: dict[str, str],
    idempotency: Idempotency | None,
    queue: str = RUNS,
) -> Run:
    """Store a run that was checked, with its header values, and wake a worker.

    Raises:
        SecretsUnavailableError: there is no key to seal the header values with.
        StorageFullError: the store has less memory left than the run may need.
        QuotaExceededError: the team may not have another one of this size.
        IdempotencyConflictError: another process took the key over.
    """
    await set_aside(backend, spec, outlook)
    record, _ = await backend.store.runs.create(
        backend.tenant,
        spec,
        secrets=seal(backend.secret_key, headers) if headers else None,
        idempotency=idempotency,
        queue=queue,
        quotas=backend.quotas,
    )
    await wake(backend, record.id, record)
    return show(record, backend.now())


async def get_run(backend: Backend, run_id: str, *, wait_s: float = 0.0) -> Run:
    """Return a run as soon as it has ended, or as it is after `wait_s` seconds.

    Raises:
        NotFoundError: no such run.
    """
    record = await await_end(lambda: backend.store.runs.get(backend.tenant, run_id), wait_s=wait_s)
    return show_to(backend, record)


async def list_runs(backend: Backend, wanted: RunFilter, *, cursor: str, limit: int) -> RunPage:
    """Return a page of runs, newest first.

    Raises:
        BadCursorError: the cursor belongs to another list.
        NotFoundError: the test set of the filter does not exist.
    """
    cursors = await backend.cursors()
    scope = ("runs", backend.tenant, *map(str, structs.astuple(wanted)))
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
        schedule=wanted.schedule or None,
    )
    now = backend.now()
    looked = [record.holdout for record in records if record.look]
    totals = await backend.store.looks.totals(backend.tenant, looked)
    return RunPage(
        items=tuple(show(record, now, looks=totals.get(record.holdout)) for record in records),
        next_cursor=cursors.issue(scope, position),
    )


async def cancel_run(backend: Backend, run_id: str) -> Run:
    """Ask a run to stop.

    Raises:
        AlreadyTerminalError: it has ended.
        NotFoundError: no such run.
    """
    record = await backend.store.runs.request_cancel(backend.tenant, run_id)
    await wake(backend, run_id, record)
    return show(record, backend.now())


async def pin_run(backend: Backend, run_id: str, *, pinned: bool) -> Run:
    """Keep a run from expiring, or let it expire again.

    Raises:
        NotFoundError: no such run.
    """
    record = await backend.store.runs.pin(backend.tenant, run_id, pinned=pinned)
    return show(record, backend.now())


async def delete_run(backend: Backend, run_id: str) -> None:
    """Delete a run that has ended.

    Raises:
        RunActiveError: it has not ended.
        NotFoundError: no such run.
    """
    await backend.store.runs.delete(backend.tenant, run_id)


def show_to(backend: Backend, record: RunRecord) -> Run:
    """Do as `show`; to a reader of another team the endpoint is its address without keys."""
    run = show(record, backend.now())
    if not backend.identity.via:
        return run
    return structs.replace(run, endpoint=Endpoint(url=hide_secrets(run.endpoint.url)))


def show(record: RunRecord, now: datetime, *, looks: int | None = None) -> Run:
    """Turn a stored record into what clients see at `now`.

    `looks` is how many there were at the run's hold-out; None: as many as when it ended.
    """
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
        schedule=spec.schedule or None,
        parent=spec.rescore.parent if spec.rescore else spec.retry or None,
        waits_until=_waits_until(record, now),
        bytes=record.bytes,
        pinned=record.pinned,
        split=show_split(spec),
        holdout_looks=HoldoutLooks(look=record.look, total=looks or record.look)
        if record.look
        else None,
    )


def show_split(spec: RunSpec) -> SplitShare | None:
    """Return the split that a run is over."""
    if spec.portion is None:
        return None
    return SplitShare(name=spec.request.split, outside=spec.portion.outside)


async def find_test_set(backend: Backend, ref: str, pointer: str = "/test_set") -> TestSet:
    """Return the test set a body names at a place.

    Raises:
        NotFoundError: there is none; the place in the body is named.
    """
    try:
        return await backend.store.test_sets.get(backend.tenant, ref)
    except NotFoundError as exc:
        item = ProblemItem(
            pointer=pointer,
            message=f"there is no test set {ref!r}",
            fix="Upload it first, or take an id or a name from GET /v1/test-sets.",
        )
        raise NotFoundError(exc.detail, errors=[item]) from exc


def _moment(milliseconds: int) -> str:
    return to_iso(datetime.fromtimestamp(milliseconds / 1_000, UTC))


def _waits_until(record: RunRecord, now: datetime) -> str | None:
    waiting = record.not_before_ms / 1_000 > now.timestamp()
    return _moment(record.not_before_ms) if waiting and not record.status.terminal else None


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
