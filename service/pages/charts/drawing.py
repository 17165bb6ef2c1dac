"""Drawing: Vega-Lite specifications into SVG that takes its colours from the page.

The numbers of a chart go with it, as a table and as CSV.
"""

import asyncio
from typing import Any, Final
from urllib.parse import quote

import vl_convert
from markupsafe import Markup
from msgspec import Struct

from service.core.cells import Cell, write_rows

WIDTH: Final = 560
"""Pixels of a chart's plot, without its axes."""
INK: Final = "var(--ink)"
QUIET: Final = "var(--quiet)"
LINE: Final = "var(--line)"
GOOD: Final = "var(--good)"
BAD: Final = "var(--bad)"
MAIN: Final = "var(--main)"
BAND: Final = "var(--band)"
"""Colours of the page, which knows dark from light; `GOOD` is blue and `BAD` orange, and no chart
says by colour alone which is which."""
_CONFIG: Final = {
    "background": None,
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "titleFontWeight": "normal",
        "domainColor": LINE,
        "tickColor": LINE,
        "gridColor": LINE,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "labelLimit": 220,
    },
    "legend": {"labelColor": INK, "titleColor": INK, "labelFontSize": 12, "titleFontSize": 12},
    "header": {"labelColor": INK, "titleColor": INK, "labelFontSize": 12},
    "text": {"color": INK, "fontSize": 12},
    "rule": {"color": QUIET},
    "mark": {"color": MAIN},
}


class Chart(Struct, frozen=True, kw_only=True):
    """A picture to be drawn, and the numbers it is made of.

    `about` says in a sentence what is to be seen, for whoever does not see it. `rows` go beneath
    the picture, under `columns`.
    """

    name: str
    title: str
    about: str
    spec: dict[str, Any]
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


class Drawing(Struct, frozen=True, kw_only=True):
    """A chart with its picture, and its numbers as a file that is part of the page."""

    chart: Chart
    svg: Markup
    csv: str


async def draw(*charts: Chart) -> dict[str, Drawing]:
    """Draw charts by name. The renderer works outside of Python, the event loop goes on."""
    drawn = await asyncio.to_thread(lambda: [draw_one(chart) for chart in charts])
    return {drawing.chart.name: drawing for drawing in drawn}


def draw_one(chart: Chart) -> Drawing:
    """Draw one chart. Nothing is fetched: a specification holds all its data."""
    svg = vl_convert.vegalite_to_svg(chart.spec, config=_CONFIG, allowed_base_urls=[])
    return Drawing(chart=chart, svg=Markup(svg), csv=write_csv(chart))  # noqa: S704 - escaped there


def write_csv(chart: Chart) -> str:
    """Write a chart's numbers as the address of a CSV file: part of the page, even off line."""
    return f"data:text/csv;charset=utf-8,{quote(write_rows([chart.columns, *chart.rows]))}"
