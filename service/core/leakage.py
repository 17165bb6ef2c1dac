"""Leakage checks: see what is to be checked, have a worker look, show what it found."""

from itertools import accumulate
from typing import Final

from reteval.contract.api_keys import Scope
from reteval.contract.leakage import (
    MAX_TEXTS,
    LeakageCheck,
    LeakageReport,
    LeakageRequest,
    LeakedPairPage,
)
from reteval.contract.leaks import LeakKind
from reteval.contract.problems import ProblemItem
from reteval.contract.testsets import TestSet
from service.core.access import check_scope
from service.core.backend import Backend
from service.core.jobs import await_end, wake
from service.core.runs import find_test_set
from service.errors import InvalidError, NotFoundError, NotTerminalError
from service.queue import INTERACTIVE
from service.store.bare_report import iso_time
from service.store.chunks import pack
from service.store.keys import LEAKAGE_PREFIX, new_id
from service.store.records import GivenTexts, Idempotency, LeakageRecord, LeakageSpec

POLL_S: Final = 0.5


async def open_check(
    backend: Backend,
    request: LeakageRequest,
    *,
    wait_s: float,
    idempotency: Idempotency | None = None,
) -> LeakageCheck:
    """Accept a check, and answer it as soon as it has ended or after `wait_s` seconds.

    Raises:
        InvalidError: the request is refused.
        NotFoundError: no such test set or run.
        ForbiddenError: the key may not read the run's results.
        IdempotencyConflictError: another process took the key over.
    """
    test_set = await find_test_set(backend, request.test_set)
    other = await _find_other(backend, request)
    _check(request, test_set, other)
    if request.run is not None:
        await _check_run(backend, request.run, test_set)
    given = GivenTexts(
        against=None if request.against is None or other else request.against.texts,
        corpus={str(document.id): document.text for document in request.corpus},
    )
    spec = LeakageSpec(
        id=new_id(LEAKAGE_PREFIX.removesuffix("_")),
        test_set=test_set.id,
        against=other.id if other else None,
        run=request.run,
        code_version=backend.code_version,
    )
    record = await backend.store.leakage.create(
        backend.tenant,
        spec,
        # Texts are no secrets, but like these they are for the worker alone, and go at the end.
        secrets=pack(given),
        queue=INTERACTIVE,
        idempotency=idempotency,
    )
    await wake(backend, record.id, record)
    return await get_check(backend, record.id, wait_s=wait_s)


async def get_check(backend: Backend, check_id: str, *, wait_s: float) -> LeakageCheck:
    """Return a check as soon as it has ended, or as it is after `wait_s` seconds.

    Raises:
        NotFoundError: no such check.
        ForbiddenError: the key may not read the results of the run that it shows.
    """
    record = await await_end(
        lambda: backend.store.leakage.get(backend.tenant, check_id), wait_s=wait_s
    )
    _guard(backend, record)
    links = {"self": f"/v1/leakage-checks/{record.id}"}
    links["pairs"] = f"{links['self']}/pairs"
    links["test_set"] = f"/v1/test-sets/{record.spec.test_set}"
    if record.spec.run:
        links["run"] = f"/v1/runs/{record.spec.run}"
    return LeakageCheck(
        id=record.id,
        status=record.status,
        created_at=iso_time(record.created_ms),
        links=links,
        error=record.error,
        poll_after_s=None if record.status.terminal else POLL_S,
        report=await backend.store.leakage.report(backend.tenant, record),
    )


async def page_pairs(
    backend: Backend, check_id: str, *, kind: LeakKind | None, cursor: str, limit: int
) -> LeakedPairPage:
    """Return a page of the pairs that a check lists, of one kind or of all.

    Raises:
        NotFoundError: no such check.
        NotTerminalError: it has not ended well.
        ForbiddenError: as `get_check`.
        BadCursorError: the cursor belongs to another list.
    """
    record = await backend.store.leakage.get(backend.tenant, check_id)
    _guard(backend, record)
    report = await backend.store.leakage.report(backend.tenant, record)
    if report is None:
        raise NotTerminalError(f"The check {check_id!r} has no pairs: it is {record.status.value}.")
    cursors, scope = await backend.cursors(), ("pairs", backend.tenant, check_id, kind or "")
    places = find_places(report, kind)
    start = places.start + int(cursors.read(scope, cursor) or 0)
    stop = min(start + limit, places.stop)
    rows = await backend.store.leakage.pairs(backend.tenant, check_id, start=start, stop=stop)
    position = str(stop - places.start) if stop < places.stop else None
    return LeakedPairPage(items=tuple(rows), next_cursor=cursors.issue(scope, position))


def find_places(report: LeakageReport, kind: LeakKind | None) -> range:
    """Return where in the list the pairs of a kind are; they stand kind by kind."""
    ends = list(accumulate(report.listed.get(one, 0) for one in LeakKind))
    if kind is None:
        return range(ends[-1])
    at = list(LeakKind).index(kind)
    return range(ends[at] - report.listed.get(kind, 0), ends[at])


async def _find_other(backend: Backend, request: LeakageRequest) -> TestSet | None:
    if request.against is None or request.against.test_set is None:
        return None
    return await find_test_set(backend, request.against.test_set, "/against/test_set")


async def _check_run(backend: Backend, run_id: str, test_set: TestSet) -> None:
    check_scope(backend.identity, Scope.RESULTS_READ)
    try:
        run = await backend.store.runs.get(backend.tenant, run_id)
    except NotFoundError as exc:
        item = _refuse("/run", f"there is no run {run_id!r}", "Take an id from GET /v1/runs.")
        raise NotFoundError(exc.detail, errors=[item]) from exc
    if run.spec.test_set.id != test_set.id:
        raise _invalid(
            _refuse("/run", "the run is over another test set", f"Check {run.spec.test_set.id!r}.")
        )
    if not run.status.terminal:
        raise _invalid(_refuse("/run", "the run has not ended", "Wait for its end."))


def _guard(backend: Backend, record: LeakageRecord) -> None:
    """See that who reads a check may read the run whose numbers it shows."""
    if record.spec.run is not None:
        check_scope(backend.identity, Scope.RESULTS_READ)


def _check(request: LeakageRequest, test_set: TestSet, other: TestSet | None) -> None:
    items: list[ProblemItem] = []
    for pointer, known in (("/test_set", test_set), ("/against/test_set", other)):
        if known is not None and known.stats.queries > MAX_TEXTS:
            message = f"{known.id!r} has {known.stats.queries:,} queries, more than {MAX_TEXTS:,}"
            items.append(_refuse(pointer, message, "Check a part of it, uploaded as a set."))
    against = request.against
    if against is not None and bool(against.texts) == (against.test_set is not None):
        fix = "Send `texts`, or name a `test_set`."
        items.append(_refuse("/against", "give either texts or a test set", fix))
    if other is not None and other.id == test_set.id:
        fix = "Leave it out: the set is checked within itself anyway."
        items.append(_refuse("/against/test_set", "is the set itself", fix))
    if items:
        raise _invalid(*items)


def _invalid(*items: ProblemItem) -> InvalidError:
    return InvalidError("The leakage check breaks a rule.", errors=list(items))


def _refuse(pointer: str, message: str, fix: str) -> ProblemItem:
    return ProblemItem(pointer=pointer, message=message, fix=fix)
