"""Sparklines: where each series of runs has been going, small and beside each other."""

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct

from service.pages.charts.drawing import BAND, MAIN, Chart

MOST: Final = 8
"""Series that are drawn."""
_COLUMNS: Final = 4
_WIDTH: Final = 200
_HEIGHT: Final = 40


class Series(Struct, frozen=True, kw_only=True):
    """The means of runs that may be joined, oldest first."""

    name: str
    means: tuple[float, ...]


def sketch(series: Sequence[Series]) -> Chart:
    """Sketch the first series, each on a scale of its own."""
    kept = series[:MOST]
    left = f" {len(series) - MOST} more are not drawn." if len(series) > MOST else ""
    values: list[dict[str, Any]] = [
        {"name": one.name, "run": nth, "mean": mean, "last": nth == len(one.means)}
        for one in kept
        for nth, mean in enumerate(one.means, start=1)
    ]
    return Chart(
        name="trends",
        title="Headline metrics",
        about="The headline metric of the runs below that share test set, label and split, oldest "
        f"first, each on its own scale; the dot is the newest.{left}",
        spec=_write_spec(values, columns=min(len(kept), _COLUMNS)),
        columns=("series", "run", "mean"),
        rows=tuple((one["name"], one["run"], one["mean"]) for one in values),
    )


def _write_spec(values: list[dict[str, Any]], *, columns: int) -> dict[str, Any]:
    header = {"title": None, "labelLimit": _WIDTH, "labelAnchor": "start"}
    scale = {"zero": False, "nice": False, "padding": 6}
    x = {"field": "run", "type": "quantitative", "axis": None, "scale": scale}
    y = {"field": "mean", "type": "quantitative", "axis": None, "scale": scale}
    return {
        "data": {"values": values},
        "columns": columns,
        "facet": {"field": "name", "type": "nominal", "sort": None, "header": header},
        "spacing": 16,
        "spec": {
            "width": _WIDTH,
            "height": _HEIGHT,
            "encoding": {"x": x, "y": y},
            "layer": [
                {"mark": {"type": "line", "color": BAND, "strokeWidth": 2}},
                {
                    "transform": [{"filter": "datum.last"}],
                    "mark": {"type": "point", "filled": True, "color": MAIN, "size": 60},
                },
            ],
        },
        "resolve": {"scale": {"x": "independent", "y": "independent"}},
    }
