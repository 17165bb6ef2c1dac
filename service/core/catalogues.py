"""What can be asked for: metrics with their formulas, and kinds of adversarial variants."""

from typing import Final

from reteval.contract.catalogues import (
    FormatCatalogue,
    KindCatalogue,
    KindEntry,
    MetricCatalogue,
    MetricEntry,
    PresetEntry,
    WorkedExample,
)
from reteval.contract.definitions import FORMULAS, RULES, THRESHOLD_SCOPE
from reteval.contract.kind_examples import KIND_EXAMPLES
from reteval.contract.kinds import KINDS, OUT_OF_CORPUS_TIERS, PRESETS, SUITE
from reteval.contract.metrics import FAMILIES, PARAMETERS
from reteval.contract.runs import IntervalMethod
from service.core.ingest.formats.registry import describe_formats

EXAMPLE: Final = WorkedExample(
    ranking=("x", "a", "y", "b"), grades={"a": 3, "b": 1, "x": 0}, scale_max=3, relevant_from=1
)
EXAMPLES: Final[dict[str, dict[str, float]]] = {
    "recall": {"recall@2": 1 / 2, "recall(rel=2)@2": 1.0},
    "hit_rate": {"hit_rate@2": 1.0},
    "precision": {"precision@2": 1 / 2},
    "f1": {"f1@2": 1 / 2},
    "mrr": {"mrr": 1 / 2, "mrr@1": 0.0},
    "ndcg": {"ndcg@2": 0.521296028614},
    "ndcg_exp": {"ndcg_exp@2": 0.578764111009},
    "map": {"map": 1 / 2},
    "r_precision": {"r_precision": 1 / 2},
    "bpref": {"bpref": 0.0},
    "err": {"err@2": 7 / 16, "err@4": 7 / 16 + 1 / 256},
    "rbp": {"rbp(p=0.8)": 0.16 + 0.1024 / 3, "rbp(p=0.5,rel=1)": 0.3125},
    "judged": {"judged@3": 2 / 3},
}
INTERVALS: Final = {
    IntervalMethod.AUTO: "t, or Wilson's where t would not cover (shares, values crowded at an "
    "end, few queries); the default",
    IntervalMethod.T: "Student's t over queries, cut to [0, 1]",
    IntervalMethod.WILSON: "Wilson's score interval on the mean; never too narrow, often wide",
    IntervalMethod.BCA: "bias-corrected and accelerated bootstrap, 10,000 seeded resamples; "
    "slices have auto",
    IntervalMethod.WALD: "1.96 * sqrt(p * (1 - p) / n), not cut; covers too rarely near 0 and 1",
}


def list_metrics() -> MetricCatalogue:
    """Return every metric with its formula and a worked example."""
    return MetricCatalogue(
        example=EXAMPLE,
        definitions={**RULES, "threshold": f"relevant_from of the test set: {THRESHOLD_SCOPE}"},
        intervals={method.value: about for method, about in INTERVALS.items()},
        metrics=tuple(
            MetricEntry(
                name=family.name,
                formula=FORMULAS[family.name],
                cutoff=family.cutoff,
                graded=family.graded,
                parameters={name: PARAMETERS[name] for name in family.parameters},
                aliases=family.aliases,
                example=EXAMPLES[family.name],
            )
            for family in FAMILIES.values()
        ),
    )


def list_kinds() -> KindCatalogue:
    """Return the kinds and presets of the current suite."""
    return KindCatalogue(
        suite=SUITE,
        kinds=tuple(
            KindEntry(
                name=kind.name,
                family=kind.family,
                about=kind.about,
                labels=kind.labels,
                target=kind.target,
                severities=kind.severities,
                replicates=kind.replicates,
                variants={severity: kind.count(severity) for severity in kind.severities},
                invariant=kind.invariant,
                example=KIND_EXAMPLES[kind.name],
            )
            for kind in KINDS.values()
        ),
        presets=tuple(
            PresetEntry(
                name=name,
                kinds=preset.kinds,
                sample=preset.sample,
                out_of_corpus=preset.out_of_corpus,
            )
            for name, preset in PRESETS.items()
        ),
        out_of_corpus=OUT_OF_CORPUS_TIERS,
    )


def list_formats() -> FormatCatalogue:
    """Return the formats of uploads."""
    return FormatCatalogue(formats=describe_formats())
