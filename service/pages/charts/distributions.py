"""Distributions: how the queries of a run spread over the values of a metric, and over time."""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Final

from reteval.contract.latency import BOUNDS_MS
from reteval.contract.results import Counts, Latency
from service.pages.charts.drawing import BAND, INK, MAIN, Chart
from service.pages.formatting import milliseconds

_WIDTH: Final = 440
_HEIGHT: Final = 220
BINS: Final = 20
"""Bins of a metric's values, all of which lie between 0 and 1."""
_DASHES: Final = {"p50": [1, 0], "p95": [6, 3], "p99": [2, 2]}
_WORDS: Final = {"p50": "solid line", "p95": "dashed", "p99": "dotted"}
"""Percentiles are told apart by how their lines are dashed."""
_TICKS: Final = tuple(step * 10**power for power in range(-1, 5) for step in (1, 3))


def spread_scores(metric: str, values: Iterable[float]) -> Chart:
    """Draw how many queries have which value of a metric; undefined ones are not among them."""
    defined = [value for value in values if not math.isnan(value)]
    counts = [0] * BINS
    for value in defined:
        counts[min(BINS - 1, int(value * BINS))] += 1
    bins = [
        {"from": start / BINS, "to": (start + 1) / BINS, "queries": count}
        for start, count in enumerate(counts)
    ]
    zeros, ones = defined.count(0.0), defined.count(1.0)
    return Chart(
        name="scores",
        title=f"Queries by {metric}",
        about=f"{len(defined)} queries in bins of {1 / BINS:g}: {zeros} at exactly 0, {ones} at 1.",
        spec={
            "width": _WIDTH,
            "height": _HEIGHT,
            "data": {"values": bins},
            **_bars(_across(metric, {"domain": [0, 1]}), "queries"),
        },
        columns=("from", "to", "queries"),
        rows=tuple((one["from"], one["to"], one["queries"]) for one in bins),
    )


def spread_latencies(latency: Latency, counts: Counts) -> Chart | None:
    """Draw how long answers took; None where none was timed."""
    if latency.histogram is None:
        return None
    bins = _read_bins(latency.histogram.le_ms, latency.histogram.counts)
    marks = [
        {"name": name, "ms": value}
        for name in _DASHES
        if (value := getattr(latency, name)) is not None
    ]
    failed = sorted(counts.failed_by_code.items())
    missing = ", ".join(f"{count} {code}" for code, count in failed) or "none"
    shown = ", ".join(
        f"{one['name']} {milliseconds(one['ms'])} ({_WORDS[one['name']]})" for one in marks
    )
    return Chart(
        name="latency",
        title="Requests by latency",
        about=f"{latency.n} answers at the first attempt: {shown}. "
        f"Without an answer, and in no bar: {missing}.",
        spec=_write_latency(bins, marks),
        columns=("over ms", "to ms", "requests"),
        rows=(
            *((one["from"], one["to"], one["requests"]) for one in bins),
            *((f"failed: {code}", None, count) for code, count in failed),
        ),
    )


def _read_bins(bounds: Sequence[float], counts: Sequence[int]) -> list[dict[str, Any]]:
    first = BOUNDS_MS.index(bounds[0]) if bounds[0] in BOUNDS_MS else 0
    lowest = BOUNDS_MS[first - 1] if first else bounds[0] / 2
    edges = (lowest, *bounds, bounds[-1] * 2)
    bins = [
        {"from": low, "to": high, "requests": count}
        for (low, high), count in zip(pairwise(edges), counts, strict=True)
    ]
    return bins if counts[-1] else bins[:-1]


def _write_latency(bins: list[dict[str, Any]], marks: list[dict[str, Any]]) -> dict[str, Any]:
    scale = {"type": "log", "domain": [bins[0]["from"], bins[-1]["to"]], "nice": False}
    x = {"field": "ms", "type": "quantitative", "scale": scale}
    dash = {"domain": list(_DASHES), "range": list(_DASHES.values())}
    named = {"field": "name", "type": "nominal"}
    return {
        "width": _WIDTH,
        "height": _HEIGHT,
        "layer": [
            {
                "data": {"values": bins},
                **_bars(_across("milliseconds, log scale", scale, values=_TICKS), "requests"),
            },
            {
                "data": {"values": marks},
                "mark": {"type": "rule", "color": INK, "strokeWidth": 1.5},
                "encoding": {"x": x, "strokeDash": {**named, "scale": dash, "legend": None}},
            },
        ],
    }


def _across(title: str, scale: dict[str, Any], **ticks: Any) -> dict[str, Any]:
    axis = {"grid": False, "tickCount": 6, **ticks}
    return {"field": "from", "type": "quantitative", "title": title, "scale": scale, "axis": axis}


def _bars(x: dict[str, Any], count: str) -> dict[str, Any]:
    return {
        "mark": {"type": "rect", "color": BAND, "stroke": MAIN, "strokeWidth": 1},
        "encoding": {
            "x": x,
            "x2": {"field": "to"},
            "y": {"field": count, "type": "quantitative", "axis": {"tickMinStep": 1}},
            "y2": {"datum": 0},
        },
    }
