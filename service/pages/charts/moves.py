"""Moves: how the queries of a comparison went, one by one and counted."""

from collections.abc import Callable, Sequence
from typing import Final

from reteval.contract.comparisons import ComparisonReport, Mover
from service.pages.charts.drawing import BAD, GOOD, INK, LINE, QUIET, WIDTH, Chart, lead
from service.pages.formatting import signed

MOST: Final = 200
"""Bars that are drawn: so many losses and gains, the largest of each, half and half."""
_STEP: Final = 26
_WAYS: Final = {"wins": ("▲", GOOD), "ties": ("=", LINE), "losses": ("▼", BAD)}


def plot_moves(moves: Sequence[Mover], *, metric: str, address: Callable[[str], str]) -> Chart:
    """Plot each query's difference, greatest loss first; a bar leads to its query.

    `address` gives the path of a query's page by the id.
    """
    ranked = sorted(moves, key=lambda move: (move.difference, move.query_id))
    half = MOST // 2
    drawn = ranked if len(ranked) <= MOST else [*ranked[:half], *ranked[-half:]]
    cut = "" if len(drawn) == len(ranked) else f" Of {len(ranked)} queries the {half} at each end."
    values = [
        {
            "place": place,
            "difference": move.difference,
            "way": "gain" if move.difference > 0 else "loss",
            "href": lead(address(move.query_id)),
            "about": f"{move.query_id}: {signed(move.difference)}",
        }
        for place, move in enumerate(drawn, start=1)
    ]
    return Chart(
        name="moves",
        title="Difference by query",
        about=f"Difference of {metric} by query, losses at the left, gains at the right; "
        f"a bar leads to its query.{cut}",
        spec={
            "data": {"values": values},
            "width": WIDTH,
            "height": 220,
            "mark": {"type": "bar"},
            "encoding": {
                "x": {"field": "place", "type": "ordinal", "axis": None},
                "y": {
                    "field": "difference",
                    "type": "quantitative",
                    "title": f"difference of {metric}",
                    "axis": {"format": "+.3~f", "gridColor": LINE},
                },
                "color": {
                    "field": "way",
                    "type": "nominal",
                    "scale": {"domain": ["gain", "loss"], "range": [GOOD, BAD]},
                    "legend": None,
                },
                "href": {"field": "href"},
                "description": {"field": "about"},
            },
        },
        columns=("query id", "query", "baseline", "candidate", "difference"),
        rows=tuple(
            (move.query_id, move.query, move.baseline, move.candidate, move.difference)
            for move in drawn
        ),
    )


def plot_tally(report: ComparisonReport) -> Chart:
    """Plot how many queries each metric counts as won, tied and lost."""
    values = [
        {
            "metric": name,
            "way": way,
            "order": order,
            "n": getattr(one, way),
            "label": f"{_WAYS[way][0]} {getattr(one, way)}" if getattr(one, way) else "",
        }
        for name, one in report.metrics.items()
        for order, way in enumerate(_WAYS)
    ]
    y = {"field": "metric", "type": "nominal", "sort": None, "title": None}
    x = {"field": "n", "type": "quantitative", "stack": "zero", "title": "queries"}
    at = {"y": y, "order": {"field": "order"}}
    colours = {"domain": list(_WAYS), "range": [colour for _, colour in _WAYS.values()]}
    colour = {"field": "way", "type": "nominal", "scale": colours, "legend": None}
    return Chart(
        name="tally",
        title="Wins, ties, losses",
        about="Queries that the candidate answers better ▲, the same =, worse ▼, by metric.",
        spec={
            "data": {"values": values},
            "width": WIDTH,
            "height": {"step": _STEP},
            "layer": [
                {
                    "mark": {"type": "bar", "opacity": 0.45, "stroke": QUIET, "strokeWidth": 0.5},
                    "encoding": {**at, "x": x, "color": colour},
                },
                {
                    "mark": {"type": "text", "color": INK},
                    "encoding": {**at, "x": {**x, "bandPosition": 0.5}, "text": {"field": "label"}},
                },
            ],
        },
        columns=("metric", "wins", "ties", "losses"),
        rows=tuple((name, one.wins, one.ties, one.losses) for name, one in report.metrics.items()),
    )
