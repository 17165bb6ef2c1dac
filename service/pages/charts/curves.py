"""Curves: what a metric becomes as more of each answer counts."""

from collections.abc import Mapping
from typing import Any, Final

from reteval.contract.metrics import parse_metric
from reteval.contract.results import MetricSummary
from service.pages.charts.drawing import BAND, MAIN, Chart

_WIDTH: Final = 440
_HEIGHT: Final = 220


def trace(family: str, metrics: Mapping[str, MetricSummary]) -> Chart | None:
    """Draw the means of a family over its cut-offs; None where there are fewer than two."""
    points = _read_points(family, metrics)
    if len(points) < 2:  # noqa: PLR2004 - one is no curve
        return None
    return Chart(
        name=f"curve-{family}",
        title=f"{family} by cut-off",
        about=f"Mean {family}@k over the k that were measured; the band is each mean's interval.",
        spec=_write_spec(family, points),
        columns=("k", "mean", "low", "high", "n"),
        rows=tuple((p["k"], p["mean"], p["low"], p["high"], p["n"]) for p in points),
    )


def _read_points(family: str, metrics: Mapping[str, MetricSummary]) -> list[dict[str, Any]]:
    points = []
    for name, summary in metrics.items():
        metric = parse_metric(name)
        if metric.name != family or metric.k is None or metric.rel or summary.mean is None:
            continue
        low, high = summary.ci or (None, None)
        points.append(
            {"k": metric.k, "mean": summary.mean, "low": low, "high": high, "n": summary.n}
        )
    return sorted(points, key=lambda point: point["k"])


def _write_spec(family: str, points: list[dict[str, Any]]) -> dict[str, Any]:
    ticks = [point["k"] for point in points]
    x = {
        "field": "k",
        "type": "quantitative",
        "scale": {"domain": [0, ticks[-1]]},
        "axis": {"values": ticks, "grid": False},
    }
    y = {"type": "quantitative", "scale": {"domain": [0, 1]}}
    return {
        "width": _WIDTH,
        "height": _HEIGHT,
        "data": {"values": points},
        "encoding": {"x": x},
        "layer": [
            {
                "transform": [{"filter": "datum.low !== null"}],
                "mark": {"type": "area", "color": BAND, "opacity": 0.6},
                "encoding": {
                    "y": {"field": "low", "title": f"{family}@k", **y},
                    "y2": {"field": "high"},
                },
            },
            {
                "mark": {"type": "line", "color": MAIN, "point": {"color": MAIN, "size": 50}},
                "encoding": {"y": {"field": "mean", **y}},
            },
        ],
    }
