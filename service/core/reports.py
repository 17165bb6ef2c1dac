"""Reading an ended run: its report, raw outcomes and variants."""

import math

import msgspec

from reteval.contract.outcomes import (
    OutcomePage,
    OutcomeRow,
    PlannedRequest,
    VariantPage,
    VariantRow,
)
from reteval.contract.results import Results
from service.core.backend import Backend

_SPAN = 500
"""Variants looked at between two pauses while a page is filled."""


async def read_tag(backend: Backend, run_id: str) -> str:
    """Return the digest of a run's report, which never changes.

    Raises:
        NotTerminalError: the run has not ended.
        NotFoundError: no such run.
    """
    return await backend.store.runs.results_tag(backend.tenant, run_id)


async def read_report(backend: Backend, run_id: str) -> bytes:
    """Return a run's report as it was stored.

    Raises:
        NotTerminalError, NotFoundError: as `read_tag`.
    """
    return await backend.store.runs.results(backend.tenant, run_id)


async def read_results(backend: Backend, run_id: str) -> Results:
    """Return a run's report.

    Raises:
        NotTerminalError, NotFoundError: as `read_tag`.
    """
    return msgspec.json.decode(await read_report(backend, run_id), type=Results)


async def page_outcomes(backend: Backend, run_id: str, *, cursor: str, limit: int) -> OutcomePage:
    """Return a page of raw outcomes in plan order: clean requests, then variants.

    Raises:
        BadCursorError: the cursor belongs to another list.
        NotTerminalError, NotFoundError: as `read_report`.
    """
    cursors = await backend.cursors()
    scope = ("outcomes", backend.tenant, run_id)
    start = int(cursors.read(scope, cursor) or 0)
    _, total = await backend.store.outcomes.plan_size(backend.tenant, run_id)
    stop = min(total, start + limit)
    rows = await backend.store.outcomes.rows(backend.tenant, run_id, start=start, stop=stop)
    return OutcomePage(
        items=tuple(rows), next_cursor=cursors.issue(scope, str(stop) if stop < total else None)
    )


async def page_variants(
    backend: Backend, run_id: str, *, kind: str, cursor: str, limit: int
) -> VariantPage:
    """Return a page of variants in plan order, of one kind or (empty) of all.

    Raises:
        BadCursorError: the cursor belongs to another list.
        NotTerminalError, NotFoundError: as `read_report`.
    """
    cursors = await backend.cursors()
    scope = ("variants", backend.tenant, run_id, kind)
    places = await backend.store.outcomes.variants(backend.tenant, run_id)
    place = int(cursors.read(scope, cursor) or places.start)
    items: list[VariantRow] = []
    while place < places.stop and len(items) < limit:
        stop = min(places.stop, place + _SPAN)
        for row in await read_variants(backend, run_id, place, stop, first=places.start):
            if len(items) == limit:
                break
            if kind in ("", row.kind):
                items.append(row)
            place += 1
    return VariantPage(
        items=tuple(items),
        next_cursor=cursors.issue(scope, str(place) if place < places.stop else None),
    )


async def read_variants(
    backend: Backend, run_id: str, start: int, stop: int, *, first: int
) -> list[VariantRow]:
    """Return the variants of a stretch of the plan, whose first variant is at `first`."""
    outcomes = backend.store.outcomes
    requests = await outcomes.requests(backend.tenant, run_id, start=start, stop=stop)
    rows = await outcomes.rows(backend.tenant, run_id, start=start, stop=stop)
    values = await outcomes.variant_values(
        backend.tenant, run_id, start=start - first, stop=stop - first
    )
    return [
        _show_variant(request, row, value, clean)
        for request, row, (value, clean) in zip(requests, rows, values, strict=True)
    ]


def _show_variant(
    request: PlannedRequest, row: OutcomeRow, value: float, clean: float
) -> VariantRow:
    return VariantRow(
        query_id=request.query_id,
        kind=request.kind,
        severity=request.severity,
        replicate=request.replicate,
        original=request.original,
        text=request.text,
        ops=request.ops,
        status=row.outcome.status,
        returned=row.outcome.returned,
        value=None if math.isnan(value) else value,
        clean=None if math.isnan(clean) else clean,
    )
