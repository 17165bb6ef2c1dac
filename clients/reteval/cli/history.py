"""A trend as text for people. Rounds; the JSON document holds the numbers themselves."""

from msgspec import UNSET

from reteval.cli.tables import interval, number, table
from reteval.contract.history import Trend, TrendPoint, TrendSeries

_HEAD = ("time", "label", "mean", "interval", "n", "run", "status")
_TO_SECONDS = 19
"""Characters of a timestamp without its fractions."""


def render_trend(trend: Trend) -> str:
    """Return a block a series, ending in a newline; series are not to be compared."""
    if not trend.series:
        return f"{trend.name}: no run has ended\n"
    title = [f"{trend.metric or 'no metric'} over the runs of {trend.name}"]
    blocks = [title, *map(_series_lines, trend.series)]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _series_lines(series: TrendSeries) -> list[str]:
    title = (
        f"version {series.version} ({series.test_set}), relevant from {series.relevant_from}, "
        f"{series.endpoint}" + (f", split {series.split}" if series.split else "")
    )
    rows = [_cells(point) for point in series.points]
    return [title, *table(_HEAD, rows, prose=("label", "run", "status"))]


def _cells(point: TrendPoint) -> tuple[str, ...]:
    reason = "" if point.reason is UNSET else f": {point.reason}"
    return (
        point.timestamp[:_TO_SECONDS],
        point.label,
        number(point.mean),
        interval(point.ci),
        str(point.n),
        point.run,
        f"{point.status}{reason}",
    )
