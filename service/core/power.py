"""How many queries a paired comparison needs, and what so many can show.

The sample size of the two-sided paired t-test by the normal approximation with its small-sample
term: n = ((z[1-alpha/2] + z[power]) sigma / delta)^2 + z[1-alpha/2]^2 / 2 (Guenther 1981; within
one query of the noncentral t). The other figures solve the same equation.
"""

from collections.abc import Mapping, Sequence
from math import ceil, inf, isnan, sqrt
from statistics import NormalDist, stdev
from typing import Final

from msgspec import UNSET, Struct

from reteval.contract.metrics import UnknownMetricError, parse_metric
from reteval.contract.power import MAX_PLANNED, DetectablePoint, PowerAnswer, PowerRequest
from reteval.contract.problems import ProblemItem
from service.core.backend import Backend
from service.errors import InvalidError, NotComparableError, NotTerminalError

CURVE: Final = (20, 30, 50, 75, 100, 150, 200, 300, 500, 1_000)
DEFAULT_N: Final = 50
METHOD: Final = (
    "two-sided paired t-test, normal approximation: "
    "n = ((z[1-alpha/2] + z[power]) * sigma / delta)^2 + z[1-alpha/2]^2 / 2, rounded up"
)
_PREFERRED: Final = ("ndcg@10", "mrr")
_MIN_PAIRS: Final = 2
_NORMAL: Final = NormalDist()

Column = Sequence[float]


class Spread(Struct, frozen=True, kw_only=True):
    """The standard deviation of paired differences, and where it is from."""

    sigma: float
    metric: str | None = None
    pairs: int | None = None


async def answer_power(backend: Backend, request: PowerRequest) -> PowerAnswer:
    """Answer from the sigma given, or from the differences of two runs.

    Raises:
        InvalidError: neither or both, or a metric that the runs do not have.
        NotFoundError, NotTerminalError: a run that is not there or has not ended.
        NotComparableError: runs of different test sets, or with too few answers in common.
    """
    if (request.sigma is None) == (request.runs is None):
        raise _invalid("/sigma", "give either `sigma` or `runs`", "Send one of them.")
    if request.sigma is not None:
        return plan(request, Spread(sigma=request.sigma, metric=request.metric))
    return plan(request, await _measure(backend, request))


def plan(request: PowerRequest, spread: Spread) -> PowerAnswer:
    """Answer every question about one spread."""
    n = request.n or spread.pairs or DEFAULT_N
    sigma, alpha, power = spread.sigma, request.alpha, request.power
    needed = needed_queries(sigma, request.delta, alpha=alpha, power=power)
    detectable = detectable_difference(sigma, n, alpha=alpha, power=power)
    varied = sigma > 0
    reason = "" if varied else "no_variation"
    if varied and (needed > MAX_PLANNED or detectable is None):
        reason = "out_of_range"
    curve = [
        DetectablePoint(
            n=size, detectable=detectable_difference(sigma, size, alpha=alpha, power=power)
        )
        for size in sorted({*CURVE, n})
        if varied
    ]
    return PowerAnswer(
        sigma=sigma,
        metric=spread.metric,
        pairs=spread.pairs,
        alpha=alpha,
        power=power,
        delta=request.delta,
        needed=int(needed) if varied and needed <= MAX_PLANNED else None,
        n=n,
        detectable=detectable if varied else None,
        achieved=achieved_power(sigma, n, request.delta, alpha=alpha) if varied else None,
        curve=tuple(curve),
        sentence=_say(request, n, needed, detectable) if varied else _SAME,
        method=METHOD,
        reason=reason or UNSET,
    )


def needed_queries(sigma: float, delta: float, *, alpha: float, power: float) -> float:
    """Return how many queries see a difference of `delta` with this power; whole, or inf."""
    size = (_reach(alpha, power) * sigma / delta) ** 2 + _tail(alpha) ** 2 / 2
    return inf if size > MAX_PLANNED else max(_MIN_PAIRS, ceil(size - 1e-9))


