"""Heat maps: what each kind costs queries of each length."""

import re
from typing import Any, Final

from reteval.contract.adversarial import AdversarialReport, KindReport
from service.pages.charts.drawing import INK, PAPER, QUIET, Chart, heat, lead
from service.pages.charts.forests import sort_kinds
from service.pages.formatting import UNDEFINED, signed

ALL: Final = "all"
_STEP: Final = 30
_MOST: Final = 40
"""Kinds that are drawn; all are in the numbers beneath."""
_STARTS: Final = (0.02, 0.1, 0.25)
"""From which loss, or gain, a cell is darker; under the first it is that of no change."""
_LEVELS: Final = tuple(range(-len(_STARTS), len(_STARTS) + 1))
_NUMBER: Final = re.compile(r"\d+")


def plot_heat(report: AdversarialReport, *, path: str) -> Chart:
    """Plot the drop by kind and by content words of the query; `path` lists variants of a kind.

    A cell leads to the variants of its kind.
    """
    kinds = sort_kinds(report)
    bins = {one.bin for kind in kinds for one in kind.by_content_words}
    columns = [ALL, *sorted(bins, key=_start)]
    cells = [cell for kind in kinds[:_MOST] for cell in _cells(kind, path)]
    left = len(kinds) - min(len(kinds), _MOST)
    return Chart(
        name="heat",
        title="Kind by words of the query",
        about="Drop by kind and severity, over all needs and by their content words; ▼ loses, "
        "▲ gains, in brackets the needs. The longer a query, the less one slip costs. A cell leads "
        "to its variants." + (f" {left} more kinds are in the numbers alone." if left else ""),
        spec=_spec(cells, columns),
        columns=("kind", "severity", "content words", "needs", "drop"),
        rows=tuple(
            (kind.kind, kind.severity, name, needs, drop)
            for kind in kinds
            for name, needs, drop in _values(kind)
        ),
    )


def _start(name: str) -> int:
    found = _NUMBER.search(name)
    return int(found[0]) if found else 0


def _values(kind: KindReport) -> list[tuple[str, int, float | None]]:
    return [
        (ALL, kind.needs, kind.drop.mean),
        *((one.bin, one.needs, one.drop) for one in kind.by_content_words),
    ]


def _cells(kind: KindReport, path: str) -> list[dict[str, Any]]:
    return [
        {
            "kind": f"{kind.kind} · {kind.severity}",
            "words": name,
            "level": find_level(drop or 0.0),
            "text": _tell(drop, needs),
            "about": f"{kind.kind} · {kind.severity}, content words {name}: {_tell(drop, needs)}",
            "href": lead(path.replace("KIND", kind.kind)),
        }
        for name, needs, drop in _values(kind)
    ]


def find_level(drop: float) -> int:
    """Return how strong a cell is: above 0 for a loss, below 0 for a gain."""
    strength = sum(abs(drop) >= start for start in _STARTS)
    return strength if drop > 0 else -strength


def _tell(drop: float | None, needs: int) -> str:
    if drop is None:
        return UNDEFINED
    level = find_level(drop)
    mark = "▼" if level > 0 else "▲" if level < 0 else "="
    return f"{mark} {signed(drop)} ({needs})"


def _spec(cells: list[dict[str, Any]], columns: list[str]) -> dict[str, Any]:
    at = {
        "y": {"field": "kind", "type": "nominal", "sort": None, "title": None},
        "x": {
            "field": "words",
            "type": "nominal",
            "sort": columns,
            "title": "content words of the query",
            "axis": {"orient": "top", "labelAngle": 0},
        },
    }
    leads = {"href": {"field": "href"}, "description": {"field": "about"}}
    fills = {"domain": list(_LEVELS), "range": [heat(level) for level in _LEVELS]}
    inks = {
        "domain": list(_LEVELS),
        "range": [PAPER if abs(level) == max(_LEVELS) else INK for level in _LEVELS],
    }
    return {
        "data": {"values": cells},
        "width": {"step": 110},
        "height": {"step": _STEP},
        "layer": [
            {
                "mark": {"type": "rect", "stroke": QUIET, "strokeWidth": 0.5},
                "encoding": {**at, **leads, "color": _by_level(fills)},
            },
            {
                "mark": {"type": "text", "fontSize": 11},
                "encoding": {**at, "text": {"field": "text"}, "color": _by_level(inks)},
            },
        ],
        "resolve": {"scale": {"color": "independent"}},
    }


def _by_level(scale: dict[str, Any]) -> dict[str, Any]:
    return {"field": "level", "type": "nominal", "scale": scale, "legend": None}
