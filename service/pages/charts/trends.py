"""Trends: a metric from run to run, broken wherever numbers stop being comparable."""

from collections.abc import Iterator
from typing import Any, Final

from reteval.contract.history import Trend, TrendPoint, TrendSeries
from service.pages.charts.drawing import INK, LINE, MAIN, QUIET, WIDTH, Chart

MOST: Final = 200
"""Runs that are drawn, the newest."""
MOST_LABELS: Final = 24
"""Labels that are marked, the newest."""
_HEIGHT: Final = 240
_CHARACTERS: Final = 24
_SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")


def plot_trend(trend: Trend) -> Chart:
    """Plot the means of a trend with their intervals, a panel for each endpoint."""
    points = sorted(
        (
            (point.timestamp, series, point)
            for series in trend.series
            for point in series.points
            if point.mean is not None
        ),
        key=lambda row: row[0],
    )
    drawn = points[-MOST:]
    values = list(_values([(series, point) for _, series, point in drawn]))
    _mark_labels(values)
    cut = "" if len(drawn) == len(points) else f" The newest {MOST} of {len(points)} runs."
    return Chart(
        name="trend",
        title=f"{trend.metric} of {trend.name}",
        about="Means with 95 % intervals, a panel for each endpoint. A line joins runs that may be "
        "compared; a dashed line marks where another version, split or threshold begins. Thin "
        f"lines mark where the label changes.{cut}",
        spec=_spec(values, [name_series(one) for one in trend.series]),
        columns=("when", "endpoint", "series", "label", "run", "mean", "low", "high", "n"),
        rows=tuple(
            (
                point.timestamp,
                series.endpoint,
                name_series(series),
                point.label,
                point.run,
                point.mean,
                *(point.ci or (None, None)),
                point.n,
            )
            for _, series, point in points
        ),
    )


def name_series(series: TrendSeries) -> str:
    """Name what the runs of a series have in common, but for the endpoint."""
    split = f", split {series.split}" if series.split else ""
    return f"v{series.version}{split}, relevant from {series.relevant_from}"


def _values(points: list[tuple[TrendSeries, TrendPoint]]) -> Iterator[dict[str, Any]]:
    begun: dict[str, set[str]] = {}
    labels: dict[tuple[str, str], str] = {}
    for series, point in points:
        name = name_series(series)
        known = begun.setdefault(series.endpoint, set())
        breaks = bool(known) and name not in known
        known.add(name)
        before = labels.get((series.endpoint, name))
        labels[series.endpoint, name] = point.label
        low, high = point.ci or (point.mean, point.mean)
        yield {
            "when": point.timestamp,
            "endpoint": series.endpoint or "rankings made elsewhere",
            "series": name,
            "mean": point.mean,
            "low": low,
            "high": high,
            "breaks": breaks,
            "labelled": bool(point.label) and point.label != before,
            "label": point.label[:_CHARACTERS],
        }


def _mark_labels(values: list[dict[str, Any]]) -> None:
    """Leave the newest marks; more would hide what they mark."""
    marked = [value for value in values if value["labelled"]]
    for value in marked[:-MOST_LABELS]:
        value["labelled"] = False


def _spec(values: list[dict[str, Any]], names: list[str]) -> dict[str, Any]:
    names = list(dict.fromkeys(names))
    shapes = [_SHAPES[place % len(_SHAPES)] for place in range(len(names))]
    legend = {
        "title": None,
        "orient": "top",
        "columns": 2,
        "columnPadding": 32,
        "symbolFillColor": MAIN,
        "symbolStrokeColor": MAIN,
    }
    shape = {
        "field": "series",
        "type": "nominal",
        "scale": {"domain": names, "range": shapes},
        "legend": legend if len(names) > 1 else None,
    }
    x = {
        "field": "when",
        "type": "temporal",
        "scale": {"type": "utc"},
        "title": "ended, UTC",
        "axis": {"grid": False},
    }
    y = {
        "field": "mean",
        "type": "quantitative",
        "title": None,
        "scale": {"zero": False},
        "axis": {"gridColor": LINE},
    }
    series = {"detail": {"field": "series", "type": "nominal"}}
    whisker = {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}}
    header = {"title": None, "labelAngle": 0, "labelOrient": "top", "labelAnchor": "start"}
    return {
        "data": {"values": values},
        "facet": {"row": {"field": "endpoint", "type": "nominal", "sort": None, "header": header}},
        "spec": {
            "width": WIDTH,
            "height": _HEIGHT,
            "layer": [
                *_vertical("labelled", "label", x, {"color": LINE}, top=True),
                *_vertical("breaks", "series", x, {"color": INK, "strokeDash": [5, 4]}, top=False),
                {"mark": {"type": "rule", "color": QUIET}, "encoding": whisker},
                {"mark": {"type": "line", "color": MAIN}, "encoding": {"x": x, "y": y, **series}},
                {
                    "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
                    "encoding": {"x": x, "y": y, "shape": shape, "color": {"value": MAIN}},
                },
            ],
        },
    }


def _vertical(
    where: str, told: str, x: dict[str, Any], mark: dict[str, Any], *, top: bool
) -> list[dict[str, Any]]:
    """Draw a line over the whole height, and what it marks, where a field is true."""
    there = [{"filter": {"field": where, "equal": True}}]
    side = {"align": "right" if top else "left", "angle": 270, "dy": -6, "fontSize": 11}
    y = {"value": 2 if top else _HEIGHT - 2}
    return [
        {"transform": there, "mark": {"type": "rule", **mark}, "encoding": {"x": x}},
        {
            "transform": there,
            "mark": {"type": "text", "color": QUIET, **side},
            "encoding": {"x": x, "y": y, "text": {"field": told, "type": "nominal"}},
        },
    ]
