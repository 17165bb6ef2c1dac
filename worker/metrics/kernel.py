"""Metric values per query from hits: a few array passes a metric, none of them over documents.

Definitions are trec_eval's wherever it has the metric. Every value lies in [0, 1].
"""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reteval.contract.metrics import Metric
from worker.metrics.hits import Hits
from worker.metrics.judgments import Judgments, count_up

Values = NDArray[np.float64]


def score(judgments: Judgments, hits: Hits, metrics: Sequence[Metric]) -> dict[Metric, Values]:
    """Compute each metric for each query, shape (n,).

    NaN where there is no value: an unscorable query, no valid answer, `judged@k` of an empty
    answer. An empty answer is worth 0 by every other metric.
    """
    undefined = ~(judgments.scorable & hits.answered)
    tally = _Tally(judgments, hits)
    scores = {}
    for metric in metrics:
        values = _KERNELS[metric.name](tally, metric.k)
        values[undefined] = np.nan
        scores[metric] = values
    return scores


class _Tally:
    """Sums over hits that several metrics share. A cut-off of None is the whole ranking."""

    def __init__(self, judgments: Judgments, hits: Hits) -> None:
        self.judgments = judgments
        self.hits = hits
        relevant = hits.grade >= judgments.relevant_from
        self.query = hits.query[relevant]
        self.rank = hits.rank[relevant]
        self.ordinal = count_up(self.query, n=judgments.n)
        self.all_relevant = np.maximum(judgments.relevant, 1)
        self._relevant_to: dict[int | None, NDArray[np.int64]] = {}

    def relevant_to(self, k: int | None) -> NDArray[np.int64]:
        """Count relevant documents in the top k."""
        if k not in self._relevant_to:
            self._relevant_to[k] = _count_to(k, self.query, self.rank, n=self.judgments.n)
        return self._relevant_to[k]


def _recall(tally: _Tally, k: int | None) -> Values:
    return tally.relevant_to(k) / tally.all_relevant


def _hit_rate(tally: _Tally, k: int | None) -> Values:
    return (tally.relevant_to(k) > 0).astype(np.float64)


def _precision(tally: _Tally, k: int | None) -> Values:
    return tally.relevant_to(k) / _cutoff(k)


def _mrr(tally: _Tally, k: int | None) -> Values:
    first = tally.ordinal == 1
    rank = tally.rank[first]
    return _sum_to(k, tally.query[first], rank, 1.0 / rank, n=tally.judgments.n)


def _map(tally: _Tally, k: int | None) -> Values:
    precision = tally.ordinal / tally.rank
    total = _sum_to(k, tally.query, tally.rank, precision, n=tally.judgments.n)
    return total / tally.all_relevant


def _ndcg(tally: _Tally, k: int | None) -> Values:
    return _normalised_gain(tally, k, _linear_gain)


def _ndcg_exp(tally: _Tally, k: int | None) -> Values:
    return _normalised_gain(tally, k, _exponential_gain)


def _judged(tally: _Tally, k: int | None) -> Values:
    hits = tally.hits
    judged = _count_to(k, hits.query, hits.rank, n=tally.judgments.n)
    places = np.minimum(hits.returned, _cutoff(k))
    empty = places == 0
    values = judged / np.where(empty, 1, places)
    values[empty] = np.nan
    return values


_KERNELS: Final[dict[str, Callable[[_Tally, int | None], Values]]] = {
    "recall": _recall,
    "hit_rate": _hit_rate,
    "precision": _precision,
    "mrr": _mrr,
    "map": _map,
    "ndcg": _ndcg,
    "ndcg_exp": _ndcg_exp,
    "judged": _judged,
}


def _normalised_gain(
    tally: _Tally, k: int | None, gain: Callable[[NDArray[np.int64]], Values]
) -> Values:
    """Divide the discounted gain by that of all judged documents best first, cut at k.

    Source: Järvelin and Kekäläinen, TOIS 2002, with the discount 1 / log2(rank + 1).
    """
    judgments, hits = tally.judgments, tally.hits
    gained = _sum_to(k, hits.query, hits.rank, gain(hits.grade) / _log(hits.rank), n=judgments.n)
    ideal_gain = gain(judgments.ideal_grade) / _log(judgments.ideal_rank)
    ideal = _sum_to(k, judgments.ideal_query, judgments.ideal_rank, ideal_gain, n=judgments.n)
    return gained / np.where(ideal > 0, ideal, 1.0)


def _linear_gain(grade: NDArray[np.int64]) -> Values:
    return np.maximum(grade, 0).astype(np.float64)


def _exponential_gain(grade: NDArray[np.int64]) -> Values:
    powers: Values = np.exp2(_linear_gain(grade))
    return powers - 1.0


def _log(rank: NDArray[np.int64]) -> Values:
    discount: Values = np.log2(rank + 1.0)
    return discount


def _cutoff(k: int | None) -> int:
    if k is None:
        raise ValueError("the metric needs a cut-off, such as precision@10")
    return k


def _count_to(
    k: int | None, query: NDArray[np.int64], rank: NDArray[np.int64], *, n: int
) -> NDArray[np.int64]:
    return np.bincount(query if k is None else query[rank <= k], minlength=n)


def _sum_to(
    k: int | None,
    query: NDArray[np.int64],
    rank: NDArray[np.int64],
    terms: Values,
    *,
    n: int,
) -> Values:
    if k is not None:
        within = rank <= k
        query, terms = query[within], terms[within]
    # bincount of nothing answers integers, whatever the weights.
    return np.bincount(query, weights=terms, minlength=n).astype(np.float64, copy=False)
