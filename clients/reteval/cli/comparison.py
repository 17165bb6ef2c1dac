"""A comparison as text for people. Rounds; the JSON document holds the numbers themselves."""

from typing import Final

from reteval.cli.tables import NOTHING, interval, number, table
from reteval.contract.comparisons import ComparisonReport, MetricComparison, Side

METRIC_HEAD: Final = (
    "metric",
    "baseline",
    "candidate",
    "difference",
    "interval",
    "p (Holm)",
    "win/tie/loss",
    "n",
    "verdict",
)
SLICE_HEAD: Final = ("slice", "baseline", "candidate", "difference", "interval", "n")
MOVERS_SHOWN: Final = 10


def comparison_lines(report: ComparisonReport) -> list[str]:
    """Return the whole comparison: the verdict first, then what it rests on."""
    primary = report.metrics[report.primary]
    return [
        f"{report.verdict.value.replace('_', ' ')} ({report.primary}): {report.sentence}",
        _side("baseline", report.baseline),
        _side("candidate", report.candidate),
        *[f"warning   {warning}" for warning in report.warnings],
        "",
        *table(METRIC_HEAD, [metric_row(*one) for one in report.metrics.items()]),
        *_slices(report),
        *_movers(report),
        "",
        f"rankings  {_overlap(report)}",
        f"power     {primary.power.sentence}",
    ]


def _side(name: str, side: Side) -> str:
    label = f" {side.label}" if side.label else ""
    pinned = side.test_set
    return f"{name:<9} {side.run}{label}, {pinned.name} version {pinned.version}"


def metric_row(name: str, compared: MetricComparison) -> tuple[str, ...]:
    """Return a metric's cells, in the columns of `METRIC_HEAD`."""
    difference = compared.difference
    return (
        name,
        number(compared.baseline),
        number(compared.candidate),
        _signed(difference.mean),
        interval(difference.ci, difference.level),
        number(compared.significance.p_holm),
        f"{compared.wins}/{compared.ties}/{compared.losses}",
        str(compared.n),
        compared.verdict.value,
    )


def _slices(report: ComparisonReport) -> list[str]:
    if not report.slices:
        return []
    rows = [
        (
            name,
            number(part.baseline),
            number(part.candidate),
            _signed(part.difference.mean),
            interval(part.difference.ci, part.difference.level),
            str(part.n),
        )
        for name, part in report.slices.items()
    ]
    return ["", *table(SLICE_HEAD, rows)]


def _movers(report: ComparisonReport) -> list[str]:
    if not report.movers:
        return []
    rows = [
        (one.query_id, _signed(one.difference), number(one.baseline), number(one.candidate), text)
        for one in report.movers[:MOVERS_SHOWN]
        for text in (" ".join(one.query.split()),)
    ]
    head = ("moved most", "difference", "baseline", "candidate", "query")
    return ["", *table(head, rows, prose=("query",))]


def _overlap(report: ComparisonReport) -> str:
    overlap = report.overlap
    return (
        f"RBO {number(overlap.rbo)}, Jaccard@{overlap.k} {number(overlap.jaccard)}, "
        f"identical {number(overlap.identical)}, over {overlap.n} queries"
    )


def _signed(value: float | None) -> str:
    return NOTHING if value is None else f"{value:+.3f}"
