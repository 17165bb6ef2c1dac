"""Forest plots: a difference and its interval a row, beside what would make no difference."""

import math
from collections.abc import Sequence
from typing import Any, Final

from msgspec import UNSET, Struct

from reteval.contract.adversarial import AdversarialReport, KindReport
from reteval.contract.comparisons import ComparisonReport
from reteval.contract.robustness import RobustnessComparison
from service.pages.charts.drawing import BAD, BAND, GOOD, INK, LINE, QUIET, WIDTH, Chart
from service.pages.formatting import score, words

_GLYPHS: Final = {
    "better": (GOOD, "triangle-up"),
    "worse": (BAD, "triangle-down"),
    "no_change": (QUIET, "square"),
    "inconclusive": (INK, "circle"),
}
"""The colour and the shape of each verdict."""
_STEP: Final = 26
MOST: Final = 60
"""Rows that are drawn; all are in the numbers beneath."""
_COLUMNS: Final = ("row", "mean", "low", "high", "n", "p (Holm)", "verdict")


class Row(Struct, frozen=True, kw_only=True):
    """A row of a forest; without a mean it is in the numbers alone."""

    name: str
    group: str = ""
    mean: float | None
    ci: tuple[float, float] | None
    n: int
    p: float | None
    verdict: str
    note: str = ""
    worst: float | None = None


def plot_metrics(report: ComparisonReport) -> Chart:
    """Plot what each metric came to, candidate minus baseline, beside the margin."""
    rows = [
        Row(
            name=name,
            mean=one.difference.mean,
            ci=one.difference.ci,
            n=one.n,
            p=one.significance.p_holm,
            verdict=one.verdict,
            note=f"{score(one.baseline)} → {score(one.candidate)}",
        )
        for name, one in report.metrics.items()
    ]
    return _plot(
        "differences",
        "Difference by metric",
        "Candidate minus baseline with 95 % intervals; right of 0 the candidate is better. The "
        f"band is the margin, ±{report.margin:g}: differences that do not matter.",
        rows,
        band=(-report.margin, report.margin),
        axis="candidate minus baseline",
    )


def plot_changes(found: RobustnessComparison) -> Chart:
    """Plot how much more each kind costs the candidate than the baseline."""
    rows = [
        Row(
            name=_name(one.kind, one.severity),
            mean=one.change.mean,
            ci=one.change.ci,
            n=one.needs,
            p=None if one.change.p_holm is UNSET else one.change.p_holm,
            verdict=one.verdict,
            note=f"drop {score(one.baseline_drop)} → {score(one.candidate_drop)}",
        )
        for one in found.kinds
    ]
    return _plot(
        "robustness-changes",
        "Robustness by kind",
        "How much more a kind costs the candidate than the baseline, with 95 % intervals; right "
        f"of 0 the candidate loses more. The band is the margin, ±{found.margin:g}.",
        rows,
        band=(-found.margin, found.margin),
        axis="drop of the candidate minus drop of the baseline",
    )


def plot_kinds(report: AdversarialReport) -> Chart:
    """Plot what each kind costs, by family, beside what asking the same again costs."""
    control = report.control.drop if report.control else None
    band = None if control is None or control.mean is None else control.ci or (control.mean,) * 2
    rows = [_row_of(kind) for kind in sort_kinds(report)]
    noise = (
        "No control was run."
        if band is None
        else f"The band is asking the same again: {score(band[0])} to {score(band[1])}."
    )
    return _plot(
        "kinds",
        "What each kind of change costs",
        f"Mean drop of {report.metric} (or what its row names) with 95 % intervals, by family; "
        f"right of 0 the changed queries score lower. A ring is the worst variant. {noise}",
        rows,
        band=band,
        axis="clean minus variant",
    )


def sort_kinds(report: AdversarialReport) -> list[KindReport]:
    """Return the kinds family by family, within each the costliest first."""
    families = list(dict.fromkeys(kind.family for kind in report.kinds))

    def order(kind: KindReport) -> tuple[int, float]:
        mean = kind.drop.mean
        return families.index(kind.family), math.inf if mean is None else -mean

    return sorted(report.kinds, key=order)


def _row_of(kind: KindReport) -> Row:
    worst = kind.worst_case.variant
    shown = "" if kind.labels == "preserving" else f", {kind.headline}"
    return Row(
        name=_name(kind.kind, kind.severity),
        group=kind.family,
        mean=kind.drop.mean,
        ci=kind.drop.ci,
        n=kind.needs,
        p=None if kind.drop.p_holm is UNSET else kind.drop.p_holm,
        verdict=kind.verdict,
        note=f"{score(kind.clean)} → {score(kind.variant)}, n = {kind.needs}{shown}",
        worst=None if worst is None or kind.clean is None else kind.clean - worst,
    )


