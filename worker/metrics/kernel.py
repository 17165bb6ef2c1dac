"""Metric values per query from hits: a few array passes a metric, none of them over documents.

Definitions are trec_eval's wherever it has the metric. Every value lies in [0, 1].
"""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from reteval.contract.metrics import Metric
from worker.metrics.graded import err, ndcg, ndcg_exp, rbp
from worker.metrics.hits import Hits
from worker.metrics.judgments import Judgments
from worker.metrics.tally import Indexes, Tally, Values


def score(judgments: Judgments, hits: Hits, metrics: Sequence[Metric]) -> dict[Metric, Values]:
    """Compute each metric for each query, shape (n,).

    NaN where there is no value: an unscorable query (with `rel`: one without a document of
    that grade), no valid answer, `judged@k` of an empty answer. An empty answer is worth 0 by
    every other metric.

    Raises:
        ValueError: a metric without the cut-off it needs, or a grade above the scale in `err`
            or `rbp`.
    """
    tally = Tally(judgments, hits)
    scores = {}
    for metric in metrics:
        if metric.family.cutoff == "required" and metric.k is None:
            raise ValueError(f"{metric} needs a cut-off, such as {metric}@10")
        values = _KERNELS[metric.name](tally, metric)
        values[~(judgments.scorable_at(metric.rel) & hits.answered)] = np.nan
        scores[metric] = values
    return scores


def _recall(tally: Tally, metric: Metric) -> Values:
    found = tally.relevant_to(metric.rel, metric.k)
    return found / tally.relevant(metric.rel).all_relevant


def _hit_rate(tally: Tally, metric: Metric) -> Values:
    return (tally.relevant_to(metric.rel, metric.k) > 0).astype(np.float64)


def _precision(tally: Tally, metric: Metric) -> Values:
    return tally.relevant_to(metric.rel, metric.k) / (metric.k or 1)


def _f1(tally: Tally, metric: Metric) -> Values:
    # The harmonic mean of precision@k and recall@k with both denominators cancelled.
    found = tally.relevant_to(metric.rel, metric.k)
    return 2.0 * found / (tally.relevant(metric.rel).all_relevant + (metric.k or 0))


def _mrr(tally: Tally, metric: Metric) -> Values:
    relevant = tally.relevant(metric.rel)
    first = relevant.ordinal == 1
    rank = relevant.rank[first]
    return tally.add(metric.k, relevant.query[first], rank, 1.0 / rank)


def _map(tally: Tally, metric: Metric) -> Values:
    relevant = tally.relevant(metric.rel)
    precision = relevant.ordinal / relevant.rank
    total = tally.add(metric.k, relevant.query, relevant.rank, precision)
    return total / relevant.all_relevant


def _r_precision(tally: Tally, metric: Metric) -> Values:
    relevant = tally.relevant(metric.rel)
    within = relevant.rank <= relevant.all_relevant[relevant.query]
    return tally.count(None, relevant.query[within], relevant.rank) / relevant.all_relevant


def _bpref(tally: Tally, metric: Metric) -> Values:
    """Average over relevant documents 1 - (judged non-relevant ones above / the most that count).

    A negative grade stands for a document outside the pool and counts on neither side. Source:
    Buckley and Voorhees, SIGIR 2004, as corrected in trec_eval.
    """
    relevant, judgments, hits = tally.relevant(metric.rel), tally.judgments, tally.hits
    is_relevant = hits.grade >= relevant.level
    wrong = (hits.grade >= 0) & ~is_relevant
    # Counts of wrong hits above each hit: running over all, less those of earlier queries.
    running: Indexes = np.cumsum(wrong) - wrong
    of_query = np.bincount(hits.query[wrong], minlength=tally.n)
    before = np.cumsum(of_query) - of_query
    above = (running - before[hits.query])[is_relevant]
    positive = np.bincount(judgments.ideal_query, minlength=tally.n)
    wrong_judged = judgments.zeros + positive - judgments.relevant_at(relevant.level)
    most = relevant.all_relevant[relevant.query]
    possible = np.maximum(np.minimum(most, wrong_judged[relevant.query]), 1)
    terms = 1.0 - np.minimum(above, most) / possible
    return tally.add(None, relevant.query, relevant.rank, terms) / relevant.all_relevant


def _judged(tally: Tally, metric: Metric) -> Values:
    hits = tally.hits
    judged = tally.count(metric.k, hits.query, hits.rank)
    places = np.minimum(hits.returned, metric.k or 0)
    empty = places == 0
    values = judged / np.where(empty, 1, places)
    values[empty] = np.nan
    return values


_KERNELS: Final[dict[str, Callable[[Tally, Metric], Values]]] = {
    "recall": _recall,
    "hit_rate": _hit_rate,
    "precision": _precision,
    "f1": _f1,
    "mrr": _mrr,
    "ndcg": ndcg,
    "ndcg_exp": ndcg_exp,
    "map": _map,
    "r_precision": _r_precision,
    "bpref": _bpref,
    "err": err,
    "rbp": rbp,
    "judged": _judged,
}
