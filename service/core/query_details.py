"""One query of an ended run: what was asked, answered and judged, and its variants."""

from collections.abc import AsyncIterator
from typing import Final

from msgspec import UNSET, Struct

from reteval.contract.outcomes import Outcome, PlannedRequest, QueryRow, VariantRow
from reteval.contract.testsets import Judgment, Query
from service.core.backend import Backend
from service.core.query_rows import build_row, read_sheet
from service.core.reports import read_variants
from service.errors import NotFoundError
from service.store.chunks import SIZE

MAX_VARIANTS: Final = 200
"""Variants of one query that are read, at most."""


class QueryDetails(Struct, frozen=True, kw_only=True):
    """A clean query of a run with all that is known of it.

    `judgments` are those of the test set that the run is pinned to, and `relevant_from` the grade
    from which one counted as relevant in it. Of `variants` there are at most `MAX_VARIANTS`.
    """

    row: QueryRow
    query: Query
    outcome: Outcome
    judgments: tuple[Judgment, ...]
    relevant_from: int
    depth: int
    variants: tuple[VariantRow, ...]


async def read_details(backend: Backend, run_id: str, query_id: str) -> QueryDetails:
    """Read one query of a run.

    Raises:
        NotFoundError: no such run, or it did not ask such a query.
        NotTerminalError: the run has not ended.
    """
    tenant, outcomes = backend.tenant, backend.store.outcomes
    sheet = await read_sheet(backend, run_id)
    place = await _find_place(backend, run_id, query_id, clean=sheet.clean)
    record = await backend.store.runs.get(tenant, run_id)
    test_set = await backend.store.test_sets.get(tenant, record.spec.test_set.id)
    rescore = record.spec.rescore
    query = await _find_query(backend, test_set.id, query_id)
    (row,) = await outcomes.rows(tenant, run_id, start=place, stop=place + 1)
    return QueryDetails(
        row=build_row(sheet, place, row),
        query=query,
        outcome=row.outcome,
        judgments=() if query.relevant is UNSET else tuple(query.relevant),
        relevant_from=rescore.relevant_from if rescore else test_set.relevant_from,
        depth=record.spec.depth,
        variants=tuple(await _list_variants(backend, run_id, query_id)),
    )


async def _find_place(backend: Backend, run_id: str, query_id: str, *, clean: int) -> int:
    async for start, requests in _walk_plan(backend, run_id, range(clean)):
        for place, request in enumerate(requests, start=start):
            if request.query_id == query_id:
                return place
    raise NotFoundError(f"Run {run_id!r} did not ask a query {query_id!r}.")


async def _find_query(backend: Backend, test_set_id: str, query_id: str) -> Query:
    async for queries in backend.store.test_sets.chunks(backend.tenant, test_set_id):
        for query in queries:
            if query.id == query_id:
                return query
    raise NotFoundError(f"The test set has no query {query_id!r}.")


async def _list_variants(backend: Backend, run_id: str, query_id: str) -> list[VariantRow]:
    places = await backend.store.outcomes.variants(backend.tenant, run_id)
    found: list[VariantRow] = []
    async for start, requests in _walk_plan(backend, run_id, places):
        wanted = [
            place
            for place, request in enumerate(requests, start=start)
            if request.query_id == query_id
        ]
        if wanted:
            stretch = await read_variants(
                backend, run_id, wanted[0], wanted[-1] + 1, first=places.start
            )
            found += [row for row in stretch if row.query_id == query_id]
        if len(found) >= MAX_VARIANTS:
            break
    return found[:MAX_VARIANTS]


async def _walk_plan(
    backend: Backend, run_id: str, places: range
) -> AsyncIterator[tuple[int, list[PlannedRequest]]]:
    """Yield a part of the plan with the place of each stretch, a stored chunk at a time."""
    start = places.start
    while start < places.stop:
        stop = min(places.stop, (start // SIZE + 1) * SIZE)
        yield (
            start,
            await backend.store.outcomes.requests(backend.tenant, run_id, start=start, stop=stop),
        )
        start = stop
