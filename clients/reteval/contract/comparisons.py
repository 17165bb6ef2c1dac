"""Comparisons of two runs over the same queries: better, worse, no change, or can't tell."""

from enum import StrEnum
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType, field

from reteval.contract import limits
from reteval.contract.differences import Changes
from reteval.contract.robustness import RobustnessComparison
from reteval.contract.runs import RunStatus, TestSetRef
from reteval.contract.shown import Tabular
from reteval.contract.splits import HoldoutLooks

RunId = Annotated[str, Meta(min_length=1, max_length=64)]


class Verdict(StrEnum):
    """What a paired difference allows to say."""

    BETTER = "better"
    WORSE = "worse"
    NO_CHANGE = "no_change"
    INCONCLUSIVE = "inconclusive"


class Scope(StrEnum):
    """What to do with runs of different test sets: compare the queries they share."""

    INTERSECTION = "intersection"


class ComparisonRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST /v1/comparisons`.

    `metrics` defaults to those that both runs have, `primary` to the first of ndcg@10, mrr and
    the rest that is among them. `margin` is the difference that does not matter, in metric
    points; `tie` the one that counts as none. `seed` draws the sign flips.
    """

    baseline: RunId
    candidate: RunId
    primary: str | None = None
    metrics: Annotated[tuple[str, ...], Meta(max_length=limits.MAX_METRICS)] = ()
    margin: Annotated[float, Meta(gt=0, le=1)] = 0.02
    alpha: Annotated[float, Meta(gt=0, lt=0.5)] = 0.05
    tie: Annotated[float, Meta(ge=0, le=1)] = 1e-9
    seed: Annotated[int, Meta(ge=0, le=2**53)] = 0
    on: Scope | None = None


class Difference(Struct, frozen=True, kw_only=True):
    """Candidate minus baseline, a mean over queries (or clusters). `equivalence` is at 90 %."""

    mean: float | None
    ci: tuple[float, float] | None
    level: float
    method: str
    sd: float | None
    equivalence: tuple[float, float] | None
    reason: str | UnsetType = UNSET


class Significance(Struct, frozen=True, kw_only=True):
    """Sign-flip randomisation: `exact` over all flips, or `flips` of them drawn with a seed."""

    p: float | None
    p_holm: float | None
    exact: bool
    flips: int
    reason: str | UnsetType = UNSET


class Power(Struct, frozen=True, kw_only=True):
    """The least detectable difference at 80 %, and the power for a difference of the margin."""

    detectable: float | None
    for_margin: float | None
    sentence: str
    reason: str | UnsetType = UNSET


class MetricComparison(Struct, frozen=True, kw_only=True):
    """One metric over the queries answered in both runs. `effect` is Cohen's d of differences.

    Where clusters of queries count as one observation, `units` says how many there are; means,
    wins, ties and losses are over them.
    """

    n: int
    baseline: float | None
    candidate: float | None
    difference: Difference
    significance: Significance
    effect: float | None
    wins: int
    ties: int
    losses: int
    power: Power
    verdict: Verdict
    units: int | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class SliceComparison(Struct, frozen=True, kw_only=True):
    """The primary metric within a slice; descriptive, hence without a verdict."""

    n: int
    baseline: float | None
    candidate: float | None
    difference: Difference


class Mover(Struct, frozen=True, kw_only=True):
    """A query that moved much in the primary metric."""

    query_id: str
    query: str
    baseline: float
    candidate: float
    difference: float


class ListOverlap(Struct, frozen=True, kw_only=True):
    """How alike the two runs' rankings are: mean RBO and Jaccard, share of equal lists."""

    rbo: float | None
    p: float
    jaccard: float | None
    k: int
    top1_same: float | None
    identical: float | None
    n: int
    reason: str | UnsetType = UNSET


class LatencyChange(Struct, frozen=True, kw_only=True):
    """Milliseconds, candidate minus baseline, of queries answered at once in both."""

    n: int
    baseline_p50: float | None
    candidate_p50: float | None
    baseline_p95: float | None
    candidate_p95: float | None
    mean_difference: float | None
    reason: str | UnsetType = UNSET


class Side(Struct, frozen=True, kw_only=True):
    """One of the two runs. `split` is empty where it was over all queries of its test set.

    `holdout_looks.total` is that of the moment of the comparison.
    """

    run: str
    label: str
    status: RunStatus
    test_set: TestSetRef
    answered: int
    timestamp: str
    split: str = ""
    holdout_looks: HoldoutLooks | None = None


class ComparisonReport(Struct, frozen=True, kw_only=True):
    """Everything a comparison found. `n_common` queries were answered in both runs.

    `robustness` is there if both runs sent changed queries, `test_set_changes` if the candidate
    was scored on another test set than the baseline.
    """

    id: str
    baseline: Side
    candidate: Side
    primary: str
    verdict: Verdict
    sentence: str
    n_common: int
    dropped: dict[str, int]
    metrics: dict[str, MetricComparison]
    slices: dict[str, SliceComparison]
    movers: tuple[Mover, ...]
    overlap: ListOverlap
    latency: LatencyChange
    warnings: tuple[str, ...]
    definitions: dict[str, Any]
    seed: int
    margin: float
    alpha: float
    robustness: RobustnessComparison | UnsetType = UNSET
    test_set_changes: Changes | UnsetType = UNSET


class Comparison(Tabular, Struct, frozen=True, kw_only=True):
    """State of a comparison; `report` is there once it has ended well."""

    id: str
    status: RunStatus
    baseline: str
    candidate: str
    created_at: str
    links: dict[str, str] = field(default_factory=dict)
    error: str | None = None
    poll_after_s: float | None = None
    report: ComparisonReport | None = None
