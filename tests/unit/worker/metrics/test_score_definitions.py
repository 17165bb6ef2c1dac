"""The kernels against their definitions, document by document in plain Python."""

import math
from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reteval.contract.metrics import Metric, expand_metrics
from tests.unit.worker.metrics.cases import (
    BATCH,
    CUTOFFS,
    DEPTH,
    MANY,
    TOP_GRADE,
    Case,
    cases,
    evaluate,
)

BATCHES = st.lists(cases(longest=DEPTH + 3), min_size=BATCH, max_size=BATCH)
PLAIN = [
    *expand_metrics([], CUTOFFS),
    *expand_metrics(["f1", "err", "rbp", "rbp@3", "mrr@3", "map@3"], CUTOFFS),
    *expand_metrics(["r_precision", "bpref", "rbp(p=0.5,rel=2)", "rbp(p=0.95)"], CUTOFFS),
    *expand_metrics(["recall(rel=3)@5", "f1(rel=2)@3", "mrr(rel=2)", "bpref(rel=3)"], CUTOFFS),
]


def plain_score(metric: Metric, case: Case) -> float:
    """Score one ranking by the definitions of the documentation."""
    seen: set[str] = set()
    places: list[int | None] = []  # grade of each place, None for unjudged ones and repeats
    for document in case.ranking[:DEPTH]:
        places.append(None if document in seen else case.grades.get(document))
        seen.add(document)
    top = places[: metric.k]
    if metric.name == "judged":
        return sum(grade is not None for grade in top) / len(top) if top else math.nan
    if metric.name in ("ndcg", "ndcg_exp"):
        return plain_ndcg(metric, case.grades, top)
    if metric.name == "err":
        return plain_err(top)
    if metric.name == "rbp":
        return plain_rbp(metric, top)
    return plain_binary(metric, case, top)


def plain_binary(metric: Metric, case: Case, top: Sequence[int | None]) -> float:
    """Score by what is relevant and what is not."""
    level = metric.rel or 1
    total = sum(grade >= level for grade in case.grades.values())
    if total == 0:
        return math.nan
    found = [rank for rank, g in enumerate(top, start=1) if g is not None and g >= level]
    precision, recall = len(found) / (metric.k or DEPTH), len(found) / total
    return {
        "recall": lambda: recall,
        "precision": lambda: precision,
        "f1": lambda: 2 * precision * recall / (precision + recall) if found else 0.0,
        "hit_rate": lambda: float(bool(found)),
        "mrr": lambda: 1 / found[0] if found else 0.0,
        "map": lambda: sum(n / rank for n, rank in enumerate(found, start=1)) / total,
        "r_precision": lambda: sum(rank <= total for rank in found) / total,
        "bpref": lambda: plain_bpref(case.grades, top, found, level=level),
    }[metric.name]()


def plain_bpref(
    grades: dict[str, int], top: Sequence[int | None], found: list[int], *, level: int
) -> float:
    """Punish each relevant document by the judged non-relevant ones above it."""
    total = sum(grade >= level for grade in grades.values())
    wrong = sum(0 <= grade < level for grade in grades.values())
    value = 0.0
    for rank in found:
        above = sum(g is not None and 0 <= g < level for g in top[: rank - 1])
        value += 1 - min(above, total) / min(wrong, total) if above else 1
    return value / total


def plain_ndcg(metric: Metric, grades: dict[str, int], top: Sequence[int | None]) -> float:
    """Divide the discounted gain by the ideal one."""

    def discounted(ordered: Sequence[int | None]) -> float:
        gains = [max(grade or 0, 0) for grade in ordered[: metric.k]]
        if metric.name == "ndcg_exp":
            gains = [2**gain - 1 for gain in gains]
        return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))

    return discounted(top) / discounted(sorted(grades.values(), reverse=True))


def plain_err(top: Sequence[int | None]) -> float:
    """Let a reader go down the list and stop."""
    value, reading = 0.0, 1.0
    for rank, grade in enumerate(top, start=1):
        stop = (2 ** max(grade or 0, 0) - 1) / 2**TOP_GRADE
        value += reading * stop / rank
        reading *= 1 - stop
    return value


def plain_rbp(metric: Metric, top: Sequence[int | None]) -> float:
    """Weight each place by the chance that it is read."""
    p = metric.p or 0.0
    value = 0.0
    for rank, grade in enumerate(top, start=1):
        gain = max(grade or 0, 0) / TOP_GRADE
        if metric.rel is not None:
            gain = float((grade or 0) >= metric.rel)
        value += (1 - p) * p ** (rank - 1) * gain
    return value


@MANY
@given(BATCHES)
def test_score_agrees_with_the_definitions(batch: list[Case]) -> None:
    """With repeats, long answers and negative grades, each value is its definition's, in [0, 1]."""
    judgments, ours = evaluate(batch, PLAIN)
    for place in np.flatnonzero(judgments.scorable).tolist():
        for metric in PLAIN:
            value, expected = float(ours[metric][place]), plain_score(metric, batch[place])
            if metric.rel and max(batch[place].grades.values()) < metric.rel:
                expected = math.nan
            assert math.isnan(value) == math.isnan(expected)
            assert math.isnan(value) or abs(value - expected) < 1e-12
            assert math.isnan(value) or 0.0 <= value <= 1.0


@MANY
@given(st.lists(cases(longest=DEPTH + 3), min_size=2, max_size=8))
def test_score_of_a_query_ignores_its_neighbours(batch: list[Case]) -> None:
    """A query scored alone has the value it has among others, to the last bit."""
    _, together = evaluate(batch, PLAIN)
    alone = [evaluate([case], PLAIN)[1] for case in batch]
    for metric in PLAIN:
        np.testing.assert_array_equal(
            together[metric], np.concatenate([values[metric] for values in alone])
        )
