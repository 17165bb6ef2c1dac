"""The kernels against trec_eval (through pytrec_eval), ir_measures, gdeval and plain Python."""

import math
import random
import shutil
from collections.abc import Sequence

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from reteval.contract.metrics import Metric, expand_metrics, parse_metric
from reteval.contract.testsets import Judgment, Query
from worker.metrics.hits import condense, find_hits
from worker.metrics.judgments import Judgments
from worker.metrics.kernel import Values, score

DEPTH = 12
CUTOFFS = (1, 3, 5, 10)
TREC = {
    "recall": "recall",
    "precision": "P",
    "hit_rate": "success",
    "ndcg": "ndcg_cut",
    "map": "map_cut",
}
DOCUMENTS = st.integers(0, 19).map("d{}".format)
GRADES = st.dictionaries(DOCUMENTS, st.integers(-1, 4), max_size=10)
RANKINGS = st.lists(DOCUMENTS, unique=True, max_size=DEPTH)
REPEATING = st.lists(DOCUMENTS, max_size=DEPTH + 3)
MANY = settings(max_examples=250, deadline=None)

Case = tuple[dict[str, int], list[str]]


def judge(grades: Sequence[dict[str, int]], *, relevant_from: int = 1) -> Judgments:
    """Index queries q0, q1, ... with these grades."""
    queries = [
        Query(query="x", id=f"q{i}", relevant=[Judgment(d, g) for d, g in judged.items()])
        for i, judged in enumerate(grades)
    ]
    return Judgments.build(queries, relevant_from=relevant_from)


def evaluate(
    cases: Sequence[Case],
    metrics: Sequence[Metric],
    *,
    relevant_from: int = 1,
    condensed: bool = False,
) -> tuple[Judgments, dict[Metric, Values]]:
    """Score the cases by our kernels."""
    judgments = judge([grades for grades, _ in cases], relevant_from=relevant_from)
    hits = find_hits(judgments, [ranking for _, ranking in cases], depth=DEPTH)
    return judgments, score(judgments, condense(hits) if condensed else hits, metrics)


def trec_eval(
    cases: Sequence[Case], *, relevant_from: int, judged_only: bool = False
) -> dict[str, dict[str, float]]:
    """Score the cases by trec_eval's own code; scores keep the order delivered."""
    qrels = {f"q{i}": grades for i, (grades, _) in enumerate(cases)}
    run = {
        f"q{i}": {document: float(DEPTH - place) for place, document in enumerate(ranking)}
        for i, (_, ranking) in enumerate(cases)
    }
    cuts = ",".join(map(str, CUTOFFS))
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels,
        {"recip_rank", "map", *(f"{name}.{cuts}" for name in TREC.values())},
        relevance_level=relevant_from,
        judged_docs_only_flag=judged_only,
    )
    answer: dict[str, dict[str, float]] = evaluator.evaluate(run)
    return answer


def trec_names() -> dict[Metric, str]:
    """Map our metrics to trec_eval's."""
    cut = {Metric(ours, k): f"{trec}_{k}" for ours, trec in TREC.items() for k in CUTOFFS}
    return {Metric("mrr"): "recip_rank", Metric("map"): "map", **cut}


def compare_with_trec_eval(
    cases: Sequence[Case], *, relevant_from: int, judged_only: bool = False
) -> None:
    """Assert equality to 1e-9 for each scorable query and each shared metric."""
    names = trec_names()
    judgments, ours = evaluate(
        cases, list(names), relevant_from=relevant_from, condensed=judged_only
    )
    theirs = trec_eval(cases, relevant_from=relevant_from, judged_only=judged_only)
    for i in np.flatnonzero(judgments.scorable).tolist():
        expected = [theirs[f"q{i}"][name] for name in names.values()]
        assert [float(ours[metric][i]) for metric in names] == pytest.approx(expected, abs=1e-9)


@MANY
@given(st.lists(st.tuples(GRADES, RANKINGS), min_size=1, max_size=5), st.integers(1, 3))
def test_score_agrees_with_trec_eval(cases: list[Case], relevant_from: int) -> None:
    """Every metric that trec_eval has is its number, at any threshold."""
    compare_with_trec_eval(cases, relevant_from=relevant_from)


@MANY
@given(
    st.lists(
        st.tuples(st.dictionaries(DOCUMENTS, st.integers(0, 3), max_size=10), RANKINGS),
        min_size=1,
        max_size=5,
    )
)
def test_condense_agrees_with_trec_eval_judged_only(cases: list[Case]) -> None:
    """Without negative grades, the condensed list is trec_eval's -J."""
    compare_with_trec_eval(cases, relevant_from=1, judged_only=True)


