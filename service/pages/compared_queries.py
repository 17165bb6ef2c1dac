"""A query of a comparison: the two answers side by side, document by document."""

from collections.abc import Sequence
from typing import Any, Final

from litestar import Response
from litestar.params import FromPath
from msgspec import Struct

from reteval.contract.api_keys import Scope
from reteval.contract.comparisons import ComparisonReport, Mover, Side
from service.api.bodies import AnyRequest
from service.core import comparisons, moves
from service.core.backend import Backend
from service.core.query_details import QueryDetails, read_details
from service.errors import NotFoundError
from service.pages.charts.drawing import draw
from service.pages.charts.slopes import plot_lists
from service.pages.queries import read_query_id
from service.pages.rankings import Ranked, rank
from service.pages.rendering import show
from service.pages.routing import Deployed, lead_to, shows

_NONE: Final = Ranked(hits=(), missing=(), relevant=0, judged=0)


class Answered(Struct, frozen=True, kw_only=True):
    """A query as one of the two runs answered it; without `details` that run did not ask it.

    `other` has the ranks of the other run's answer.
    """

    side: Side
    details: QueryDetails | None
    ranked: Ranked
    other: dict[str, int]


class Neighbours(Struct, frozen=True, kw_only=True):
    """Where a query stands among all, by the size of its move, and which are beside it."""

    place: int | None
    of: int
    before: Mover | None
    after: Mover | None


@shows(
    "/comparisons/{comparison_id:str}/queries/{query_id:path}",
    "showComparedQuery",
    scope=Scope.RESULTS_READ,
)
async def show_query(
    request: AnyRequest, backend: Deployed, comparison_id: FromPath[str]
) -> Response[Any]:
    """Show how both runs answered one query, as far as they asked it."""
    report = (await comparisons.get_comparison(backend, comparison_id, wait_s=0.0)).report
    if report is None:
        return lead_to(f"/comparisons/{comparison_id}")
    query_id = read_query_id(request)
    found = [
        await _read_side(backend, side.run, query_id)
        for side in (report.baseline, report.candidate)
    ]
    asked = [details for details in found if details is not None]
    if not asked:
        raise NotFoundError(f"Neither run asked a query {query_id!r}, or both are gone.")
    before, after = (_NONE if details is None else rank(details) for details in found)
    answered = (
        Answered(side=report.baseline, details=found[0], ranked=before, other=after.places),
        Answered(side=report.candidate, details=found[1], ranked=after, other=before.places),
    )
    drawings = await draw(plot_lists(before, after)) if before.hits or after.hits else {}
    return await show(
        request,
        "compared_query.html",
        report=report,
        query=asked[0].row,
        answered=answered,
        drawings=drawings,
        beside=find_neighbours(await _read_moves(backend, report), query_id),
    )


def find_neighbours(moved: Sequence[Mover], query_id: str) -> Neighbours:
    """Find a query among the moves, greatest first."""
    place = next((n for n, move in enumerate(moved) if move.query_id == query_id), None)
    if place is None:
        return Neighbours(place=None, of=len(moved), before=None, after=None)
    return Neighbours(
        place=place + 1,
        of=len(moved),
        before=moved[place - 1] if place else None,
        after=moved[place + 1] if place + 1 < len(moved) else None,
    )


async def _read_side(backend: Backend, run_id: str, query_id: str) -> QueryDetails | None:
    """Read what a run has of a query; None where it did not ask it, or is gone."""
    try:
        return await read_details(backend, run_id, query_id)
    except NotFoundError:
        return None


async def _read_moves(backend: Backend, report: ComparisonReport) -> list[Mover]:
    try:
        return await moves.read_moves(backend, report)
    except NotFoundError:
        return []


HANDLERS: Final = (show_query,)
