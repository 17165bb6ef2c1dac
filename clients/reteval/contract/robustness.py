"""Two runs' adversarial blocks, kind by kind: which endpoint is hurt more by what."""

from msgspec import UNSET, Struct, UnsetType


class Change(Struct, frozen=True, kw_only=True):
    """How much more a kind costs the candidate: its drop minus the baseline's, paired over needs.

    In metric points. `p` is that of the sign-flip test, `p_holm` corrected for all kinds.
    """

    mean: float | None
    ci: tuple[float, float] | None
    method: str
    level: float
    p: float | UnsetType = UNSET
    p_holm: float | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class KindChange(Struct, frozen=True, kw_only=True):
    """One kind at one severity in both runs, over the needs that both answered.

    `verdict` is `worse` (the candidate loses more), `better`, `no_change`, `inconclusive`, or
    `not_compared` with the reason.
    """

    kind: str
    severity: int
    source: str
    headline: str
    needs: int
    baseline_drop: float | None
    candidate_drop: float | None
    change: Change
    verdict: str
    reason: str | UnsetType = UNSET


class RobustnessComparison(Struct, frozen=True, kw_only=True):
    """All kinds of two runs. `macro_change` is the mean over the compared kinds' severities.

    Without `kinds` the runs cannot be compared, and `reason` says why: `other_suite`,
    `other_seed`, `other_metric`.
    """

    suite: str
    seed: int
    metric: str
    kinds: tuple[KindChange, ...]
    macro_change: float | None
    worst_kind: str | None
    margin: float
    alpha: float
    reason: str | UnsetType = UNSET
