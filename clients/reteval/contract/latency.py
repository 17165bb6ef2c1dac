"""Parts of the latency block of a report."""

from typing import Final

from msgspec import Struct

BOUNDS_MS: Final = tuple(
    round(step * 10**power, 1) for power in range(-1, 5) for step in (1, 1.5, 2, 3, 5, 7)
)
"""Upper bounds of the histogram's bins: six a decade from 0.1 ms to 70 s, the same in every run."""


class Spread(Struct, frozen=True, kw_only=True):
    """Percentiles in milliseconds over `n` requests; linear between neighbours."""

    n: int
    p50: float
    p90: float
    p95: float
    p99: float


class Histogram(Struct, frozen=True, kw_only=True):
    """Requests by latency: `counts[i]` took at most `le_ms[i]` and more than the bound before.

    One more count than bounds: the last one is what took longer. Bins before the first and
    behind the last that holds any are left out.
    """

    le_ms: tuple[float, ...]
    counts: tuple[int, ...]