def _name(kind: str, severity: int) -> str:
    return f"{kind} · {severity}"


def _plot(
    name: str,
    title: str,
    about: str,
    rows: Sequence[Row],
    *,
    band: tuple[float, float] | None,
    axis: str,
) -> Chart:
    drawn = [row for row in rows if row.mean is not None][:MOST]
    values = [_value(place, row) for place, row in enumerate(drawn)]
    left = len(rows) - len(drawn)
    return Chart(
        name=name,
        title=title,
        about=about + (f" {left} more are in the numbers alone." if left else ""),
        spec={
            "data": {"values": values},
            "width": WIDTH,
            "height": {"step": _STEP},
            "padding": {"left": _spare(values), "right": 24, "top": 5, "bottom": 5},
            "layer": [
                *_ground(band),
                *_marks(axis),
                *_worst(drawn),
            ],
        },
        columns=_COLUMNS,
        rows=tuple(
            (row.name, row.mean, *(row.ci or (None, None)), row.n, row.p, words(row.verdict))
            for row in rows
        ),
    )


def _value(place: int, row: Row) -> dict[str, Any]:
    low, high = row.ci or (row.mean, row.mean)
    return {
        "place": place,
        "name": row.name if row.name.startswith(row.group) else f"{row.group}: {row.name}",
        "mean": row.mean,
        "low": low,
        "high": high,
        "verdict": row.verdict,
        "note": row.note,
        "worst": row.worst,
    }


def _spare(values: Sequence[dict[str, Any]]) -> int:
    """Return pixels that names may need beyond what the renderer's own font takes."""
    return 10 + max((len(value["name"]) for value in values), default=0)


def _ground(band: tuple[float, float] | None) -> list[dict[str, Any]]:
    """What the rows stand before: the band, and the line of no difference."""
    zero = {
        "data": {"values": [{"zero": 0}]},
        "mark": {"type": "rule", "color": INK},
        "encoding": {"x": {"field": "zero", "type": "quantitative"}},
    }
    if band is None:
        return [zero]
    ends = {"low": band[0], "high": band[1]}
    drawn = {
        "data": {"values": [ends]},
        "mark": {"type": "rect", "color": BAND, "opacity": 0.6, "stroke": BAND},
        "encoding": {"x": {"field": "low", "type": "quantitative"}, "x2": {"field": "high"}},
    }
    return [drawn, zero]


def _marks(axis: str) -> list[dict[str, Any]]:
    y = {
        "field": "name",
        "type": "nominal",
        "sort": {"field": "place"},
        "axis": {"title": None, "grid": True, "gridColor": LINE, "labelLimit": 260},
    }
    x = {"type": "quantitative", "title": axis, "axis": {"grid": False, "format": "+.3~f"}}
    verdicts = list(_GLYPHS)
    colours = [_GLYPHS[verdict][0] for verdict in verdicts]
    shapes = [_GLYPHS[verdict][1] for verdict in verdicts]
    colour = {
        "field": "verdict",
        "type": "nominal",
        "scale": {"domain": verdicts, "range": colours},
        "legend": None,
    }
    shape = {**colour, "scale": {"domain": verdicts, "range": shapes}}
    return [
        {
            "mark": {"type": "rule", "strokeWidth": 2},
            "encoding": {
                "y": y,
                "x": {**x, "field": "low"},
                "x2": {"field": "high"},
                "color": colour,
            },
        },
        {
            "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1},
            "encoding": {"y": y, "x": {**x, "field": "mean"}, "color": colour, "shape": shape},
        },
        {
            "mark": {"type": "text", "align": "left", "fontSize": 11},
            "encoding": {"y": y, "x": {"value": WIDTH + 8}, "text": {"field": "note"}},
        },
    ]


def _worst(rows: Sequence[Row]) -> list[dict[str, Any]]:
    if all(row.worst is None for row in rows):
        return []
    return [
        {
            "transform": [{"filter": {"field": "worst", "valid": True}}],
            "mark": {"type": "point", "filled": False, "size": 60, "color": QUIET},
            "encoding": {
                "y": {"field": "name", "type": "nominal", "sort": {"field": "place"}},
                "x": {"field": "worst", "type": "quantitative"},
            },
        }
    ]
