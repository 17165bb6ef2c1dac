"""Queries that nothing in the collection answers: how often the endpoint says so, and could."""

from msgspec import UNSET, Struct, UnsetType


class Ratio(Struct, frozen=True, kw_only=True):
    """A share or mean over n queries or pages; null with a reason."""

    value: float | None
    n: int
    reason: str | UnsetType = UNSET


class Auroc(Struct, frozen=True, kw_only=True):
    """Chance that an answerable query scores above an unanswerable one; ties count half.

    By the best score (`top1`), the mean of the page (`mean_k`) and the lead of the first over
    the second (`gap`). Only queries of equal length, give or take a word, are compared, since
    lexical scores grow with the query: `n` of `of` unanswerable queries have such a partner. An
    empty page counts as the lowest confidence.
    """

    top1: float | None
    mean_k: float | None
    gap: float | None
    n: int
    of: int
    reason: str | UnsetType = UNSET


class Floor(Struct, frozen=True, kw_only=True):
    """A score below which to return nothing: advice, never applied.

    Chosen on half of the queries (Youden's index) and judged on the other half: the shares of
    `clean` answerable queries it would refuse, and of `queries` unanswerable ones it would still
    answer. `keep` says on which side of `value` hits stay.
    """

    value: float | None
    keep: str | UnsetType = UNSET
    refused: float | UnsetType = UNSET
    clean: int | UnsetType = UNSET
    answered: float | UnsetType = UNSET
    queries: int | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class Tier(Struct, frozen=True, kw_only=True):
    """How the endpoint answered queries that nothing in it can answer.

    `dropped` counts entries left out as possibly answerable and `flagged` those kept under
    suspicion, by check; `unchecked` names the checks that were not made, each with its reason.
    `fpr_at_95` is the share that would pass a floor which keeps 95 % of the clean queries.
    `junk_concentration` is the share of the pages that hold the commonest document, `junk`.
    `repeatability` is the mean Jaccard overlap of two answers to the same query. Fields with a
    default are absent in reports of suite 2026.0.
    """

    tier: str
    queries: int
    answered: int
    abstention_rate: float | None
    abstention_ci: tuple[float, float] | None
    page_fill: float | None
    status: dict[str, int]
    examples: tuple[str, ...]
    false_answer_rate: float | UnsetType | None = UNSET
    dropped: dict[str, int] = {}
    flagged: dict[str, int] = {}
    unchecked: dict[str, str] = {}
    score_auroc: Auroc | UnsetType = UNSET
    length_matched: bool | UnsetType = UNSET
    fpr_at_95: Ratio | UnsetType = UNSET
    suggested_floor: Floor | UnsetType = UNSET
    junk_concentration: Ratio | UnsetType = UNSET
    junk: str | UnsetType = UNSET
    repeatability: Ratio | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class Refusals(Struct, frozen=True, kw_only=True):
    """Clean queries with known answers that came back empty: the price of abstaining."""

    n: int
    of: int


class ScoreSense(Struct, frozen=True, kw_only=True):
    """Which way the endpoint's scores run, seen on the clean queries, or why that is unknown."""

    direction: str | None
    reason: str | UnsetType = UNSET


class RiskCoverage(Struct, frozen=True, kw_only=True):
    """What answering only the most confident clean queries would save.

    `risk` is 1 - metric over the answered share (`at` has it by coverage), `aurc` its mean over
    all coverages: near `at["1.00"]` the scores are no help.
    """

    aurc: float | None
    at: dict[str, float]
    n: int
    metric: str
    confidence: str = "top1"
    reason: str | UnsetType = UNSET


class OutOfCorpus(Struct, frozen=True, kw_only=True):
    """Queries without an answer; never part of any drop."""

    tiers: tuple[Tier, ...]
    false_refusal_rate: Refusals
    score: ScoreSense | UnsetType = UNSET
    risk_coverage: RiskCoverage | UnsetType = UNSET
