"""What can be asked for: metrics with their formulas, and kinds of adversarial variants."""

from typing import Final

from msgspec import Struct

from reteval.contract.kinds import KINDS, OUT_OF_CORPUS_TIERS, PRESETS, SUITE
from reteval.contract.metrics import FAMILIES


class MetricEntry(Struct, frozen=True, kw_only=True):
    """A metric. `cutoff`: "required" (`recall@5`) or "optional" (`mrr`, `mrr@10`).

    `example` is its value for the ranking and judgments of the catalogue's `example`.
    """

    name: str
    formula: str
    cutoff: str
    graded: bool
    aliases: tuple[str, ...]
    example: dict[str, float]


class WorkedExample(Struct, frozen=True, kw_only=True):
    """The query that every metric's `example` is worked out for."""

    ranking: tuple[str, ...]
    grades: dict[str, int]


class MetricCatalogue(Struct, frozen=True, kw_only=True):
    """All metrics."""

    example: WorkedExample
    metrics: tuple[MetricEntry, ...]


class KindEntry(Struct, frozen=True, kw_only=True):
    """A kind of variant. `labels` says what it does to the judgments of its query."""

    name: str
    family: str
    about: str
    labels: str
    target: str
    severities: tuple[int, ...]
    replicates: int


class PresetEntry(Struct, frozen=True, kw_only=True):
    """A choice of kinds with their severities, and the most clean queries sampled for them."""

    name: str
    kinds: dict[str, tuple[int, ...]]
    sample: int
    out_of_corpus: bool


class KindCatalogue(Struct, frozen=True, kw_only=True):
    """The suite, its kinds and presets, and the queries of each out-of-corpus tier."""

    suite: str
    kinds: tuple[KindEntry, ...]
    presets: tuple[PresetEntry, ...]
    out_of_corpus: dict[str, int]


EXAMPLE: Final = WorkedExample(ranking=("x", "a", "y", "b"), grades={"a": 3, "b": 1, "x": 0})
FORMULAS: Final = {
    "recall": ("relevant documents in the top k / all relevant documents", {"recall@2": 1 / 2}),
    "hit_rate": ("1 if a relevant document is in the top k, else 0", {"hit_rate@2": 1.0}),
    "precision": ("relevant documents in the top k / k", {"precision@2": 1 / 2}),
    "mrr": ("1 / rank of the first relevant document; 0 without one", {"mrr": 1 / 2}),
    "ndcg": (
        "sum of grade / log2(rank + 1) over the top k / the same sum for all judged by grade",
        {"ndcg@2": 0.521296028614},
    ),
    "ndcg_exp": (
        "as ndcg, with the gain 2^grade - 1 in place of the grade",
        {"ndcg_exp@2": 0.578764111009},
    ),
    "map": (
        "sum of precision at the rank of each relevant document found / all relevant documents",
        {"map": 1 / 2},
    ),
    "judged": (
        "judged documents in the top k / min(k, documents returned); undefined for an empty answer",
        {"judged@3": 2 / 3},
    ),
}


def list_metrics() -> MetricCatalogue:
    """Return every metric with its formula and a worked example."""
    return MetricCatalogue(
        example=EXAMPLE,
        metrics=tuple(
            MetricEntry(
                name=family.name,
                formula=FORMULAS[family.name][0],
                cutoff=family.cutoff,
                graded=family.graded,
                aliases=family.aliases,
                example=FORMULAS[family.name][1],
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
