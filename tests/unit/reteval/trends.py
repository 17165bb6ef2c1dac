"""The history of a metric as the service answers it."""

from typing import Any

import msgspec

from reteval.contract.history import Trend, TrendPoint, TrendSeries


def a_trend(**changes: Any) -> Trend:
    """Return the history of a metric: a run that worked and one that failed."""
    good = TrendPoint(
        run="run_1",
        label="baseline",
        timestamp="2026-01-01T00:00:00.123+00:00",
        status="completed",
        mean=0.81,
        ci=(0.74, 0.88),
        n=49,
        depth=10,
    )
    bad = msgspec.structs.replace(
        good, run="run_2", label="", status="failed", mean=None, ci=None, n=0, reason="no_answers"
    )
    series = TrendSeries(
        test_set="ts_1",
        version=2,
        endpoint="http://search.example/query",
        relevant_from=1,
        points=(good, bad),
    )
    return msgspec.structs.replace(Trend(name="docs", metric="mrr", series=(series,)), **changes)
