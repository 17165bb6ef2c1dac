"""Per-query rows of an ended run: choose, order and build them from the packed columns."""

import asyncio
import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from reteval.contract.metrics import UnknownMetricError, parse_metric
from reteval.contract.outcomes import OutcomeRow, OutcomeStatus, QueryRow, QueryRowPage
from reteval.contract.problems import ProblemItem
from reteval.contract.slices import SLICES, is_slice
from service.core.backend import Backend
from service.errors import InvalidError
from service.store.chunks import SIZE

STATUSES: Final = tuple(OutcomeStatus)
EXPECT_NOTHING: Final = "expect_nothing"
EMPTY_ANSWER: Final = "empty_answer"
NO_SUCH_GRADE: Final = "no_document_of_the_grade"
"""A metric with `rel` where the query has no document of that grade."""


class RowQuery(Struct, frozen=True, kw_only=True):
    """Which rows, and in what order; `sort` is a metric, worst first, or `-metric`."""

    sort: str = ""
    status: OutcomeStatus | None = None
    slice: str = ""


class Sheet(Struct, frozen=True, kw_only=True):
    """Everything about the clean requests of a run but their rankings, in plan order.

    The first `scorable` requests have judgments; the others expect nothing.
    """

    clean: int
    scorable: int
    columns: dict[str, "array[float]"]
    statuses: bytes
    tags: list[list[str]]
    slices: list[list[str]]


async def read_sheet(backend: Backend, run_id: str) -> Sheet:
    """Read a run's columns.

    Raises:
        NotTerminalError: the run has not ended.
        NotFoundError: no such run.
    """
    tenant, outcomes = backend.tenant, backend.store.outcomes
    clean, _ = await outcomes.plan_size(tenant, run_id)
    record = await backend.store.runs.get(tenant, run_id)
    test_set = await backend.store.test_sets.get(tenant, record.spec.test_set.id)
    stats = record.spec.portion.stats if record.spec.portion else test_set.stats
    columns = await outcomes.columns(tenant, run_id)
    statuses = await outcomes.statuses(tenant, run_id)
    return Sheet(
        clean=clean,
        scorable=min(clean, stats.scorable),
        columns={name: columns[name] for name in record.spec.metrics if name in columns},
        statuses=statuses[:clean],
        tags=await outcomes.tags(tenant, run_id),
        slices=await outcomes.slices(tenant, run_id),
    )


async def read_values(backend: Backend, run_id: str, metric: str) -> "array[float]":
    """Return a metric of each clean request, NaN where it is undefined; empty: not measured."""
    columns = await backend.store.outcomes.columns(backend.tenant, run_id, [metric])
    return columns.get(metric, array("d"))


async def page_rows(
    backend: Backend, run_id: str, wanted: RowQuery, *, cursor: str, limit: int
) -> QueryRowPage:
    """Return a page of a run's clean queries in the order asked for.

    Raises:
        InvalidError: a sort or slice that this run does not have.
        BadCursorError: the cursor belongs to another list.
        NotTerminalError, NotFoundError: as `read_sheet`.
    """
    cursors = await backend.cursors()
    scope = ("rows", backend.tenant, run_id, wanted.sort, wanted.status or "", wanted.slice)
    offset = int(cursors.read(scope, cursor) or 0)
    sheet = await read_sheet(backend, run_id)
    metric, descending = _read_sort(wanted.sort, sheet)
    chosen = await asyncio.to_thread(
        arrange, sheet, metric=metric, descending=descending, wanted=wanted
    )
    places = chosen[offset : offset + limit]
    found = await _rows_at(backend, run_id, places)
    position = str(offset + limit) if offset + limit < len(chosen) else None
    return QueryRowPage(
        items=tuple(build_row(sheet, place, found[place]) for place in places),
        next_cursor=cursors.issue(scope, position),
    )


def arrange(sheet: Sheet, *, metric: str | None, descending: bool, wanted: RowQuery) -> list[int]:
    """Return the places of the wanted requests in order; undefined values come last."""
    places = _select(sheet, wanted)
    if metric is None:
        return places
    column = sheet.columns[metric]
    defined = [place for place in places if not math.isnan(column[place])]
    undefined = [place for place in places if math.isnan(column[place])]
    sign = -1.0 if descending else 1.0
    return sorted(defined, key=lambda place: sign * column[place]) + undefined


def build_row(sheet: Sheet, place: int, row: OutcomeRow) -> QueryRow:
    """Join a request's outcome with its metrics; null values get a reason."""
    outcome = row.outcome
    values = {name: column[place] for name, column in sheet.columns.items()}
    metrics = {name: None if math.isnan(value) else value for name, value in values.items()}
    return QueryRow(
        query_id=row.query_id,
        query=row.query,
        status=outcome.status,
        metrics=metrics,
        tags=sheet.tags[place] if place < len(sheet.tags) else [],
        reason=_reason(sheet, place, row, metrics),
        returned=outcome.returned,
        latency_ms=outcome.latency_ms,
    )


def _reason(
    sheet: Sheet, place: int, row: OutcomeRow, metrics: Mapping[str, float | None]
) -> str | None:
    outcome = row.outcome
    if not outcome.status.answered:
        return outcome.code or outcome.status
    if place >= sheet.scorable:
        return EXPECT_NOTHING
    if any(value is None for value in metrics.values()):
        return EMPTY_ANSWER if outcome.status is OutcomeStatus.OK_EMPTY else NO_SUCH_GRADE
    return None


def _select(sheet: Sheet, wanted: RowQuery) -> list[int]:
    places: Iterable[int] = range(sheet.clean)
    if wanted.status is not None:
        byte = STATUSES.index(wanted.status)
        places = (place for place in places if sheet.statuses[place] == byte)
    if wanted.slice:
        _check_slice(wanted.slice)
        places = (place for place in places if wanted.slice in sheet.slices[place])
    return list(places)


def _read_sort(sort: str, sheet: Sheet) -> tuple[str | None, bool]:
    if not sort:
        return None, False
    descending = sort.startswith("-")
    try:
        metric = str(parse_metric(sort.removeprefix("-")))
    except UnknownMetricError as exc:
        raise _refused("?sort", str(exc), sheet) from exc
    if metric not in sheet.columns:
        raise _refused("?sort", f"this run did not measure {metric!r}", sheet)
    return metric, descending


def _refused(pointer: str, message: str, sheet: Sheet) -> InvalidError:
    fix = f"Use one of {', '.join(sheet.columns) or 'no metrics'}; with - before it, best first."
    item = ProblemItem(pointer=pointer, message=message, fix=fix)
    return InvalidError("The rows cannot be sorted so.", errors=[item])


def _check_slice(text: str) -> None:
    if not is_slice(text):
        item = ProblemItem(
            pointer="?slice",
            message=f"{text!r} is no slice",
            fix=f"Write one of {', '.join(f'{kind}:' for kind in SLICES)} and a value.",
        )
        raise InvalidError("The rows cannot be cut so.", errors=[item])


async def _rows_at(backend: Backend, run_id: str, places: Sequence[int]) -> dict[int, OutcomeRow]:
    """Read scattered outcomes, each stored chunk once."""
    by_chunk: dict[int, list[int]] = {}
    for place in places:
        by_chunk.setdefault(place // SIZE, []).append(place)
    found: dict[int, OutcomeRow] = {}
    for group in by_chunk.values():
        start = min(group)
        rows = await backend.store.outcomes.rows(
            backend.tenant, run_id, start=start, stop=max(group) + 1
        )
        found.update((place, rows[place - start]) for place in group)
    return found
