"""Drawing: Vega-Lite specifications into SVG that takes its colours from the page.

The numbers of a chart go with it, as a table and as CSV.
"""

import asyncio
import atexit
import re
from functools import cache, lru_cache
from typing import Any, Final
from urllib.parse import quote

import msgspec
from markupsafe import Markup
from msgspec import Struct

from service.core.cells import Cell, write_rows
from service.pages.charts.painter import Painter

WIDTH: Final = 560
"""Pixels of a chart's plot, without its axes."""
PAPER: Final = "var(--paper)"
INK: Final = "var(--ink)"
QUIET: Final = "var(--quiet)"
LINE: Final = "var(--line)"
GOOD: Final = "var(--good)"
BAD: Final = "var(--bad)"
MAIN: Final = "var(--main)"
BAND: Final = "var(--band)"
"""Colours of the page, which knows dark from light; `GOOD` is blue and `BAD` orange, and no chart
says by colour alone which is which."""
_PAGE: Final = "http://page.invalid"
"""Before the path of a link while a chart is drawn: the renderer has no page to start from."""
_KEPT: Final = 200
"""Pictures that a process keeps, of some ten kilobytes each."""
_CONFIG: Final = {
    "background": None,
    "font": "system-ui, sans-serif",
    "padding": {"left": 24, "right": 24, "top": 5, "bottom": 5},
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
    "axisQuantitative": {"labelLimit": 0},  # numbers are short: measuring each costs a third
    "legend": {"labelColor": INK, "titleColor": INK, "labelFontSize": 12, "titleFontSize": 12},
    "header": {"labelColor": INK, "titleColor": INK, "labelFontSize": 12},
    "text": {"color": INK, "fontSize": 12},
    "rule": {"color": QUIET},
    "mark": {"color": MAIN},
}


_EMPTY: Final = re.compile(r'<g class="mark-[^>]*(?:/>|></g>)')
"""A group of no marks, which a reader of screens would still announce."""


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


def heat(level: int) -> str:
    """Return the colour of a cell: from -3, the best, over 0 to 3, the worst."""
    return f"var(--heat-up-{-level})" if level < 0 else f"var(--heat-{level})"


def lead(path: str) -> str:
    """Return what a mark's `href` has to be, so that it leads to a page of ours."""
    return _PAGE + path


async def draw(*charts: Chart) -> dict[str, Drawing]:
    """Draw charts by name; the event loop goes on meanwhile."""
    drawn = await asyncio.to_thread(lambda: [draw_one(chart) for chart in charts])
    return {drawing.chart.name: drawing for drawing in drawn}


def draw_one(chart: Chart) -> Drawing:
    """Draw one chart. Nothing is fetched: a specification holds all its data."""
    svg = Markup(_render(msgspec.json.encode(chart.spec)))  # noqa: S704 - escaped there
    return Drawing(chart=chart, svg=svg, csv=write_csv(chart))


@lru_cache(maxsize=_KEPT)
def _render(spec: bytes) -> str:
    """Render a specification; what is looked at again, as an ended run is, is not drawn again."""
    svg = _find_painter().paint(b"[%b,%b]" % (spec, msgspec.json.encode(_CONFIG)))
    return _EMPTY.sub("", svg).replace(f'href="{_PAGE}/', 'href="/')


@cache
def _find_painter() -> Painter:
    """Return the painter of this process, which ends with it."""
    painter = Painter()
    atexit.register(painter.close)
    return painter


def write_csv(chart: Chart) -> str:
    """Write a chart's numbers as the address of a CSV file: part of the page, even off line."""
    return f"data:text/csv;charset=utf-8,{quote(write_rows([chart.columns, *chart.rows]))}"
