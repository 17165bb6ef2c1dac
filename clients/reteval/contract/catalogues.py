"""Catalogues: what can be asked for, as lists with a formula or an example of each."""

from msgspec import Struct

from reteval.contract.imports import FormatEntry
from reteval.contract.kind_examples import KindExample
from reteval.contract.presets import Preset


class MetricEntry(Struct, frozen=True, kw_only=True):
    """A metric. `cutoff`: "required" (`recall@5`), "optional" (`mrr`, `mrr@10`) or "none".

    `parameters` may stand in parentheses behind the name, as in `precision(rel=2)@5`. `aliases`
    are read as the same metric; reports name it by `name`. `example` is its value for the
    ranking and judgments of the catalogue's `example`.
    """

    name: str
    formula: str
    cutoff: str
    graded: bool
    parameters: dict[str, str]
    aliases: tuple[str, ...]
    example: dict[str, float]


class WorkedExample(Struct, frozen=True, kw_only=True):
    """The query that every metric's `example` is worked out for."""

    ranking: tuple[str, ...]
    grades: dict[str, int]
    scale_max: int
    relevant_from: int


class MetricCatalogue(Struct, frozen=True, kw_only=True):
    """All metrics; `definitions` are the rules that hold for each number of every report."""

    example: WorkedExample
    definitions: dict[str, str]
    intervals: dict[str, str]
    metrics: tuple[MetricEntry, ...]


class FormatCatalogue(Struct, frozen=True, kw_only=True):
    """All formats that test sets are uploaded in."""

    formats: tuple[FormatEntry, ...]


class KindEntry(Struct, frozen=True, kw_only=True):
    """A kind of variant. `labels` says what it does to the judgments of its query.

    `variants` is how many are made of a query, by severity: `replicates`, or fewer. `invariant`
    kinds change only what normalisation removes; a search should not notice them.
    """

    name: str
    family: str
    about: str
    labels: str
    target: str
    severities: tuple[int, ...]
    replicates: int
    variants: dict[int, int]
    invariant: bool
    example: KindExample


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


class PresetCatalogue(Struct, frozen=True, kw_only=True):
    """All presets."""

    presets: tuple[Preset, ...]
