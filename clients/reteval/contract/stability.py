"""What a run that asked everything several times found out about the endpoint's own noise."""

from msgspec import UNSET, Struct, UnsetType


class MetricSpread(Struct, frozen=True, kw_only=True):
    """A metric's mean in each round, and the standard deviation of these means (n - 1)."""

    means: tuple[float, ...]
    sd: float


class Stability(Struct, frozen=True, kw_only=True):
    """Agreement of `rounds` answers to the same queries; the first round is the run's result.

    `queries` were answered in every round, `left_out` were not. `mean_rbo` is over the later
    rounds against the first (persistence 0.9), `identical` the share of queries whose ranking was
    the same in all rounds, `top1_same` of those whose first hit was. `metrics` are over the
    scorable queries among them. All null where `reason` says why.
    """

    rounds: int
    queries: int
    left_out: int
    mean_rbo: float | None
    identical: float | None
    top1_same: float | None
    metrics: dict[str, MetricSpread]
    reason: str | UnsetType = UNSET
