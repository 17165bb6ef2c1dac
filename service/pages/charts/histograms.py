"""Histograms: how often something occurs, by value."""

from collections.abc import Mapping
from typing import Final

from service.pages.charts.drawing import MAIN, WIDTH, Chart

_MOST_BARS: Final = 60
_SHORT: Final = 5
"""Characters of a label that still fits below its bar."""


def count_bars(
    name: str, title: str, counts: Mapping[str, int], *, axis: str, unit: str = "queries"
) -> Chart:
    """Return a bar for each value in the order given, as tall as its count."""
    shown = list(counts.items())[:_MOST_BARS]
    left = len(counts) - len(shown)
    total = sum(counts.values())
    about = f"{total:,} {unit} by {axis}" + (
        f"; {left} more values are not drawn." if left else "."
    )
    level = all(len(value) < _SHORT for value in counts)
    x = {
        "field": "value",
        "type": "ordinal",
        "sort": None,
        "title": axis,
        "axis": {"labelAngle": 0 if level else -40},
    }
    y = {"field": "count", "type": "quantitative", "title": unit, "axis": {"tickMinStep": 1}}
    return Chart(
        name=name,
        title=title,
        about=about,
        spec={
            "width": min(WIDTH, max(160, 44 * len(shown))),
            "height": 180,
            "data": {"values": [{"value": value, "count": count} for value, count in shown]},
            "encoding": {"x": x, "y": y},
            "layer": [
                {"mark": {"type": "bar", "color": MAIN}},
                {
                    "mark": {"type": "text", "dy": -6},
                    "encoding": {"text": {"field": "count", "type": "quantitative"}},
                },
            ],
        },
        columns=(axis, unit),
        rows=tuple(counts.items()),
    )
