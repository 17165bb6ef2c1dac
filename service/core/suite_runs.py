"""Runs over all sets of a suite: started together, shown together, cancelled together."""

import asyncio
from functools import partial
from typing import Final

import msgspec
from msgspec import UNSET, Struct, UnsetType, structs

from reteval.contract.results import Counts, MetricSummary
from reteval.contract.runs import Progress, RunRequest, RunStatus
from reteval.contract.suites import (
    Suite,
    SuiteRow,
    SuiteRun,
    SuiteRunHead,
    SuiteRunPage,
    SuiteRunRequest,
)
from service.core.admission import set_aside
from service.core.backend import Backend
from service.core.jobs import await_end, wake
from service.core.macro import add_counts, average_rows
from service.core.run_checks import check_run
from service.core.runs import DraftedRun, draft_run, find_headers, resolve_targets
from service.core.suites import find_sets, get_suite
from service.errors import AlreadyTerminalError, CorruptRecordError, NotFoundError
from service.queue import RUNS
from service.store.bare_report import iso_time
from service.store.keys import new_id
from service.store.records import Idempotency, RunRecord
from service.store.sealing import seal
from service.store.suites import JoinedRun, SuiteRunDraft, SuiteRunRecord

POLL_S: Final = 1.0
NOT_ENDED: Final = "not_ended"
DELETED: Final = "deleted"
UNREADABLE: Final = "unreadable"
NOT_SHOWN: Final = "not_shown"
"""Why a row has no numbers where only the state was asked for."""
_WITH_NUMBERS: Final = frozenset({RunStatus.COMPLETED, RunStatus.COMPLETED_WITH_ERRORS})


class _Report(Struct, frozen=True, kw_only=True):
    # The part of a stored report that a row needs.
    num_queries: int
    counts: Counts
    metrics: dict[str, MetricSummary] | None
    reason: str | UnsetType = UNSET


async def start_suite(
    backend: Backend,
    ref: str,
    request: SuiteRunRequest,
    *,
    idempotency: Idempotency | None = None,
) -> SuiteRun:
    """Start a run over each set of a suite, all or none.

    Raises:
        InvalidError, EndpointNotAllowedError, SecretsUnavailableError: the request is refused.
        NotFoundError: no such suite, or one of its test sets is gone.
        StorageFullError: the store has less memory left than the runs may need.
        QuotaExceededError: the team may not have so many more runs of this size.
        IdempotencyConflictError: another process took the key over.
    """
    suite = await get_suite(backend, ref)
    sets = await find_sets(backend, [member.test_set for member in suite.members])
    whole = RunRequest(test_set=sets[0].id, **structs.asdict(request))
    whole = await resolve_targets(backend, whole)
    resolved = check_run(whole, backend.policy)
    drafted = [
        await draft_run(backend, structs.replace(whole, test_set=each.id), resolved, each)
        for each in sets
    ]
    for draft in drafted:
        await set_aside(backend, draft.spec, draft.outlook)
    headers = find_headers(whole)
    record = await backend.store.suites.start(
        backend.tenant,
        _join(suite, request, drafted),
        [draft.spec for draft in drafted],
        secrets=seal(backend.secret_key, headers) if headers else None,
        queue=RUNS,
        idempotency=idempotency,
        quotas=backend.quotas,
    )
    runs = await _find_runs(backend, record)
    for run in runs:
        if run is not None and not run.status.terminal:
            await wake(backend, run.id, run)
    return _show(record, _show_states(record, runs), runs)


async def list_suite_runs(backend: Backend, ref: str, *, cursor: str, limit: int) -> SuiteRunPage:
    """Return a page of the runs of a suite, newest first.

    Raises:
        BadCursorError: the cursor belongs to another list.
        NotFoundError: no such suite.
    """
    cursors = await backend.cursors()
    suite = await get_suite(backend, ref)
    scope = ("suite-runs", backend.tenant, suite.id)
    found, position = await backend.store.suites.page_runs(
        backend.tenant, suite.id, before=cursors.read(scope, cursor), limit=limit
    )
    return SuiteRunPage(
        items=tuple(map(_show_head, found)), next_cursor=cursors.issue(scope, position)
    )


async def get_suite_run(backend: Backend, suite_run_id: str, *, wait_s: float = 0.0) -> SuiteRun:
    """Return a suite's run as soon as all of it has ended, or as it is after `wait_s` seconds.

    Raises:
        NotFoundError: there is none.
    """
    record = await backend.store.suites.get_run(backend.tenant, suite_run_id)
    if wait_s:
        await _await_all(backend, record, wait_s)
    runs = await _find_runs(backend, record)
    rows = [await _read_row(backend, row) for row in _show_states(record, runs)]
    found = _show(record, rows, runs)
    return structs.replace(found, macro=average_rows(rows)) if found.status.terminal else found


