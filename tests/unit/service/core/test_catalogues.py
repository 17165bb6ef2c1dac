import pytrec_eval

from reteval.contract.metrics import FAMILIES, parse_metric
from service.core.catalogues import EXAMPLE, FORMULAS, list_kinds, list_metrics

ORACLE = {
    "recall@2": "recall_2",
    "hit_rate@2": "success_2",
    "precision@2": "P_2",
    "mrr": "recip_rank",
    "ndcg@2": "ndcg_cut_2",
    "map": "map",
}


def test_every_metric_has_a_formula_and_an_example() -> None:
    """No family of the contract is missing, and each example is a metric that can be asked for."""
    assert list(FORMULAS) == list(FAMILIES)
    for _, example in FORMULAS.values():
        assert [str(parse_metric(name)) for name in example] == list(example)


def test_worked_examples_agree_with_trec_eval() -> None:
    """The values shown for the example ranking are trec_eval's."""
    size = len(EXAMPLE.ranking)
    run = {"q": {doc: float(size - rank) for rank, doc in enumerate(EXAMPLE.ranking)}}
    measures = {"recall.2", "success.2", "P.2", "recip_rank", "ndcg_cut.2", "map"}
    oracle = pytrec_eval.RelevanceEvaluator({"q": EXAMPLE.grades}, measures).evaluate(run)["q"]
    shown = {
        name: value for metric in list_metrics().metrics for name, value in metric.example.items()
    }
    for name, measure in ORACLE.items():
        assert abs(shown[name] - oracle[measure]) < 1e-9
    exponential = {"q": {doc: 2**grade - 1 for doc, grade in EXAMPLE.grades.items()}}
    evaluator = pytrec_eval.RelevanceEvaluator(exponential, {"ndcg_cut.2"})
    assert abs(shown["ndcg_exp@2"] - evaluator.evaluate(run)["q"]["ndcg_cut_2"]) < 1e-9
    assert shown["judged@3"] == 2 / 3


def test_presets_name_kinds_of_the_suite() -> None:
    """Every kind of a preset is listed with the severities it uses."""
    catalogue = list_kinds()
    offered = {kind.name: set(kind.severities) for kind in catalogue.kinds}
    for preset in catalogue.presets:
        assert all(set(used) <= offered[name] for name, used in preset.kinds.items())
