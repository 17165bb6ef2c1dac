"""The kernels against trec_eval (through pytrec_eval), ir_measures and gdeval.

Each test sees over 2,000 cases made by hypothesis, in batches, and every metric in each.
"""

import random
import shutil
from collections.abc import Sequence

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from reteval.contract.metrics import Metric, parse_metric
from tests.unit.worker.metrics.cases import (
    BATCH,
    CUTOFFS,
    DEPTH,
    MANY,
    WISE_GRADES,
    Case,
    cases,
    evaluate,
)

CUT = {
    "recall": "recall",
    "precision": "P",
    "hit_rate": "success",
    "ndcg": "ndcg_cut",
    "map": "map_cut",
}
WHOLE = {"mrr": "recip_rank", "map": "map", "r_precision": "Rprec", "bpref": "bpref"}
TIED = [
    *("nDCG@10", "R@5", "P@5", "RR", "AP", "AP@5", "Success@3", "Rprec", "Bpref"),
    *("P(rel=2)@5", "AP(rel=2)", "RR(rel=2)", "R(rel=3)@5", "Bpref(rel=2)", "Rprec(rel=2)"),
]
UNTIED = ["RR@3", "RR(rel=2)@5", "Judged@5"]
BATCHES = st.lists(cases(), min_size=BATCH, max_size=BATCH)
BATCHES_WITHOUT_NEGATIVES = st.lists(cases(grades=WISE_GRADES), min_size=BATCH, max_size=BATCH)


def trec_names(rel: int | None = None) -> dict[Metric, str]:
    """Map our metrics to trec_eval's; binary ones alone when a threshold is given."""
    cut = {Metric(ours, k, rel=rel): f"{trec}_{k}" for ours, trec in CUT.items() for k in CUTOFFS}
    whole = {Metric(ours, rel=rel): trec for ours, trec in WHOLE.items()}
    return {m: trec for m, trec in (whole | cut).items() if rel is None or not m.family.graded}


def trec_eval(
    batch: Sequence[Case], *, level: int, judged_only: bool = False
) -> dict[str, dict[str, float]]:
    """Score the cases by trec_eval's own code.

    It reads beyond an array where no grade reaches the level; such a query has no value anyway.
    """
    scored = {
        f"q{place}": case
        for place, case in enumerate(batch)
        if max(case.grades.values(), default=0) >= level
    }
    cuts = ",".join(map(str, CUTOFFS))
    evaluator = pytrec_eval.RelevanceEvaluator(
        {name: case.grades for name, case in scored.items()},
        {*WHOLE.values(), *(f"{name}.{cuts}" for name in CUT.values())},
        relevance_level=level,
        judged_docs_only_flag=judged_only,
    )
    answer: dict[str, dict[str, float]] = evaluator.evaluate(
        {name: case.run for name, case in scored.items()}
    )
    return answer


def assert_equal(
    ours: dict[Metric, np.ndarray[tuple[int], np.dtype[np.float64]]],
    theirs: dict[str, dict[str, float]],
    names: dict[Metric, str],
) -> None:
    """Assert equality to 1e-9 of each value we have, and that there are such values."""
    for metric, name in names.items():
        places = np.flatnonzero(~np.isnan(ours[metric])).tolist()
        expected = [theirs[f"q{place}"][name] for place in places]
        np.testing.assert_allclose(ours[metric][places], expected, rtol=0, atol=1e-9)


@MANY
@given(BATCHES, st.integers(1, 3))
def test_score_agrees_with_trec_eval(batch: list[Case], level: int) -> None:
    """Every metric that trec_eval has is its number at any threshold, the set's or its own."""
    theirs = trec_eval(batch, level=level)
    names = trec_names()
    f1 = [Metric("f1", k) for k in CUTOFFS]
    judgments, ours = evaluate(batch, [*names, *f1], relevant_from=level)
    assert_equal(ours, theirs, names)
    for metric in f1:
        expected = [combine(theirs.get(f"q{place}"), metric.k) for place in range(len(batch))]
        np.testing.assert_allclose(ours[metric], expected, rtol=0, atol=1e-9)
    for values in ours.values():
        assert np.array_equal(np.isnan(values), ~judgments.scorable)
    with_rel = trec_names(level)
    _, own = evaluate(batch, list(with_rel))
    assert_equal(own, theirs, with_rel)


