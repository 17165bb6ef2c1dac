"""How a metric went from run to run, apart for each test-set version and endpoint."""

from typing import Final

from msgspec import UNSET, Struct, UnsetType

MAX_TREND: Final = 1_000
DEFAULT_TREND: Final = 100


class TrendPoint(Struct, frozen=True, kw_only=True):
    """One ended run. Where `mean` is null, `reason` says why.

    `n` queries are in the mean; `depth` is how many hits were asked for.
    """

    run: str
    label: str
    timestamp: str
    status: str
    mean: float | None
    ci: tuple[float, float] | None
    n: int
    depth: int
    reason: str | UnsetType = UNSET


class TrendSeries(Struct, frozen=True, kw_only=True):
    """Runs that may be joined by a line, oldest first: what was asked and of whom is the same.

    `endpoint` is the URL without secrets, `relevant_from` the threshold of relevance, `split` what
    the runs were over; empty: all queries.
    """

    test_set: str
    version: int
    endpoint: str
    relevant_from: int
    points: tuple[TrendPoint, ...]
    split: str = ""


class Trend(Struct, frozen=True, kw_only=True):
    """The history of one metric. `metric` is null where no run has measured any."""

    name: str
    metric: str | None
    series: tuple[TrendSeries, ...]
