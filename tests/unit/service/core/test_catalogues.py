"""The catalogues: every metric explained by a value that the kernels reproduce."""

import pytest
import pytrec_eval

from reteval.contract.definitions import FORMULAS
from reteval.contract.metrics import FAMILIES, PARAMETERS, parse_metric
from reteval.contract.runs import IntervalMethod
from service.core.catalogues import EXAMPLE, EXAMPLES, list_kinds, list_metrics
from worker.metrics.hits import find_hits
from worker.metrics.judgments import Judgments
from worker.metrics.kernel import score

ORACLE = {
    "recall@2": "recall_2",
    "hit_rate@2": "success_2",
    "precision@2": "P_2",
    "mrr": "recip_rank",
    "ndcg@2": "ndcg_cut_2",
    "map": "map",
    "r_precision": "Rprec",
    "bpref": "bpref",
}


def shown() -> dict[str, float]:
    """Collect the examples of all metrics."""
    return {
        name: value for metric in list_metrics().metrics for name, value in metric.example.items()
    }


def test_every_metric_has_a_formula_and_an_example() -> None:
    """No family of the contract is missing, and each example is a metric that can be asked for."""
    assert list(FORMULAS) == list(EXAMPLES) == list(FAMILIES)
    for example in EXAMPLES.values():
        assert [str(parse_metric(name)) for name in example] == list(example)


def test_catalogue_explains_parameters_intervals_and_rules() -> None:
    """What may stand in parentheses, every way to make an interval, and the threshold."""
    catalogue = list_metrics()
    known = {entry.name: entry for entry in catalogue.metrics}
    assert known["rbp"].parameters == PARAMETERS
    assert known["ndcg"].parameters == {}
    assert set(catalogue.intervals) == set(IntervalMethod)
    assert {"gain", "ideal", "unjudged", "duplicates", "threshold"} <= catalogue.definitions.keys()


def test_worked_examples_are_what_the_kernels_compute() -> None:
    """Each number on show comes out of the code that scores runs."""
    judgments = Judgments.index(
        ["q"], [EXAMPLE.grades], relevant_from=EXAMPLE.relevant_from, scale_max=EXAMPLE.scale_max
    )
    hits = find_hits(judgments, [EXAMPLE.ranking], depth=10)
    values = score(judgments, hits, [parse_metric(name) for name in shown()])
    computed = {str(metric): float(column[0]) for metric, column in values.items()}
    assert computed == pytest.approx(shown(), abs=1e-9)


def test_worked_examples_agree_with_trec_eval() -> None:
    """The values shown for the example ranking are trec_eval's."""
    size = len(EXAMPLE.ranking)
    run = {"q": {doc: float(size - rank) for rank, doc in enumerate(EXAMPLE.ranking)}}
    measures = {"recall.2", "success.2", "P.2", "recip_rank", "ndcg_cut.2", "map", "Rprec", "bpref"}
    oracle = pytrec_eval.RelevanceEvaluator({"q": EXAMPLE.grades}, measures).evaluate(run)["q"]
    for name, measure in ORACLE.items():
        assert abs(shown()[name] - oracle[measure]) < 1e-9
    exponential = {"q": {doc: 2**grade - 1 for doc, grade in EXAMPLE.grades.items()}}
    evaluator = pytrec_eval.RelevanceEvaluator(exponential, {"ndcg_cut.2"})
    assert abs(shown()["ndcg_exp@2"] - evaluator.evaluate(run)["q"]["ndcg_cut_2"]) < 1e-9


def test_presets_name_kinds_of_the_suite() -> None:
    """Every kind of a preset is listed with the severities it uses."""
    catalogue = list_kinds()
    offered = {kind.name: set(kind.severities) for kind in catalogue.kinds}
    for preset in catalogue.presets:
        assert all(set(used) <= offered[name] for name, used in preset.kinds.items())