async def cancel_suite_run(backend: Backend, suite_run_id: str) -> SuiteRun:
    """Ask all runs of a suite's run to stop.

    Raises:
        AlreadyTerminalError: all have ended.
        NotFoundError: there is none.
    """
    record = await backend.store.suites.get_run(backend.tenant, suite_run_id)
    cancelled = 0
    for joined in record.runs:
        try:
            run = await backend.store.runs.request_cancel(backend.tenant, joined.run)
        except (AlreadyTerminalError, NotFoundError):
            continue
        await wake(backend, joined.run, run)
        cancelled += 1
    if not cancelled:
        raise AlreadyTerminalError(f"All runs of {suite_run_id!r} have ended.")
    runs = await _find_runs(backend, record)
    return _show(record, _show_states(record, runs), runs)


def tell_status(statuses: list[RunStatus | None]) -> RunStatus:
    """Return what a suite's run is, from the states of its runs; None: it was deleted."""
    known = {status for status in statuses if status is not None}
    if known == {RunStatus.QUEUED}:
        return RunStatus.QUEUED
    if not all(status.terminal for status in known):
        return RunStatus.RUNNING
    if RunStatus.CANCELLED in known:
        return RunStatus.CANCELLED
    if not known & _WITH_NUMBERS:
        return RunStatus.FAILED
    whole = {*statuses} == {RunStatus.COMPLETED}
    return RunStatus.COMPLETED if whole else RunStatus.COMPLETED_WITH_ERRORS


def _join(suite: Suite, request: SuiteRunRequest, drafted: list[DraftedRun]) -> SuiteRunDraft:
    pairs = zip(suite.members, drafted, strict=True)
    return SuiteRunDraft(
        id=new_id("srn"),
        suite=suite.id,
        name=suite.name,
        label=request.label,
        meta=request.meta,
        runs=tuple(
            JoinedRun(run=draft.spec.id, test_set=draft.spec.test_set, weight=member.weight)
            for member, draft in pairs
        ),
    )


async def _find_runs(backend: Backend, record: SuiteRunRecord) -> list[RunRecord | None]:
    found: list[RunRecord | None] = []
    for joined in record.runs:
        try:
            found.append(await backend.store.runs.get(backend.tenant, joined.run))
        except NotFoundError:
            found.append(None)
    return found


async def _await_all(backend: Backend, record: SuiteRunRecord, wait_s: float) -> None:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + wait_s
    for joined in record.runs:
        read = partial(backend.store.runs.get, backend.tenant, joined.run)
        try:
            await await_end(read, wait_s=max(0.0, deadline - loop.time()))
        except NotFoundError:
            continue


def _show(record: SuiteRunRecord, rows: list[SuiteRow], runs: list[RunRecord | None]) -> SuiteRun:
    """Join rows; of runs without numbers in their rows, nothing is added up."""
    status = tell_status([row.status for row in rows])
    known = [run for run in runs if run is not None]
    own = f"/v1/suite-runs/{record.id}"
    return SuiteRun(
        id=record.id,
        suite=record.suite,
        name=record.name,
        status=status,
        label=record.label,
        meta=record.meta,
        created_at=iso_time(record.created_ms),
        progress=Progress(
            done=sum(run.done for run in known),
            total=sum(run.total or run.spec.planned.clean for run in known),
            failed=sum(run.failed for run in known),
        ),
        num_queries=sum(row.num_queries or 0 for row in rows),
        counts=add_counts([row.counts for row in rows if row.counts is not None]),
        rows=tuple(rows),
        links={"self": own, "cancel": f"{own}/cancel", "suite": f"/v1/suites/{record.suite}"},
        poll_after_s=None if status.terminal else POLL_S,
    )


def _show_states(record: SuiteRunRecord, runs: list[RunRecord | None]) -> list[SuiteRow]:
    """Return the rows without their numbers, which not everybody may read who may start runs."""
    return [_show_state(*pair) for pair in zip(record.runs, runs, strict=True)]


def _show_state(joined: JoinedRun, run: RunRecord | None) -> SuiteRow:
    reason = DELETED
    if run is not None:
        reason = NOT_SHOWN if run.status.terminal else NOT_ENDED
    return SuiteRow(
        run=joined.run,
        test_set=joined.test_set,
        weight=joined.weight,
        status=run.status if run else None,
        reason=reason,
    )


async def _read_row(backend: Backend, row: SuiteRow) -> SuiteRow:
    """Add the numbers of a run that has ended."""
    if row.status is None or not row.status.terminal:
        return row
    try:
        body = await backend.store.runs.results(backend.tenant, row.run)
    except NotFoundError:  # deleted since
        return structs.replace(row, status=None, reason=DELETED)
    except CorruptRecordError:
        return structs.replace(row, reason=UNREADABLE)
    report = msgspec.json.decode(body, type=_Report)
    return structs.replace(
        row,
        num_queries=report.num_queries,
        counts=report.counts,
        metrics=report.metrics,
        reason=report.reason,
    )


def _show_head(record: SuiteRunRecord) -> SuiteRunHead:
    return SuiteRunHead(
        id=record.id,
        suite=record.suite,
        label=record.label,
        meta=record.meta,
        created_at=iso_time(record.created_ms),
        runs=tuple(joined.run for joined in record.runs),
    )
