"""Hand-made cases: numbers that other tools got wrong, and the definitions worked by hand."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from reteval.contract.metrics import Metric, parse_metric
from reteval.contract.testsets import Judgment, Query
from worker.metrics.hits import condense, find_hits
from worker.metrics.judgments import Judgments
from worker.metrics.kernel import score


def a_query(grades: Mapping[str | int, int], *, name: str = "q1") -> Query:
    """Build a normalised query."""
    relevant = [Judgment(id=document, grade=grade) for document, grade in grades.items()]
    return Query(query=name, id=name, relevant=relevant)


def evaluate(
    grades: Mapping[str | int, int],
    answer: Sequence[str] | None,
    metric: str,
    *,
    relevant_from: int = 1,
    depth: int = 10,
    scale_max: int = 3,
) -> float:
    """Score one ranking by one metric."""
    judgments = Judgments.build([a_query(grades)], relevant_from=relevant_from, scale_max=scale_max)
    parsed = parse_metric(metric)
    hits = find_hits(judgments, [answer], depth=depth)
    return float(score(judgments, hits, [parsed])[parsed][0])


Case = tuple[dict[str | int, int], list[str], dict[str, float]]

FIVE_OF_THREE: dict[str | int, int] = {f"d{i}": 3 for i in range(5)}
CASES: dict[str, Case] = {
    "one document twice": (
        {"A": 1},
        ["A", "A", "X"],
        {"mrr": 1, "map": 1, "recall@3": 1, "precision@3": 1 / 3, "ndcg@3": 1, "ndcg_exp@3": 1},
    ),
    "the best document twice": (
        {"A": 3, "B": 1},
        ["B", "A", "A"],
        {"recall@3": 1, "precision@3": 2 / 3, "ndcg@3": 0.796708, "ndcg_exp@3": 0.70981},
    ),
    "a repeat fills the page": (
        {"A": 1, "B": 1},
        ["A", "A", "B"],
        {"map": 5 / 6, "recall@2": 0.5, "precision@2": 0.5, "ndcg@2": 0.613147, "hit_rate@2": 1},
    ),
    "ids that never match": (
        {"a_bc574ae_2": 1},
        ["a", "a", "z"],
        {"mrr": 0, "map": 0, "recall@3": 0, "precision@3": 0, "ndcg@3": 0, "judged@3": 0},
    ),
    "one of five alone": (
        FIVE_OF_THREE,
        ["d0"],
        {"map": 0.2, "recall@10": 0.2, "precision@10": 0.1, "ndcg@10": 0.33916, "judged@10": 1},
    ),
    "all five behind five unknown": (
        FIVE_OF_THREE,
        [f"x{i}" for i in range(5)] + [f"d{i}" for i in range(5)],
        {"mrr": 1 / 6, "map": 0.354365, "recall@10": 1, "ndcg@10": 0.540995, "judged@10": 0.5},
    ),
    "more relevant than the cut-off": (
        {f"d{i}": 1 for i in range(12)},
        [f"d{i}" for i in range(10)],
        {"map": 10 / 12, "recall@10": 10 / 12, "precision@10": 1, "ndcg@10": 1},
    ),
    "an empty answer": (
        {"A": 1},
        [],
        {"mrr": 0, "map": 0, "recall@5": 0, "precision@5": 0, "hit_rate@5": 0, "ndcg@5": 0},
    ),
    "integer ids": (
        {42: 3, 87: 2},
        ["42", "7", "87"],
        {"map": 5 / 6, "recall@3": 1, "ndcg@3": 0.938557, "ndcg_exp@3": 0.955831},
    ),
    "a negative grade": (
        {"J": -1, "A": 2},
        ["J", "A"],
        {"mrr": 0.5, "map": 0.5, "precision@2": 0.5, "ndcg@2": 0.63093, "judged@2": 1},
    ),
    "ideal of all judged, not of what came": (
        {"a": 1, "b": 3, "c": 3},
        ["a"],
        {"ndcg@10": 0.1854328},
    ),
    "average precision over all relevant": (
        {f"d{i}": 1 for i in range(8)},
        ["d0", "d1", "d2"],
        {"map@3": 0.375, "map": 0.375},
    ),
    "a document named like the query": ({"q1": 1}, ["q1"], {"recall@10": 1, "ndcg@10": 1}),
    "two gains, two names": (
        {"a": 3, "b": 2, "c": 1, "d": 0},
        ["a", "d", "b"],
        {"ndcg@10": 4 / (3 + 2 / 1.5849625 + 0.5), "ndcg_exp@10": 0.9049495},
    ),
    "judged of what was returned": (
        {"a": 1},
        ["a", "x"],
        {"judged@5": 0.5, "judged@1": 1},
    ),
    "a repeat is not judged again": ({"a": 1}, ["a", "a"], {"judged@5": 0.5}),
    "nothing judged as wrong": ({"d12": 3, "d25": 2}, ["d12", "d25"], {"bpref": 1}),
    "wrong ones above": (
        {"a": 1, "b": 1, "n": 0, "m": 0, "j": -1},
        ["n", "j", "a", "x", "m", "b"],
        {"bpref": (1 - 1 / 2) / 2, "r_precision": 0, "f1@3": 0.4},
    ),
    "more wrong than relevant": (
        {"a": 1, "n": 0, "m": 0},
        ["a", "n", "m"],
        {"bpref": 1, "r_precision": 1, "f1@1": 1, "f1@3": 0.5},
    ),
    "a wrong one above the only right one": ({"a": 1, "n": 0}, ["n", "a"], {"bpref": 0}),
    "relevant in the top R of a short list": (
        {"a": 1, "b": 1, "c": 1, "d": 1},
        ["a", "b"],
        {"r_precision": 0.5},
    ),
    "grades as shares of the scale": (
        {"a": 3, "b": 1},
        ["a", "x", "b"],
        {"rbp(p=0.5)": 0.5416667, "rbp(p=0.5,rel=1)": 0.625, "rbp(p=0.5)@2": 0.5},
    ),
    "a threshold of its own": (
        {"a": 1, "b": 2, "c": 3},
        ["a", "b", "x"],
        {
            "precision(rel=2)@3": 1 / 3,
            "recall(rel=2)@3": 0.5,
            "mrr(rel=2)": 0.5,
            "mrr(rel=3)": 0,
            "map(rel=2)": 0.25,
            "bpref(rel=2)": 0,
            "precision@3": 2 / 3,
        },
    ),
    "a reader who stops at the first grade of 3": (
        {"a": 3, "b": 1},
        ["a", "x", "b"],
        {"err@10": 7 / 8 + 1 / 8 * 1 / 8 / 3, "err@1": 7 / 8, "err@2": 7 / 8},
    ),
}


@pytest.mark.parametrize(
    ("grades", "answer", "metric", "expected"),
    [
        pytest.param(grades, answer, metric, value, id=f"{name}: {metric}")
        for name, (grades, answer, values) in CASES.items()
        for metric, value in values.items()
    ],
)
def test_score_equals_the_hand_value(
    grades: dict[str | int, int], answer: list[str], metric: str, expected: float
) -> None:
    """Each case has the value that its definition gives on paper."""
    assert evaluate(grades, answer, metric) == pytest.approx(expected, abs=5e-5)


def test_err_depends_on_the_scale_not_on_the_data() -> None:
    """The same grades on a scale to 4 and to 2: the top of the scale is what certainty means."""
    on_four = evaluate({"a": 3, "b": 1}, ["a", "x", "b"], "err@10", scale_max=4)
    on_two = evaluate({"g": 1, "b": 2}, ["x", "g"], "err@10", scale_max=2)
    assert on_four == pytest.approx(0.44922, abs=5e-6)
    assert on_two == pytest.approx(0.125)


@pytest.mark.parametrize("metric", ["err@5", "rbp"])
def test_grade_above_the_scale_is_refused(metric: str) -> None:
    """A gain above 1 would take the metric out of [0, 1]."""
    with pytest.raises(ValueError, match="grade of 4 is above the scale's 3"):
        evaluate({"a": 4}, ["a"], metric)


def test_threshold_that_no_document_reaches() -> None:
    """With its own threshold a metric has no value where the query has no such document."""
    judgments = Judgments.build([a_query({"a": 1}), a_query({"b": 2})], relevant_from=1)
    hits = find_hits(judgments, [["a"], ["b"]], depth=3)
    strict, plain = parse_metric("recall(rel=2)@3"), parse_metric("recall@3")
    values = score(judgments, hits, [strict, plain])
    np.testing.assert_array_equal(values[strict], [np.nan, 1.0])
    np.testing.assert_array_equal(values[plain], [1.0, 1.0])


def test_score_of_lessons_lists() -> None:
    """The lessons' two examples: recall at three cut-offs, and two means over five queries."""
    first = [
        evaluate({1: 3, 3: 2, 5: 1}, ["1", "2", "3", "4", "5"], f"recall@{k}") for k in (1, 3, 5)
    ]
    lists = ["13 2 4", "10 2 4", "8 14 7", "4 3 8", "5 6 3"]
    relevant: list[list[str | int]] = [[0, 13], [9, 10], [14], [4], [5, 6]]
    judgments = Judgments.build(
        [a_query(dict.fromkeys(ids, 1), name=f"q{i}") for i, ids in enumerate(relevant)],
        relevant_from=1,
    )
    hits = find_hits(judgments, [line.split() for line in lists], depth=3)
    recall, mrr = parse_metric("recall@3"), parse_metric("mrr")
    values = score(judgments, hits, [recall, mrr])
    assert first == [1 / 3, 2 / 3, 1.0]
    assert float(values[recall].mean()) == pytest.approx(0.80)
    assert float(values[mrr].mean()) == pytest.approx(0.90)


