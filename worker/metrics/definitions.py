"""The part of a report that says how its numbers were made: every default, in words."""

from collections.abc import Iterable
from typing import Any, Final

from reteval.contract.metrics import Metric
from worker.metrics.intervals import ENOUGH_INTERIOR, LEVEL

_FORMULAS: Final = {
    "recall": "relevant documents in the top k / all relevant documents",
    "hit_rate": "1 if any relevant document is in the top k, else 0",
    "precision": "relevant documents in the top k / k, also where fewer were returned",
    "mrr": "1 / rank of the first relevant document, 0 if there is none",
    "map": "sum of the precision at each relevant document / all relevant documents",
    "ndcg": "sum of grade / log2(rank + 1) / the same of the ideal ranking",
    "ndcg_exp": "sum of (2^grade - 1) / log2(rank + 1) / the same of the ideal ranking",
    "judged": "judged documents in the top k / min(k, returned)",
}
_ALWAYS: Final = {
    "gain": "linear",
    "ideal": "all judged, cut at k",
    "unjudged": "gain 0, not relevant; judged_only leaves them out of the ranking",
    "negative_grade": "gain 0, not relevant, judged",
    "duplicates": "first counts; a repeat keeps its place with gain 0",
    "empty": "0; judged@k is null",
    "failed": "excluded, bounded: bounds count each as 0 and as 1",
    "unscorable": "excluded, counted: a query without a relevant document is null",
    "order": "as delivered; scores never re-order",
    "mean": "over answered scorable queries, each with weight 1",
    "sd": "of the values of those queries, divisor n - 1",
}


def definitions(
    metrics: Iterable[Metric],
    *,
    depth: int,
    relevant_from: int,
    id_rule: str = "",
    level: float = LEVEL,
) -> dict[str, Any]:
    """Describe how `metrics` were computed; `depth` is in places, `level` a share."""
    return {
        **_ALWAYS,
        "threshold": relevant_from,
        "threshold_scope": "all metrics but ndcg and ndcg_exp, which take grades as they are",
        "depth": depth,
        "depth_scope": f"longer answers are cut at {depth}; mrr and map without a cut-off, "
        f"and judged_only, see the top {depth}",
        "ids": id_rule or "exact",
        "interval": {
            "level": level,
            "method": "t over queries, cut to [0, 1]; wilson for hit_rate and where fewer than "
            f"{ENOUGH_INTERIOR} queries differ from 0 or from 1",
        },
        "metrics": {str(metric): _FORMULAS[metric.name] for metric in metrics},
    }