def detectable_difference(sigma: float, n: int, *, alpha: float, power: float) -> float | None:
    """Return the least difference that `n` queries see; None where they are too few."""
    room = n - _tail(alpha) ** 2 / 2
    return _reach(alpha, power) * sigma / sqrt(room) if room > 0 else None


def achieved_power(sigma: float, n: int, delta: float, *, alpha: float) -> float | None:
    """Return the probability that `n` queries show a difference of `delta` as significant."""
    z = _tail(alpha)
    room = n - z * z / 2
    if room <= 0:
        return None
    shift = delta / sigma * sqrt(room)
    return _NORMAL.cdf(shift - z) + _NORMAL.cdf(-shift - z)


def spread_of(first: Column, second: Column) -> Spread | None:
    """Return the spread of differences where both have a value; None of fewer than two."""
    differences = [b - a for a, b in zip(first, second, strict=True) if not isnan(b - a)]
    if len(differences) < _MIN_PAIRS:
        return None
    same = max(differences) - min(differences) <= 1e-12  # noqa: PLR2004 - float noise
    return Spread(sigma=0.0 if same else stdev(differences), pairs=len(differences))


async def _measure(backend: Backend, request: PowerRequest) -> Spread:
    first, second = request.runs or ("", "")
    hashes = [await _hash_of(backend, run_id) for run_id in (first, second)]
    if hashes[0] != hashes[1]:
        raise NotComparableError(
            f"The runs {first!r} and {second!r} are of different test sets; name two of the same."
        )
    outcomes = backend.store.outcomes
    columns = await outcomes.columns(backend.tenant, first)
    others = await outcomes.columns(backend.tenant, second)
    metric = _choose_metric(request.metric, columns, others)
    spread = spread_of(columns[metric], others[metric])
    if spread is None:
        raise NotComparableError(
            f"The runs have fewer than {_MIN_PAIRS} queries with {metric!r} in common."
        )
    return Spread(sigma=spread.sigma, metric=metric, pairs=spread.pairs)


async def _hash_of(backend: Backend, run_id: str) -> str:
    record = await backend.store.runs.get(backend.tenant, run_id)
    if not record.status.terminal:
        raise NotTerminalError(
            f"Run {run_id!r} is {record.status}; wait with GET /v1/runs/{run_id}?wait=20."
        )
    return record.spec.test_set.hash


def _choose_metric(
    asked: str | None, columns: Mapping[str, Column], others: Mapping[str, Column]
) -> str:
    shared = [name for name in columns if name in others]
    if asked is None:
        preferred = [name for name in _PREFERRED if name in shared] + shared
        if not preferred:
            raise NotComparableError("The runs have no metric in common.")
        return preferred[0]
    try:
        metric = str(parse_metric(asked))
    except UnknownMetricError as exc:
        raise _invalid("/metric", str(exc), "GET /v1/metrics lists the metrics.") from exc
    if metric not in shared:
        has = ", ".join(shared) or "none"
        raise _invalid("/metric", f"not both runs have {metric!r}", f"Both have: {has}.")
    return metric


def _say(request: PowerRequest, n: int, needed: float, detectable: float | None) -> str:
    seen = "nothing" if detectable is None else f"±{detectable:.3f}"
    wanted = f"{needed:,.0f}" if needed <= MAX_PLANNED else f"more than {MAX_PLANNED:,}"
    return f"With {n:,} queries you can see {seen}; for ±{request.delta:g} you need {wanted}."


_SAME: Final = "The runs agree on every query, so their spread says nothing about other changes."


def _tail(alpha: float) -> float:
    return _NORMAL.inv_cdf(1 - alpha / 2)


def _reach(alpha: float, power: float) -> float:
    return _tail(alpha) + _NORMAL.inv_cdf(power)


def _invalid(pointer: str, message: str, fix: str) -> InvalidError:
    item = ProblemItem(pointer=pointer, message=message, fix=fix)
    return InvalidError("The request breaks a rule.", errors=[item])