@MANY
@given(st.lists(st.tuples(GRADES, RANKINGS), min_size=1, max_size=3))
def test_score_agrees_with_ir_measures(cases: list[Case]) -> None:
    """The ir_measures spellings are aliases of the same numbers, judged@k included."""
    names = ["nDCG@10", "R@5", "P@5", "RR@3", "RR", "AP", "AP@5", "Success@3", "Judged@5"]
    metrics = {parse_metric(name): ir_measures.parse_measure(name) for name in names}
    judgments, ours = evaluate(cases, list(metrics))
    usable = [
        i for i in np.flatnonzero(judgments.scorable).tolist() if cases[i][1]
    ]  # its judged@k divides by the length of the answer
    if not usable:
        return
    qrels = [ir_measures.Qrel(f"q{i}", d, g) for i in usable for d, g in cases[i][0].items()]
    run = [
        ir_measures.ScoredDoc(f"q{i}", d, float(DEPTH - place))
        for i in usable
        for place, d in enumerate(cases[i][1])
    ]
    theirs = {
        (value.query_id, value.measure): value.value
        for value in ir_measures.iter_calc(list(metrics.values()), qrels, run)
    }
    for metric, measure in metrics.items():
        expected = [theirs[f"q{i}", measure] for i in usable]
        assert [float(ours[metric][i]) for i in usable] == pytest.approx(expected, abs=1e-9)


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a perl script")
def test_ndcg_exp_agrees_with_gdeval() -> None:
    """Exponential gain is gdeval's, to the five decimals it prints."""
    rng = random.Random(11)  # noqa: S311  (test data, not a secret)
    documents = [f"d{i}" for i in range(20)]
    cases = [
        (
            {d: rng.randint(0, 4) for d in rng.sample(documents, 8)} | {"d0": 1},
            rng.sample(documents, rng.randint(1, DEPTH)),
        )
        for _ in range(300)
    ]
    metric, measure = Metric("ndcg_exp", 5), ir_measures.nDCG(dcg="exp-log2") @ 5
    _, ours = evaluate(cases, [metric])
    # gdeval reads query ids as numbers.
    qrels = [ir_measures.Qrel(str(i), d, g) for i, (q, _) in enumerate(cases) for d, g in q.items()]
    run = [
        ir_measures.ScoredDoc(str(i), d, float(DEPTH - place))
        for i, (_, ranking) in enumerate(cases)
        for place, d in enumerate(ranking)
    ]
    theirs = {int(v.query_id): v.value for v in ir_measures.iter_calc([measure], qrels, run)}
    expected = [theirs[i] for i in range(len(cases))]
    assert ours[metric].tolist() == pytest.approx(expected, abs=6e-6)


def plain_score(metric: Metric, grades: dict[str, int], ranking: list[str]) -> float:
    """Score one ranking by the definitions of the documentation, document by document."""
    ranking = ranking[:DEPTH]
    k = metric.k or DEPTH
    seen: set[str] = set()
    places = []  # grade of each place, None for unjudged ones and repeats
    for document in ranking:
        places.append(None if document in seen else grades.get(document))
        seen.add(document)
    total = sum(grade >= 1 for grade in grades.values())
    relevant = [grade is not None and grade >= 1 for grade in places]
    if metric.name == "judged":
        top = places[:k]
        return sum(grade is not None for grade in top) / len(top) if top else math.nan
    if metric.name in ("ndcg", "ndcg_exp"):
        return plain_ndcg(metric, grades, places)
    found = [rank for rank, is_relevant in enumerate(relevant[:k], start=1) if is_relevant]
    return {
        "recall": len(found) / total,
        "precision": len(found) / k,
        "hit_rate": float(bool(found)),
        "mrr": 1 / found[0] if found else 0.0,
        "map": sum(n / rank for n, rank in enumerate(found, start=1)) / total,
    }[metric.name]


def plain_ndcg(metric: Metric, grades: dict[str, int], places: list[int | None]) -> float:
    """Divide the discounted gain by the ideal one."""

    def discounted(ordered: Sequence[int | None]) -> float:
        gains = [max(grade or 0, 0) for grade in ordered[: metric.k]]
        if metric.name == "ndcg_exp":
            gains = [2**gain - 1 for gain in gains]
        return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))

    return discounted(places) / discounted(sorted(grades.values(), reverse=True))


@MANY
@given(st.lists(st.tuples(GRADES, REPEATING), min_size=1, max_size=5))
def test_score_agrees_with_the_definitions(cases: list[Case]) -> None:
    """With repeats, long answers and negative grades, each value is its definition's, in [0, 1]."""
    metrics = [*expand_metrics([], CUTOFFS), Metric("mrr", 3), Metric("map", 3)]
    judgments, ours = evaluate(cases, metrics)
    for i in np.flatnonzero(judgments.scorable).tolist():
        for metric in metrics:
            value = float(ours[metric][i])
            assert value == pytest.approx(plain_score(metric, *cases[i]), abs=1e-12, nan_ok=True)
            assert math.isnan(value) or 0.0 <= value <= 1.0


@MANY
@given(st.lists(st.tuples(GRADES, REPEATING), min_size=2, max_size=5))
def test_score_of_a_query_ignores_its_neighbours(cases: list[Case]) -> None:
    """A query scored alone has the value it has among others, to the last bit."""
    metrics = expand_metrics([], CUTOFFS)
    _, together = evaluate(cases, metrics)
    alone = [evaluate([case], metrics)[1] for case in cases]
    for metric in metrics:
        np.testing.assert_array_equal(
            together[metric], np.concatenate([values[metric] for values in alone])
        )
