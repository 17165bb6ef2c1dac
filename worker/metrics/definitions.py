"""The part of a report that says how its numbers were made: every default, in words."""

from collections.abc import Iterable
from typing import Any, Final

from reteval.contract.definitions import FORMULAS, RULES, THRESHOLD_SCOPE
from reteval.contract.metrics import Metric
from reteval.contract.runs import IntervalMethod
from worker.metrics.bootstrap import FEWEST_RESAMPLES, MOST_DRAWS, RESAMPLES
from worker.metrics.intervals import ENOUGH_INTERIOR, LEVEL, STEADY
from worker.metrics.judgments import DEFAULT_SCALE_MAX

_AUTO: Final = (
    "t over queries, cut to [0, 1]; wilson for shares and where fewer than "
    f"{ENOUGH_INTERIOR} queries differ from 0 or from 1; adjusted_t, which adds one query at 0 "
    f"and one at 1, where they widen t by over {STEADY - 1:.0%}"
)
_METHODS: Final = {
    IntervalMethod.AUTO: _AUTO,
    IntervalMethod.T: "t over queries, cut to [0, 1]",
    IntervalMethod.WILSON: "wilson's score interval on the mean",
    IntervalMethod.BCA: f"BCa bootstrap of {RESAMPLES} resamples, seed 0 (fewer above "
    f"{MOST_DRAWS // RESAMPLES} queries of many distinct values, {FEWEST_RESAMPLES} at least); "
    "slices have auto",
    IntervalMethod.WALD: "mean -+ 1.96 * sqrt(mean * (1 - mean) / n), not cut; asked for by name, "
    "covers too rarely near 0 and 1",
}
_CLUSTERS: Final = (
    "queries of one cluster_id are one unit: t is cluster-robust, wilson counts units, "
    "bca draws them, wald ignores them"
)


def definitions(
    metrics: Iterable[Metric],
    *,
    depth: int,
    relevant_from: int,
    scale_max: int = DEFAULT_SCALE_MAX,
    id_rule: str = "",
    level: float = LEVEL,
    interval: IntervalMethod = IntervalMethod.AUTO,
) -> dict[str, Any]:
    """Describe how `metrics` were computed; `depth` is in places, `level` a share."""
    return {
        **RULES,
        "threshold": relevant_from,
        "threshold_scope": THRESHOLD_SCOPE,
        "scale_max": scale_max,
        "depth": depth,
        "depth_scope": f"longer answers are cut at {depth}; metrics without a cut-off, "
        f"and judged_only, see the top {depth}",
        "ids": id_rule or "exact",
        "interval": {
            "asked": interval.value,
            "level": level,
            "method": _METHODS[interval],
            "clusters": _CLUSTERS,
        },
        "metrics": {str(metric): FORMULAS[metric.name] for metric in metrics},
    }
