"""Comparisons: check that two runs can be compared, have it done once, show what was found."""

import hashlib
from typing import Final

import msgspec

from reteval.contract.comparisons import Comparison, ComparisonRequest, Scope
from reteval.contract.metrics import UnknownMetricError, choose_headline, parse_metric
from reteval.contract.problems import ProblemItem
from reteval.contract.runs import RunStatus
from service.core.backend import Backend
from service.core.jobs import await_end, wake
from service.errors import InvalidError, NotComparableError, NotFoundError
from service.queue import INTERACTIVE
from service.store.bare_report import iso_time
from service.store.keys import new_id
from service.store.records import ComparisonRecord, ComparisonSpec, Idempotency, RunRecord

POLL_S: Final = 0.5
_WITH_NUMBERS: Final = (RunStatus.COMPLETED, RunStatus.COMPLETED_WITH_ERRORS)


async def open_comparison(
    backend: Backend,
    request: ComparisonRequest,
    *,
    wait_s: float,
    idempotency: Idempotency | None = None,
) -> Comparison:
    """Answer the comparison of this content, made now unless it was made before.

    Raises:
        InvalidError: a metric that is unknown or that a run does not have.
        NotFoundError: one of the runs does not exist.
        NotComparableError: a run without numbers, or another test set.
        IdempotencyConflictError: another process took the key over.
    """
    baseline = await _find_run(backend, request.baseline, "/baseline")
    candidate = await _find_run(backend, request.candidate, "/candidate")
    _check_pair(request, baseline, candidate)
    resolved = _resolve(request, baseline, candidate)
    spec = ComparisonSpec(id=new_id("cmp"), request=resolved, code_version=backend.code_version)
    content = hashlib.sha256(
        msgspec.json.encode((resolved, backend.code_version), order="deterministic")
    ).hexdigest()
    for run_id in (baseline.id, candidate.id):
        await backend.store.runs.use(backend.tenant, run_id)
    record, created = await backend.store.comparisons.create(
        backend.tenant, spec, content=content, queue=INTERACTIVE, idempotency=idempotency
    )
    if created:
        await wake(backend, record.id, record)
    return await get_comparison(backend, record.id, wait_s=wait_s)


async def get_comparison(backend: Backend, comparison_id: str, *, wait_s: float) -> Comparison:
    """Return a comparison as soon as it has ended, or as it is after `wait_s` seconds.

    Raises:
        NotFoundError: no such comparison.
    """
    record = await await_end(
        lambda: backend.store.comparisons.get(backend.tenant, comparison_id), wait_s=wait_s
    )
    return await _show(backend, record)


async def delete_comparison(backend: Backend, comparison_id: str) -> None:
    """Delete a comparison that has ended; the same question makes it anew.

    Raises:
        RunActiveError: it has not ended.
        NotFoundError: no such comparison.
    """
    await backend.store.comparisons.delete(backend.tenant, comparison_id)


async def _show(backend: Backend, record: ComparisonRecord) -> Comparison:
    request = record.spec.request
    return Comparison(
        id=record.id,
        status=record.status,
        baseline=request.baseline,
        candidate=request.candidate,
        created_at=iso_time(record.created_ms),
        links={
            "self": f"/v1/comparisons/{record.id}",
            "baseline": f"/v1/runs/{request.baseline}",
            "candidate": f"/v1/runs/{request.candidate}",
        },
        error=record.error,
        poll_after_s=None if record.status.terminal else POLL_S,
        report=await backend.store.comparisons.report(backend.tenant, record),
    )


async def _find_run(backend: Backend, run_id: str, pointer: str) -> RunRecord:
    try:
        return await backend.store.runs.get(backend.tenant, run_id)
    except NotFoundError as exc:
        item = ProblemItem(
            pointer=pointer,
            message=f"there is no run {run_id!r}",
            fix="Take an id from GET /v1/runs.",
        )
        raise NotFoundError(exc.detail, errors=[item]) from exc


def _check_pair(request: ComparisonRequest, baseline: RunRecord, candidate: RunRecord) -> None:
    for record in (baseline, candidate):
        if record.status not in _WITH_NUMBERS:
            raise NotComparableError(
                f"Run {record.id!r} is {record.status.value} and has no numbers of its own; "
                "compare completed runs."
            )
    before, after = baseline.spec.test_set, candidate.spec.test_set
    if request.on is Scope.INTERSECTION:
        return
    if before.hash != after.hash:
        raise NotComparableError(
            f"The runs were scored on different test sets (what differs: GET /v1/test-sets/"
            f"{after.id}/diff?against={before.id}); rescore one of them with the other's test "
            "set, or send `on: intersection` to compare the queries they share."
        )
    if baseline.spec.request.split != candidate.spec.request.split:
        raise NotComparableError(
            "The runs were scored on different splits of the test set; send `on: intersection` to "
            "compare the queries they share, or rescore one of them with the other's split."
        )


def _resolve(
    request: ComparisonRequest, baseline: RunRecord, candidate: RunRecord
) -> ComparisonRequest:
    """Spell out which metrics are compared, so that equal questions are equal requests."""
    shared = [name for name in baseline.spec.metrics if name in candidate.spec.metrics]
    items = []
    metrics = []
    for index, name in enumerate(request.metrics):
        item, metric = _read_metric(name, shared, f"/metrics/{index}")
        items += [item] if item else []
        metrics.append(metric)
    chosen = list(dict.fromkeys(metrics)) or shared
    primary = choose_headline(chosen) if chosen else ""
    if request.primary is not None:
        item, primary = _read_metric(request.primary, shared, "/primary")
        items += [item] if item else []
    if not items and not chosen:
        items.append(_lacks("/metrics", "the runs have no metric in common"))
    if items:
        raise InvalidError("The comparison asks for what the runs do not have.", errors=items)
    chosen = chosen if primary in chosen else [primary, *chosen]
    return msgspec.structs.replace(request, metrics=tuple(chosen), primary=primary)


def _read_metric(name: str, shared: list[str], pointer: str) -> tuple[ProblemItem | None, str]:
    try:
        metric = str(parse_metric(name))
    except UnknownMetricError as exc:
        return _lacks(pointer, str(exc)), name
    if metric not in shared:
        return _lacks(pointer, f"not both runs have {metric!r}"), metric
    return None, metric


def _lacks(pointer: str, message: str) -> ProblemItem:
    return ProblemItem(
        pointer=pointer,
        message=message,
        fix="Name a metric that both runs have, or rescore them with it.",
    )
