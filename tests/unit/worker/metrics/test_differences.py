"""Where we answer otherwise than the field's tools on purpose: both numbers of the docs' table."""

import shutil

import ir_measures
import numpy as np
import pytest
import pytrec_eval

from reteval.contract.metrics import parse_metric
from reteval.contract.results import MetricSummary
from worker.metrics.hits import condense, find_hits
from worker.metrics.judgments import Judgments
from worker.metrics.kernel import score
from worker.metrics.summary import summarise

Scored = dict[str, float]


def trec_eval(
    grades: dict[str, int], run: Scored, measure: str, *, level: int = 1, judged_only: bool = False
) -> float:
    """Score one query by trec_eval's code."""
    evaluator = pytrec_eval.RelevanceEvaluator(
        {"1": grades}, {measure}, relevance_level=level, judged_docs_only_flag=judged_only
    )
    return float(evaluator.evaluate({"1": run})["1"][measure.replace(".", "_")])


def measure_ir(grades: dict[str, int], run: Scored, measure: str) -> float:
    """Score one query by ir_measures."""
    parsed = ir_measures.parse_measure(measure)
    return float(ir_measures.calc_aggregate([parsed], {"1": grades}, {"1": run})[parsed])


def ours(
    grades: dict[str, int],
    ranking: list[str],
    metric: str,
    *,
    judged_only: bool = False,
    scale_max: int = 3,
) -> float:
    """Score one ranking by our kernels."""
    judgments = Judgments.index(["1"], [grades], relevant_from=1, scale_max=scale_max)
    hits = find_hits(judgments, [ranking], depth=10)
    parsed = parse_metric(metric)
    return float(score(judgments, condense(hits) if judged_only else hits, [parsed])[parsed][0])


def summary(grades: list[dict[str, int]], rankings: list[list[str] | None]) -> MetricSummary:
    """Summarise the map of several queries."""
    judgments = Judgments.index(list(map(str, range(len(grades)))), grades, relevant_from=1)
    hits, metric = find_hits(judgments, rankings, depth=10), parse_metric("map")
    values = score(judgments, hits, [metric])[metric]
    return summarise(values, metric=metric, scorable=judgments.scorable, answered=hits.answered)


def test_equal_scores_stay_in_the_order_delivered() -> None:
    """trec_eval sorts them by id, ir_measures by one of two rules."""
    tied = dict.fromkeys(("d1", "d2", "d3"), 1.0)
    assert trec_eval({"d3": 1}, tied, "map") == 1.0
    assert ours({"d3": 1}, list(tied), "map") == 1 / 3
    letters = dict.fromkeys("abc", 1.0)
    assert measure_ir({"a": 1}, letters, "RR") == pytest.approx(1 / 3)
    assert measure_ir({"a": 1}, letters, "RR@10") == 1.0
    assert [ours({"a": 1}, list("abc"), name) for name in ("mrr", "mrr@10")] == [1.0, 1.0]


def test_scores_are_not_rounded() -> None:
    """Two scores that are equal as float32 tie in pytrec_eval."""
    close = {"d0": 0.9222621453752586, "d9": 0.9222621453752580}
    assert trec_eval({"d0": 1}, close, "recip_rank") == 0.5
    assert ours({"d0": 1}, ["d0", "d9"], "mrr") == 1.0


def test_query_without_relevant_documents_is_left_out() -> None:
    """trec_eval averages its 0."""
    theirs = pytrec_eval.RelevanceEvaluator({"1": {"a": 0}, "2": {"b": 1}}, {"map"}).evaluate(
        {"1": {"a": 1.0}, "2": {"b": 1.0}}
    )
    mean = summary([{"a": 0}, {"b": 1}], [["a"], ["b"]])
    assert sum(row["map"] for row in theirs.values()) / 2 == 0.5
    assert (mean.mean, mean.n) == (1.0, 1)


def test_failed_query_widens_the_bounds() -> None:
    """trec_eval drops it or, asked to, calls it 0."""
    mean = summary([{"a": 1}, {"b": 1}], [["a"], None])
    assert (mean.mean, mean.n, mean.bounds) == (1.0, 1, (0.5, 1.0))


def test_repeat_never_counts_twice() -> None:
    """A list with the right document twice has found it once."""
    assert ours({"A": 1}, ["A", "A"], "recall@2") == 1.0


def test_negative_grade_is_a_judgment() -> None:
    """trec_eval's -J removes it from the ranking."""
    grades = {"D1": -1, "D2": 1}
    assert trec_eval(grades, {"D1": 2.0, "D2": 1.0}, "P.1", judged_only=True) == 1.0
    assert ours(grades, ["D1", "D2"], "precision@1", judged_only=True) == 0.0


def test_threshold_out_of_reach_is_null() -> None:
    """trec_eval answers 0 where no document of the query has the level."""
    assert trec_eval({"a": 1, "b": 0}, {"a": 1.0}, "map", level=2) == 0.0
    assert np.isnan(ours({"a": 1, "b": 0}, ["a"], "map(rel=2)"))


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a perl script")
def test_err_takes_the_scale_of_the_test_set() -> None:
    """The scale of gdeval ends at 4."""
    grades, run = {"a": 3, "b": 1}, {"a": 3.0, "x": 2.0, "b": 1.0}
    assert measure_ir(grades, run, "ERR@10") == pytest.approx(0.44922, abs=6e-6)
    assert ours(grades, list(run), "err@10") == pytest.approx(0.88021, abs=5e-6)
    assert ours(grades, list(run), "err@10", scale_max=4) == pytest.approx(0.44922, abs=5e-6)


def test_gains_are_shares_of_the_scale() -> None:
    """Raw grades would take rbp to 1.75; and bpref has a value where nothing is non-relevant."""
    assert ours({"a": 3, "b": 1}, ["a", "x", "b"], "rbp(p=0.5)") == pytest.approx(0.5416667)
    assert ours({"a": 3, "b": 2}, ["a", "b"], "bpref") == 1.0


def test_judged_of_an_empty_answer_is_null() -> None:
    """ir_measures divides by the number of documents returned."""
    with pytest.raises(ZeroDivisionError):
        measure_ir({"a": 1}, {}, "Judged@5")
    assert np.isnan(ours({"a": 1}, [], "judged@5"))
