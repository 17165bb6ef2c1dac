"""Summaries of a run: intervals as asked for, clusters as units, thresholds of a metric's own."""

import numpy as np
import pytest
from msgspec import UNSET

from reteval.contract.metrics import parse_metric
from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus
from reteval.contract.runs import IntervalMethod
from reteval.contract.testsets import Judgment, Query
from worker.pipeline.scoring import (
    Scores,
    label_clusters,
    score_queries,
    slice_metrics,
    summarise_metrics,
)

NAMES = ["mrr", "hit_rate@1", "recall(rel=2)@3", "err@3", "bpref"]


def a_query(place: int, *, cluster_id: str = "", grade: int = 1) -> Query:
    """Return a query with one relevant document."""
    return Query(
        id=f"q{place}",
        query=f"question {place}",
        relevant=[Judgment(f"right-{place}", grade)],
        cluster_id=cluster_id,
        tags=["all"],
    )


def answer(place: int) -> Outcome:
    """Return an answer whose right document stands first, second, third or nowhere."""
    ids = [f"x{rank}" for rank in range(3)]
    if place % 4 < 3:
        ids[place % 4] = f"right-{place}"
    return Outcome(status=OutcomeStatus.OK, ids=ids, returned=3)


def scores_of(queries: list[Query], outcomes: list[Outcome], *, scale_max: int = 3) -> Scores:
    """Score by the metrics of these tests."""
    metrics = [parse_metric(name) for name in NAMES]
    return score_queries(queries, outcomes, metrics, depth=3, relevant_from=1, scale_max=scale_max)


def everyone(scores: Scores) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return a mask that takes all queries."""
    return np.ones(scores.judgments.n, dtype=np.bool_)


@pytest.mark.parametrize("method", IntervalMethod)
def test_interval_is_made_as_asked_for(method: IntervalMethod) -> None:
    """Every summary says its method; slices have the default where BCa was asked for."""
    queries = [a_query(place) for place in range(60)]
    scores = scores_of(queries, [answer(place) for place in range(60)])
    summaries = summarise_metrics(scores, everyone(scores), interval=method)
    slices = slice_metrics(scores, [["tag:all"]] * 60, interval=method)
    default = {"mrr": "t", "hit_rate@1": "wilson"}
    by_name = dict.fromkeys(default, method.value)
    expected = default if method is IntervalMethod.AUTO else by_name
    in_slices = default if method is IntervalMethod.BCA else expected
    assert {name: summaries[name].method for name in default} == expected
    assert {name: slices["tag:all"].metrics[name].method for name in default} == in_slices


def test_queries_of_a_cluster_are_one_unit() -> None:
    """Five paraphrases of twelve needs are twelve units, and the interval is wider for it."""
    lone = [a_query(place) for place in range(60)]
    paired = [a_query(place, cluster_id=f"need-{place % 12}") for place in range(60)]
    outcomes = [answer(place) for place in range(60)]
    widths = {}
    for name, queries in (("lone", lone), ("paired", paired)):
        scores = scores_of(queries, outcomes)
        summary = summarise_metrics(scores, everyone(scores))["mrr"]
        assert summary.clusters == (UNSET if name == "lone" else 12)
        assert summary.ci is not None
        widths[name] = summary.ci[1] - summary.ci[0]
    assert widths["paired"] > 1.5 * widths["lone"]


def test_labels_of_clusters() -> None:
    """A query without a cluster stands alone; without any cluster there are no labels."""
    mixed = [a_query(0, cluster_id="a"), a_query(1), a_query(2, cluster_id="a"), a_query(3)]
    labels = label_clusters(mixed)
    assert labels is not None
    assert labels.tolist() == [0, 1, 0, 2]
    assert label_clusters(mixed[1:]) is None


def test_threshold_of_a_metric_leaves_queries_out() -> None:
    """Queries without a document of the grade are in neither the mean nor the bounds."""
    queries = [a_query(0, grade=2), a_query(1, grade=1), a_query(4, grade=2), a_query(8)]
    timeout = Outcome(status=OutcomeStatus.FAILED, code=FailureCode.TIMEOUT)
    outcomes = [answer(0), answer(1), timeout, timeout]
    scores = scores_of(queries, outcomes)
    summaries = summarise_metrics(scores, everyone(scores))
    assert summaries["recall(rel=2)@3"].n == 1
    assert summaries["recall(rel=2)@3"].bounds == (0.5, 1.0)
    assert summaries["mrr"].bounds == ((1 + 0.5) / 4, (1 + 0.5 + 2) / 4)


def test_err_takes_the_scale_of_the_test_set() -> None:
    """The top of the scale is passed through to the kernel."""
    queries, outcomes = [a_query(0, grade=1)], [answer(0)]
    values = [
        float(scores_of(queries, outcomes, scale_max=top).values[parse_metric("err@3")][0])
        for top in (1, 3)
    ]
    assert values == [1 / 2, 1 / 8]
