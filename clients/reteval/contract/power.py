"""How many queries it takes to see a difference, and what difference so many can show."""

from typing import Annotated, Final

from msgspec import UNSET, Meta, Struct, UnsetType

from reteval.contract import limits
from reteval.contract.comparisons import RunId

Effect = Annotated[float, Meta(gt=0, le=1)]
MAX_PLANNED: Final = 1_000_000


class PowerRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST /v1/power`: `sigma`, or two runs over one test set to take it from.

    `sigma` is the standard deviation of paired per-query differences, in metric points.
    `metric` (of runs) defaults to the first of ndcg@10, mrr and the rest that both have; `n`
    to the queries both answered, or 50; `delta` is the difference to be seen.
    """

    metric: Annotated[str, Meta(min_length=1, max_length=64)] | None = None
    sigma: Annotated[float, Meta(gt=0, le=2)] | None = None
    runs: tuple[RunId, RunId] | None = None
    delta: Effect = 0.05
    n: Annotated[int, Meta(ge=2, le=limits.MAX_QUERIES)] | None = None
    alpha: Annotated[float, Meta(ge=1e-6, lt=0.5)] = 0.05
    power: Annotated[float, Meta(ge=0.5, le=0.999)] = 0.8


class DetectablePoint(Struct, frozen=True, kw_only=True):
    """The least difference seen with `n` queries; null where they are too few for any."""

    n: int
    detectable: float | None


class PowerAnswer(Struct, frozen=True, kw_only=True):
    """What a test set can show. Two-sided at `alpha`; differences in metric points.

    `needed` queries see `delta`, `n` queries see `detectable` and have power `achieved` for
    `delta`. `pairs` is how many queries `sigma` was measured on; null when it was given.
    Where a number is null, `reason` says why.
    """

    sigma: float
    metric: str | None
    pairs: int | None
    alpha: float
    power: float
    delta: float
    needed: int | None
    n: int
    detectable: float | None
    achieved: float | None
    curve: tuple[DetectablePoint, ...]
    sentence: str
    method: str
    reason: str | UnsetType = UNSET