def combine(row: dict[str, float] | None, k: int | None) -> float:
    """Return the harmonic mean of trec_eval's precision and recall."""
    if row is None:
        return np.nan
    precision, recall = row[f"P_{k}"], row[f"recall_{k}"]
    return 2 * precision * recall / (precision + recall) if recall else 0.0


@settings(MANY, max_examples=20)
@given(BATCHES_WITHOUT_NEGATIVES)
def test_condense_agrees_with_trec_eval_judged_only(batch: list[Case]) -> None:
    """Without negative grades, the condensed list is trec_eval's -J."""
    names = trec_names()
    _, ours = evaluate(batch, list(names), condensed=True)
    assert_equal(ours, trec_eval(batch, level=1, judged_only=True), names)


@MANY
@given(BATCHES)
def test_score_agrees_with_ir_measures(batch: list[Case]) -> None:
    """The ir_measures spellings are aliases of the same numbers.

    Where it orders equal scores by another rule than in its other measures, there are none.
    """
    compare_with_ir_measures(batch, TIED)
    strict = [Case(c.grades, c.ranking, [-float(i) for i in range(len(c.ranking))]) for c in batch]
    compare_with_ir_measures(strict, UNTIED)


def compare_with_ir_measures(batch: list[Case], names: list[str]) -> None:
    """Assert equality to 1e-9 for cases with an answer (its judged@k fails on an empty one)."""
    metrics = {parse_metric(name): ir_measures.parse_measure(name) for name in names}
    _, ours = evaluate(batch, list(metrics))
    for level in {metric.rel or 1 for metric in metrics}:
        # As in trec_eval: only where a grade reaches the level.
        usable = {
            f"q{place}": case
            for place, case in enumerate(batch)
            if case.ranking and max(case.grades.values(), default=0) >= level
        }
        at_level = {m: measure for m, measure in metrics.items() if (m.rel or 1) == level}
        theirs = ir_measures.iter_calc(
            list(at_level.values()),
            {name: case.grades for name, case in usable.items()},
            {name: case.run for name, case in usable.items()},
        )
        values = {(value.query_id, value.measure): value.value for value in theirs}
        for metric, measure in at_level.items():
            for name in usable:
                value = float(ours[metric][int(name[1:])])
                assert abs(value - values[name, measure]) < 1e-9


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a perl script")
def test_graded_metrics_agree_with_gdeval() -> None:
    """Exponential gain and err (scale to 4) are gdeval's, to the five decimals it prints."""
    rng = random.Random(11)  # noqa: S311  (test data, not a secret)
    documents = [f"d{i}" for i in range(20)]
    batch = []
    for _ in range(2_000):
        ranking = rng.sample(documents, rng.randint(1, DEPTH))
        judged = {d: rng.randint(0, 4) for d in rng.sample(documents, 8)} | {"d0": 1}
        batch.append(Case(judged, ranking, [float(DEPTH - i) for i in range(len(ranking))]))
    measures = {
        Metric("ndcg_exp", 5): ir_measures.nDCG(dcg="exp-log2") @ 5,
        Metric("err", 10): ir_measures.ERR @ 10,
    }
    _, ours = evaluate(batch, list(measures))
    # gdeval reads query ids as numbers.
    theirs = {
        (int(value.query_id), value.measure): value.value
        for value in ir_measures.iter_calc(
            list(measures.values()),
            {str(i): case.grades for i, case in enumerate(batch)},
            {str(i): case.run for i, case in enumerate(batch)},
        )
    }
    for metric, measure in measures.items():
        expected = [theirs[i, measure] for i in range(len(batch))]
        assert ours[metric].tolist() == pytest.approx(expected, abs=6e-6)
