"""Figures with what is known about how sure they are."""

from msgspec import UNSET

from reteval.contract.agreement import Estimate
from worker.metrics.intervals import Interval


def bounded(value: float, interval: Interval) -> Estimate:
    """Return a figure with its interval, or with the reason why there is none."""
    return Estimate(
        value=float(value),
        ci=interval.ci,
        level=interval.level,
        method=interval.method,
        reason=interval.reason or UNSET,
    )


def unbounded(value: float | None, reason: str, *, level: float) -> Estimate:
    """Return a figure without an interval; None where it is not even a figure."""
    return Estimate(value=value, ci=None, level=level, method="none", reason=reason)
