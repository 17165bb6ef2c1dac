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
from worker.pipeline.plan import Plan
from worker.pipeline.scoring import slice_names

Values = NDArray[np.float64]
_PERCENTILES: Final = (50, 90, 95, 99)
_NONE: Final = "no request was answered at the first attempt"


def summarise_latency(plan: Plan, outcomes: Sequence[Outcome], *, concurrency: int) -> Latency:
    """Summarise the latency of requests that were answered at the first attempt.

    `outcomes` are parallel to the plan. The first `concurrency` requests open the connections
    and meet cold caches, so they are left out where at least as many others remain.
    """
    clean = outcomes[: plan.clean]
    warm_up = concurrency if plan.clean >= 2 * concurrency else 0
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
        connect=_spread_known(o.connect_ms for o in clean if o.at_once),
        first_byte=_spread_known(o.first_byte_ms for o in warm if o.at_once),
        took=_spread_known(o.took_ms for o in warm if o.at_once),
        histogram=_count_bins(totals),
        by_slice=_spread_slices(plan, outcomes, warm_up),
        by_kind=_spread_kinds(plan, outcomes),
    )


def _collect(found: Iterable[float | None]) -> Values:
    return np.array([value for value in found if value is not None], dtype=np.float64)


def _spread(values: Values) -> Spread:
    p50, p90, p95, p99 = (float(value) for value in np.percentile(values, _PERCENTILES))
    return Spread(n=len(values), p50=p50, p90=p90, p95=p95, p99=p99)


def _spread_known(found: Iterable[float | None]) -> Spread | None:
    values = _collect(found)
    return _spread(values) if len(values) else None


def _count_bins(values: Values) -> Histogram:
    bins = np.bincount(np.searchsorted(BOUNDS_MS, values, side="left"), minlength=1)
    first, last = int(np.flatnonzero(bins)[0]), len(bins)
    bounds = BOUNDS_MS[first:last]
    counts = [int(count) for count in bins[first:last]]
    return Histogram(le_ms=bounds, counts=tuple(counts + [0] * (len(bounds) + 1 - len(counts))))


def _spread_slices(plan: Plan, outcomes: Sequence[Outcome], warm_up: int) -> dict[str, Spread]:
    names = [slice_names(query) for query in plan.scorable]
    sizes = Counter(name for row in names for name in row)
    kept: dict[str, list[float | None]] = {name: [] for name, _ in sizes.most_common(MAX_SLICES)}
    for place, row in enumerate(names):
        if place < warm_up or not outcomes[place].at_once:
            continue
        for name in row:
            if name in kept:
                kept[name].append(outcomes[place].latency_ms)
    return _spread_groups(kept)


def _spread_kinds(plan: Plan, outcomes: Sequence[Outcome]) -> dict[str, Spread]:
    kinds: dict[str, list[float | None]] = {}
    for request, outcome in zip(plan.requests[plan.clean :], outcomes[plan.clean :], strict=True):
        if outcome.at_once:
            kinds.setdefault(request.kind, []).append(outcome.latency_ms)
    return _spread_groups(kinds)


def _spread_groups(groups: dict[str, list[float | None]]) -> dict[str, Spread]:
    spreads = {name: _spread_known(found) for name, found in groups.items()}
    return {name: spread for name, spread in spreads.items() if spread is not None}
