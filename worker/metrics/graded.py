"""Metrics that use how relevant a document is: discounted gain and models of a reader."""

from collections.abc import Callable

import numpy as np

from reteval.contract.metrics import DEFAULT_PERSISTENCE, Metric
from worker.metrics.hits import Hits
from worker.metrics.judgments import Judgments, count_up
from worker.metrics.tally import Indexes, Relevant, Tally, Values


def ndcg(tally: Tally, metric: Metric) -> Values:
    """Return normalised discounted gain, a document's gain being its grade."""
    return _normalise(tally, metric.k, _linear_gain)


def ndcg_exp(tally: Tally, metric: Metric) -> Values:
    """Return normalised discounted gain, a document's gain being 2^grade - 1."""
    return _normalise(tally, metric.k, _exponential_gain)


def err(tally: Tally, metric: Metric) -> Values:
    """Return the expected reciprocal rank at which a reader is satisfied and stops.

    A document of grade g satisfies with probability (2^g - 1) / 2^m, m being the top of the
    scale. Source: Chapelle, Metzler, Zhang and Grinspan, CIKM 2009.

    Raises:
        ValueError: a grade above the scale.
    """
    hits = tally.hits
    top = _top_of_scale(tally.judgments)
    within = (hits.grade > 0) & (hits.rank <= (metric.k or 0))
    query, rank = hits.query[within], hits.rank[within]
    stop = _exponential_gain(hits.grade[within]) / 2.0**top
    values = np.zeros(tally.n)
    reading = np.ones(tally.n)
    for step in _steps(query, n=tally.n):
        who = query[step]
        values[who] += reading[who] * stop[step] / rank[step]
        reading[who] *= 1.0 - stop[step]
    return values


def rbp(tally: Tally, metric: Metric) -> Values:
    """Return rank-biased precision: gain seen by a reader who goes on with probability p.

    A document's gain is its share of the scale, or with `rel` 1 for a relevant one. Source:
    Moffat and Zobel, TOIS 27(1) 2008.

    Raises:
        ValueError: a grade above the scale.
    """
    p = DEFAULT_PERSISTENCE if metric.p is None else metric.p
    hits: Hits | Relevant
    if metric.rel is None:
        hits = tally.hits
        gain = _linear_gain(hits.grade) / _top_of_scale(tally.judgments)
    else:
        hits = tally.relevant(metric.rel)
        gain = np.ones(len(hits.query))
    seen = np.power(p, np.arange(int(hits.rank.max(initial=1))))
    return tally.add(metric.k, hits.query, hits.rank, (1 - p) * seen[hits.rank - 1] * gain)


def _normalise(tally: Tally, k: int | None, gain: Callable[[Indexes], Values]) -> Values:
    """Divide the discounted gain by that of all judged documents best first, cut at k.

    Source: Järvelin and Kekäläinen, TOIS 2002, with the discount 1 / log2(rank + 1).
    """
    judgments, hits = tally.judgments, tally.hits
    gained = tally.add(k, hits.query, hits.rank, gain(hits.grade) / tally.discount(hits.rank))
    ideal_gain = gain(judgments.ideal_grade) / tally.discount(judgments.ideal_rank)
    ideal = tally.add(k, judgments.ideal_query, judgments.ideal_rank, ideal_gain)
    return gained / np.where(ideal > 0, ideal, 1.0)


def _linear_gain(grade: Indexes) -> Values:
    return np.maximum(grade, 0).astype(np.float64)


def _exponential_gain(grade: Indexes) -> Values:
    powers: Values = np.exp2(_linear_gain(grade))
    return powers - 1.0


def _top_of_scale(judgments: Judgments) -> int:
    highest = int(judgments.ideal_grade.max(initial=0))
    if highest > judgments.scale_max:
        raise ValueError(
            f"a grade of {highest} is above the scale's {judgments.scale_max}; "
            "pass the test set's scale.max as scale_max"
        )
    return judgments.scale_max


def _steps(query: Indexes, *, n: int) -> list[Indexes]:
    """Return the places of each query's first entry, then of each one's second, and so on."""
    ordinal = count_up(query, n=n)
    order = np.argsort(ordinal, kind="stable")
    return np.split(order, np.cumsum(np.bincount(ordinal)[1:-1])) if len(order) else []