def test_score_when_the_threshold_rises() -> None:
    """`relevant_from` moves binary metrics and leaves nDCG alone."""
    grades: dict[str | int, int] = {"a": 1, "b": 2}
    values = {
        (metric, level): evaluate(grades, ["a", "b"], metric, relevant_from=level)
        for metric in ("ndcg@10", "map")
        for level in (1, 2)
    }
    assert values["ndcg@10", 1] == values["ndcg@10", 2] == pytest.approx(0.8597187)
    assert (values["map", 1], values["map", 2]) == (1.0, 0.5)


def test_score_without_a_value() -> None:
    """Unscorable, unanswered and judged of nothing are NaN; the neighbours are untouched."""
    queries = [
        a_query({"d2": 1}, name="q1"),
        Query(query="no judgments", id="q2"),
        a_query({"d2": 1, "d3": 1}, name="q3"),
        a_query({"d2": 0}, name="q4"),
        a_query({"d2": 1}, name="q5"),
        a_query({"d2": 1}, name="q6"),
    ]
    rankings = [["d1", "d2"], ["d1"], ["d3", "d9", "d2"], ["d2"], None, []]
    judgments = Judgments.build(queries, relevant_from=1)
    mrr, judged = Metric("mrr"), Metric("judged", 3)
    values = score(judgments, find_hits(judgments, rankings, depth=3), [mrr, judged])
    nan = np.nan
    np.testing.assert_array_equal(values[mrr], [0.5, nan, 1.0, nan, nan, 0.0])
    np.testing.assert_array_equal(values[judged], [0.5, nan, 2 / 3, nan, nan, nan])
    assert judgments.scorable.tolist() == [True, False, True, False, True, True]


