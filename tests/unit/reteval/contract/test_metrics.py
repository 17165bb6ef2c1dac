"""Names of metrics: one canonical spelling, ir_measures' as aliases, unknown ones refused."""

import random

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reteval.contract.definitions import FORMULAS
from reteval.contract.metrics import (
    FAMILIES,
    Family,
    Metric,
    UnknownMetricError,
    expand_metrics,
    parse_metric,
)

IR_MEASURES = {
    "nDCG@10": "ndcg@10",
    "nDCG(dcg='exp-log2')@10": "ndcg_exp@10",
    "R@5": "recall@5",
    "R(rel=2)@5": "recall(rel=2)@5",
    "P@5": "precision@5",
    "P(rel=2)@5": "precision(rel=2)@5",
    "RR": "mrr",
    "RR@10": "mrr@10",
    "RR(rel=2)": "mrr(rel=2)",
    "AP": "map",
    "AP@100": "map@100",
    "AP(rel=3)": "map(rel=3)",
    "Success@5": "hit_rate@5",
    "Rprec": "r_precision",
    "Rprec(rel=2)": "r_precision(rel=2)",
    "Bpref": "bpref",
    "Bpref(rel=2)": "bpref(rel=2)",
    "ERR@20": "err@20",
    "RBP": "rbp(p=0.8)",
    "RBP(p=0.5)": "rbp(p=0.5)",
    "RBP(p=0.5)@10": "rbp(p=0.5)@10",
    "RBP(rel=1)": "rbp(p=0.8,rel=1)",
    "RBP(p=0.9,rel=2)@5": "rbp(p=0.9,rel=2)@5",
    "Judged@10": "judged@10",
}
OURS = {
    "success@3": "hit_rate@3",
    "f1(rel=2)@5": "f1(rel=2)@5",
    "rbp( rel = 2 , p=0.50 )": "rbp(p=0.5,rel=2)",
    "rbp(p=.8)": "rbp(p=0.8)",
}


@st.composite
def metrics(draw: st.DrawFn) -> Metric:
    """Draw any metric that can be asked for."""
    family = draw(st.sampled_from(list(FAMILIES.values())))
    cut = st.integers(1, 1_000)
    k = draw({"required": cut, "optional": st.none() | cut, "none": st.none()}[family.cutoff])
    rel = draw(st.none() | st.integers(1, 100)) if "rel" in family.parameters else None
    p = draw(st.integers(10, 999)) / 1_000 if "p" in family.parameters else None
    return Metric(family.name, k, rel=rel, p=p)


@given(metrics())
def test_canonical_name_is_read_back(metric: Metric) -> None:
    """Printing and parsing a metric gives the same metric, and the same name."""
    assert parse_metric(str(metric)) == metric
    assert str(parse_metric(str(metric))) == str(metric)
    assert expand_metrics([str(metric)], [7]) == (metric,)


@pytest.mark.parametrize(("spelled", "canonical"), [*IR_MEASURES.items(), *OURS.items()])
def test_alias_has_one_canonical_name(spelled: str, canonical: str) -> None:
    """Each spelling is read as the metric that its canonical name means."""
    assert str(parse_metric(spelled)) == canonical


@pytest.mark.parametrize("spelled", IR_MEASURES)
def test_alias_is_a_measure_of_ir_measures(spelled: str) -> None:
    """What we call its spelling is one that it reads, and its own printing is read by us too."""
    printed = str(ir_measures.parse_measure(spelled))
    assert str(parse_metric(printed)) == IR_MEASURES[spelled]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ndgc@10", "'ndgc@10' is no metric; the nearest is 'ndcg@10'"),
        ("recal@5", "nearest is 'recall@10'"),
        ("RBPP(p=0.8)", r"nearest is 'rbp\(p=0.8\)'"),
        ("bprev", "nearest is 'bpref'"),
        ("", "nearest is"),
        ("ndcg@0", "is no metric"),
        ("ndcg@", "is no metric"),
        ("ndcg@010", "is no metric"),
        ("ndcg @10", "is no metric"),
        ("ndcg@10\n", "is no metric"),
        ("ndcg@1001", "cut-off is at most 1000"),
        ("precision", "needs a cut-off, such as precision@10"),
        ("precision(rel=2)", r"needs a cut-off, such as precision\(rel=2\)@10"),
        ("bpref@5", "takes no cut-off; leave @5 out"),
        ("r_precision(rel=1)@5", "takes no cut-off"),
        ("ndcg(rel=2)@5", "'rel=2' is not understood; ndcg takes no parameter"),
        ("precision(p=0.5)@5", "precision takes rel"),
        ("rbp(p=0.5,p=0.6)", "takes p and rel, each once"),
        ("rbp()", "'' is not understood"),
        ("rbp(0.5)", "'0.5' is not understood"),
        ("rbp(p=1)", "p lies between 0.01 and 0.999"),
        ("rbp(p=0.001)", "p lies between"),
        ("rbp(p=0.12345678)", "at most six decimals"),
        ("rbp(p=nan)", "p lies between"),
        ("map(rel=0)", "rel is a grade from 1 to 100"),
        ("map(rel=101)", "rel is a grade"),
        ("map(rel=-1)", "rel is a grade"),
        ("nDCG(dcg='natural')@5", "ndcg takes no parameter"),
    ],
)
def test_unknown_name_is_refused(text: str, message: str) -> None:
    """The message names the nearest metric, or what the known one takes."""
    with pytest.raises(UnknownMetricError, match=message):
        parse_metric(text)


def test_bare_name_expands_with_its_parameters() -> None:
    """A required cut-off is filled in from the k values, an optional one is not."""
    expanded = expand_metrics(["precision(rel=2)", "rbp", "P(rel=2)@3", "bpref"], [1, 3])
    assert list(map(str, expanded)) == [
        "precision(rel=2)@1",
        "precision(rel=2)@3",
        "rbp(p=0.8)",
        "bpref",
    ]


def test_metrics_sort_and_hash() -> None:
    """Metrics with and without cut-off and parameters are ordered, and equal ones are one key."""
    names = ["map", "map@5", "map(rel=2)", "map(rel=2)@5", "mrr", "rbp(p=0.5)", "rbp(p=0.8)"]
    ordered = [parse_metric(name) for name in names]
    mixed = random.Random(3).sample(ordered, len(ordered))  # noqa: S311  (test data)
    assert sorted(mixed) == ordered
    assert len({*ordered, *map(parse_metric, names)}) == len(names)


def test_graded_when_the_height_counts() -> None:
    """The gain of rbp is the grade unless a threshold makes it binary."""
    graded = [parse_metric(name).graded for name in ("ndcg@5", "err@5", "rbp", "rbp(rel=1)", "map")]
    assert graded == [True, True, True, False, False]


def test_every_family_is_defined() -> None:
    """Each has a formula in words, and no spelling means two metrics."""
    assert list(FORMULAS) == list(FAMILIES)
    spellings = [
        spelling for family in FAMILIES.values() for spelling in (family.name, *family.aliases)
    ]
    assert len(set(spellings)) == len(spellings)
    assert all(isinstance(family, Family) for family in FAMILIES.values())
