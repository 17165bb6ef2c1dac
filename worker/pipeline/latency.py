"""How long answers took: totals, their parts, and where slow ones are found."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from msgspec import UNSET
from numpy.typing import NDArray

from reteval.contract.latency import BOUNDS_MS, Histogram, Spread
from reteval.contract.limits import MAX_SLICES
from reteval.contract.outcomes import Outcome
from reteval.contract.results import Latency
from worker.pipeline.spool import Spool, Table
from worker.pipeline.stretches import Stretch

Values = NDArray[np.float64]
_PERCENTILES: Final = (50, 90, 95, 99)
_NONE: Final = "no request was answered at the first attempt"


class KindLatency:
    """Gathers the latency of every kind's answers at the first attempt, a number each."""

    def __init__(self) -> None:
        self._spool = Spool()
        self._kinds: dict[str, Table] = {}

    def read(self, stretch: Stretch) -> None:
        """Take the latencies of a stretch; clean requests have no kind."""
        found: dict[str, list[float | None]] = {}
        for request, outcome in stretch.rows():
            if request.kind and outcome.at_once:
                found.setdefault(request.kind, []).append(outcome.latency_ms)
        for kind, latencies in found.items():
            table = self._kinds.setdefault(kind, Table(self._spool, np.float64))
            table.append(_collect(latencies))

    def spreads(self) -> dict[str, Spread]:
        """Return the percentiles of each kind that has any."""
        spreads = ((kind, _spread_known(table.read())) for kind, table in self._kinds.items())
        return {kind: spread for kind, spread in spreads if spread is not None}


def summarise_latency(
    clean: Sequence[Outcome],
    slices: Sequence[Sequence[str]],
    kinds: KindLatency,
    *,
    concurrency: int,
) -> Latency:
    """Summarise the latency of requests that were answered at the first attempt.

    `clean` are the outcomes of the clean requests, `slices` the names of those that are scored,
    which come first; `kinds` has read the others. The first
    `concurrency` requests open the connections and meet cold caches, so they are left out where
    at least as many others remain.
    """
    warm_up = concurrency if len(clean) >= 2 * concurrency else 0
    warm = clean[warm_up:]
    totals = _collect(outcome.latency_ms for outcome in warm if outcome.at_once)
    if not len(totals):
        return Latency(
            n=0,
            p50=None,
            p90=None,
            p95=None,
            p99=None,
            mean=None,
            max=None,
            reason=_NONE,
            warm_up=warm_up,
        )
    spread = _spread(totals)
    return Latency(
        n=spread.n,
        p50=spread.p50,
        p90=spread.p90,
        p95=spread.p95,
        p99=spread.p99,
        mean=float(totals.mean()),
        max=float(totals.max()),
        reason=UNSET,
        warm_up=warm_up,
        connect=_spread_found(o.connect_ms for o in clean if o.at_once),
        first_byte=_spread_found(o.first_byte_ms for o in warm if o.at_once),
        took=_spread_found(o.took_ms for o in warm if o.at_once),
        histogram=_count_bins(totals),
        by_slice=_spread_slices(slices, clean, warm_up),
        by_kind=kinds.spreads(),
    )


def _collect(found: Iterable[float | None]) -> Values:
    return np.array([value for value in found if value is not None], dtype=np.float64)


def _spread(values: Values) -> Spread:
    p50, p90, p95, p99 = (float(value) for value in np.percentile(values, _PERCENTILES))
    return Spread(n=len(values), p50=p50, p90=p90, p95=p95, p99=p99)


def _spread_known(values: Values) -> Spread | None:
    return _spread(values) if len(values) else None


def _spread_found(found: Iterable[float | None]) -> Spread | None:
    return _spread_known(_collect(found))


def _count_bins(values: Values) -> Histogram:
    bins = np.bincount(np.searchsorted(BOUNDS_MS, values, side="left"), minlength=1)
    first, last = int(np.flatnonzero(bins)[0]), len(bins)
    bounds = BOUNDS_MS[first:last]
    counts = [int(count) for count in bins[first:last]]
    return Histogram(le_ms=bounds, counts=tuple(counts + [0] * (len(bounds) + 1 - len(counts))))


def _spread_slices(
    names: Sequence[Sequence[str]], outcomes: Sequence[Outcome], warm_up: int
) -> dict[str, Spread]:
    sizes = Counter(name for row in names for name in row)
    kept: dict[str, list[float | None]] = {name: [] for name, _ in sizes.most_common(MAX_SLICES)}
    for place, row in enumerate(names):
        if place < warm_up or not outcomes[place].at_once:
            continue
        for name in row:
            if name in kept:
                kept[name].append(outcomes[place].latency_ms)
    spreads = {name: _spread_found(found) for name, found in kept.items()}
    return {name: spread for name, spread in spreads.items() if spread is not None}