def test_score_of_no_queries() -> None:
    """Nothing in, nothing out."""
    judgments = Judgments.build([], relevant_from=1)
    hits = find_hits(judgments, [], depth=10)
    metrics = [parse_metric(name) for name in ("mrr", "map", "ndcg@3", "judged@3", "recall@1")]
    assert {len(values) for values in score(judgments, hits, metrics).values()} == {0}


def test_score_without_a_needed_cutoff() -> None:
    """A precision without a cut-off is refused, whoever made the metric."""
    judgments = Judgments.build([a_query({"a": 1})], relevant_from=1)
    hits = find_hits(judgments, [["a"]], depth=1)
    with pytest.raises(ValueError, match="needs a cut-off"):
        score(judgments, hits, [Metric("precision")])


def test_depth_cuts_the_whole_ranking() -> None:
    """Without a cut-off, mrr and map see `depth` places."""
    grades: dict[str | int, int] = {"a": 1}
    assert evaluate(grades, ["x", "a"], "mrr", depth=2) == 0.5
    assert evaluate(grades, ["x", "a"], "mrr", depth=1) == 0.0
    assert evaluate(grades, ["x", "a"], "map", depth=1) == 0.0


def test_condense_removes_unjudged_and_repeats() -> None:
    """Among judged documents alone, ranks close up; a negative grade keeps its place."""
    judgments = Judgments.build([a_query({"j": -1, "a": 2}), a_query({"a": 1})], relevant_from=1)
    hits = condense(find_hits(judgments, [["x", "j", "j", "a"], ["x"]], depth=10))
    mrr, judged = Metric("mrr"), Metric("judged", 3)
    values = score(judgments, hits, [mrr, judged])
    assert hits.rank.tolist() == [1, 2]
    assert hits.returned.tolist() == [2, 0]
    np.testing.assert_array_equal(values[mrr], [0.5, 0.0])
    np.testing.assert_array_equal(values[judged], [1.0, np.nan])


def test_find_hits_takes_first_places_within_the_depth() -> None:
    """Places behind the depth are not returned; a repeat is no second hit."""
    judgments = Judgments.build([a_query({"a": 1})], relevant_from=1)
    hits = find_hits(judgments, [("a", "x", "a", "a", "x")], depth=4)
    assert (hits.rank.tolist(), hits.grade.tolist()) == ([1], [1])
    assert hits.returned.tolist() == [4]


def test_find_hits_refuses_a_misfit() -> None:
    """One ranking a query, and a depth of 1 or more."""
    judgments = Judgments.build([a_query({"a": 1})], relevant_from=1)
    with pytest.raises(ValueError, match="2 rankings for 1 queries"):
        find_hits(judgments, [[], []], depth=1)
    with pytest.raises(ValueError, match="depth is 0"):
        find_hits(judgments, [[]], depth=0)


def test_build_refuses_grade_zero_as_relevant() -> None:
    """A threshold of 0 would make every judged document relevant."""
    with pytest.raises(ValueError, match="relevant_from is 0"):
        Judgments.build([], relevant_from=0)


def test_queries_that_differ_in_composition_stay_apart() -> None:
    """Ids are compared code point by code point."""
    queries = [a_query({text: 1}, name=text) for text in ("Nike", "nike", "café", "cafe\u0301")]
    judgments = Judgments.build(queries, relevant_from=1)
    rankings = [[query.id] for query in queries]
    recall = Metric("recall", 1)
    right = score(judgments, find_hits(judgments, rankings, depth=1), [recall])[recall]
    wrong = score(judgments, find_hits(judgments, rankings[::-1], depth=1), [recall])[recall]
    assert (right.tolist(), wrong.tolist()) == ([1.0] * 4, [0.0] * 4)
