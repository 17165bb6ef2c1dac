"""Distributions of values and latencies."""

import math
from typing import Any

from msgspec.structs import replace

from reteval.contract.latency import Histogram
from reteval.contract.results import Latency
from service.pages.charts import distributions
from service.pages.charts.drawing import draw_one
from tests.unit.reteval.documents import a_report


def latency(le_ms: tuple[float, ...], counts: tuple[int, ...], **changes: Any) -> Latency:
    """Return latencies in bins."""
    histogram = Histogram(le_ms=le_ms, counts=counts)
    return replace(a_report().latency_ms, histogram=histogram, **changes)


def test_every_defined_value_is_in_one_bin() -> None:
    """Bins hold all values but undefined ones; 1 is in the last bin, not behind it."""
    chart = distributions.spread_scores("mrr", [0.0, 0.0, 0.05, 0.999, 1.0, math.nan])
    counts = [row[2] for row in chart.rows]
    assert (counts[0], counts[1], counts[-1]) == (2, 1, 2)
    assert sum(count for count in counts if isinstance(count, int)) == 5
    assert "5 queries in bins of 0.05: 2 at exactly 0, 1 at 1." in chart.about
    assert "<svg" in draw_one(chart).svg


def test_latencies_keep_their_bins() -> None:
    """A bin begins where the one before ends; percentiles and failures are told beside them."""
    counts = replace(a_report().counts, failed_by_code={"timeout": 2})
    chart = distributions.spread_latencies(latency((5, 7), (2, 1, 0)), counts)
    assert chart is not None
    assert chart.rows == ((3, 5, 2), (5, 7, 1), ("failed: timeout", None, 2))
    assert "p50 1.0 ms (solid line), p95 3.0 ms (dashed), p99 4.0 ms (dotted)" in chart.about
    assert "in no bar: 2 timeout" in chart.about
    assert "milliseconds" in draw_one(chart).svg


def test_latencies_beyond_the_bounds_are_drawn() -> None:
    """What took less than the first bound or longer than the last one has a bar, too."""
    chart = distributions.spread_latencies(
        latency((0.1, 0.2), (1, 0, 4), p95=None), a_report().counts
    )
    assert chart is not None
    assert chart.rows == ((0.05, 0.1, 1), (0.1, 0.2, 0), (0.2, 0.4, 4))
    assert "p95" not in chart.about


def test_nothing_timed_is_not_drawn() -> None:
    """Without a histogram there is no chart."""
    assert distributions.spread_latencies(a_report().latency_ms, a_report().counts) is None
