"""Slopes: two rankings of one query side by side, with a line for each document in both."""

from typing import Any, Final

from service.pages.charts.drawing import BAD, GOOD, INK, QUIET, Chart
from service.pages.rankings import Hit, Ranked

MOST: Final = 20
"""Ranks of either list that are drawn."""
_BETWEEN: Final = 240
_STEP: Final = 26
_CHARACTERS: Final = 28
_WAYS: Final = {"rose": (GOOD, [1, 0]), "fell": (BAD, [6, 3]), "stayed": (QUIET, [1, 0])}


def plot_lists(before: Ranked, after: Ranked) -> Chart:
    """Plot two answers; a document keeps its first place in each."""
    labels = [*_label(before, "before"), *_label(after, "after")]
    tall = max((label["rank"] for label in labels), default=1)
    deep = max(len(before.hits), len(after.hits))
    cut = f" The first {MOST} of {deep} places." if deep > MOST else ""
    rows = _rows(before, after)
    return Chart(
        name="lists",
        title="What moved",
        about="Baseline at the left, candidate at the right; a line joins one document's places, "
        "solid where it rose or stayed, dashed where it fell, thick where it is relevant. "
        f"● relevant, ○ judged not relevant, ? not judged; then its grade.{cut}",
        spec={
            "data": {"values": []},
            "width": _BETWEEN,
            "height": _STEP * tall,
            "layer": [
                _lines(before, after, tall),
                _texts([row for row in labels if row["side"] == "before"], tall, left=True),
                _texts([row for row in labels if row["side"] == "after"], tall, left=False),
            ],
        },
        columns=("document", "grade", "baseline rank", "candidate rank", "rose by"),
        rows=rows,
    )


def _rows(before: Ranked, after: Ranked) -> tuple[tuple[str | int | None, ...], ...]:
    grades = {hit.id: hit.grade for hit in (*before.hits, *after.hits)}
    old, new = before.places, after.places
    rows = []
    for document, grade in grades.items():
        left, right = old.get(document), new.get(document)
        rise = None if left is None or right is None else left - right
        rows.append((document, grade, left, right, rise))
    return tuple(rows)


def _label(ranked: Ranked, side: str) -> list[dict[str, Any]]:
    return [
        {"side": side, "rank": hit.rank, "text": _tell(hit, left=side == "before")}
        for hit in ranked.hits[:MOST]
    ]


def _tell(hit: Hit, *, left: bool) -> str:
    name = hit.id if len(hit.id) <= _CHARACTERS else f"{hit.id[:_CHARACTERS]}…"
    mark = "?" if hit.grade is None else f"{'●' if hit.relevant else '○'}{hit.grade}"
    return f"{name} {mark}  {hit.rank}" if left else f"{hit.rank}  {mark} {name}"


def _lines(before: Ranked, after: Ranked, tall: int) -> dict[str, Any]:
    relevant = {hit.id for hit in (*before.hits, *after.hits) if hit.relevant}
    places = [
        (document in relevant, rank, after.places[document])
        for document, rank in before.places.items()
        if document in after.places and max(rank, after.places[document]) <= MOST
    ]
    values = [
        {"relevant": weighs, "left": left, "right": right, "way": _find_way(left - right)}
        for weighs, left, right in places
    ]
    ways = list(_WAYS)
    return {
        "data": {"values": values},
        "mark": {"type": "rule"},
        "encoding": {
            "x": {"value": 0},
            "x2": {"value": _BETWEEN},
            "y": _rank("left", tall),
            "y2": {"field": "right"},
            "size": {
                "field": "relevant",
                "type": "nominal",
                "scale": {"domain": [True, False], "range": [3, 1.2]},
                "legend": None,
            },
            "color": _by_way(ways, [_WAYS[way][0] for way in ways]),
            "strokeDash": _by_way(ways, [_WAYS[way][1] for way in ways]),
        },
    }


def _find_way(rise: int) -> str:
    if rise == 0:
        return "stayed"
    return "rose" if rise > 0 else "fell"


def _by_way(ways: list[str], chosen: list[Any]) -> dict[str, Any]:
    scale = {"domain": ways, "range": chosen}
    return {"field": "way", "type": "nominal", "scale": scale, "legend": None}


def _texts(values: list[dict[str, Any]], tall: int, *, left: bool) -> dict[str, Any]:
    return {
        "data": {"values": values},
        "mark": {"type": "text", "align": "right" if left else "left", "color": INK},
        "encoding": {
            "x": {"value": -8 if left else _BETWEEN + 8},
            "y": _rank("rank", tall),
            "text": {"field": "text"},
        },
    }


def _rank(field: str, tall: int) -> dict[str, Any]:
    scale = {"domain": [0.5, tall + 0.5], "reverse": True, "nice": False, "zero": False}
    return {"field": field, "type": "quantitative", "scale": scale, "axis": None}
