"""The report of a run."""

from typing import Any

from msgspec import UNSET, Struct, UnsetType, field

from reteval.contract.adversarial import AdversarialReport
from reteval.contract.diagnostics import Diagnostic
from reteval.contract.latency import Histogram, Spread
from reteval.contract.runs import Limits, RunStatus, TestSetRef
from reteval.contract.shown import Tabular
from reteval.contract.splits import HoldoutLooks, SplitShare
from reteval.contract.stability import Stability


class MetricSummary(Struct, frozen=True, kw_only=True):
    """A mean over the queries that were answered, and what it is worth.

    `bounds` holds the mean over all scorable queries with failed ones counted as 0 and as 1.
    `judged_only` is the mean over rankings with unjudged documents removed. Where `mean` or
    `ci` is null, `reason` says why. `clusters` counts the units behind the interval where
    queries share a cluster.
    """

    mean: float | None
    n: int
    sd: float | None
    ci: tuple[float, float] | None
    level: float
    method: str
    bounds: tuple[float, float] | None
    judged_only: float | UnsetType | None = UNSET
    reason: str | UnsetType = UNSET
    clusters: int | UnsetType = UNSET


class Slice(Struct, frozen=True, kw_only=True):
    """The metrics of the queries of one slice; `contract.slices` says which there are."""

    n: int
    metrics: dict[str, MetricSummary]


class Counts(Struct, frozen=True, kw_only=True):
    """Outcomes of clean requests: planned = ok + ok_empty + failed + skipped.

    `unscorable` queries were not sent unless they expect nothing. `duplicate_hits` counts
    repeated documents, `cut_hits` hits beyond the depth, `short_answers` answers with fewer
    hits than the largest cut-off. Where hits are rolled up into documents, `short_lists` counts
    answers that held enough hits and too few documents: ask for more (`overfetch`).
    """

    planned: int
    ok: int
    ok_empty: int
    failed: int
    skipped: int
    unscorable: int
    duplicate_hits: int
    cut_hits: int = 0
    short_answers: int = 0
    short_lists: int = 0
    failed_by_code: dict[str, int] = field(default_factory=dict)


class Effort(Struct, frozen=True, kw_only=True):
    """What the run cost: requests sent, and how many of them were repeats."""

    attempts: int
    retried: int


class Latency(Struct, frozen=True, kw_only=True):
    """Milliseconds of clean requests answered at the first attempt; null when there are none.

    `warm_up` such requests at the head of the plan are left out of everything. `n` to `max` and
    `histogram` are from sending to the last byte. `connect` is over requests that opened a
    connection, `first_byte` ends with the head of the answer, `took` is the endpoint's own
    figure. `by_slice` and `by_kind` are totals again, variants in the latter only.
    """

    n: int
    p50: float | None
    p90: float | None
    p95: float | None
    p99: float | None
    mean: float | None
    max: float | None
    reason: str | UnsetType = UNSET
    warm_up: int = 0
    connect: Spread | None = None
    first_byte: Spread | None = None
    took: Spread | None = None
    histogram: Histogram | None = None
    by_slice: dict[str, Spread] = field(default_factory=dict)
    by_kind: dict[str, Spread] = field(default_factory=dict)


class LeakPart(Struct, frozen=True, kw_only=True):
    """Scored queries that leaked one way; null where nobody could look, `reason` says why.

    With a number, a `reason` says that there may be more.
    """

    queries: int | None
    reason: str | UnsetType = UNSET


class RunLeakage(Struct, frozen=True, kw_only=True):
    """How many scored queries were known before they were asked, and the metrics without them.

    Between splits: the set has them in a split for tuning, or another one, too. From documents:
    they stand in the text of a hit; `compared` queries were held to such texts.
    """

    queries: int | None
    share: float | None
    between_splits: LeakPart
    from_documents: LeakPart
    compared: int
    metrics_without: dict[str, MetricSummary] | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class Partial(Struct, frozen=True, kw_only=True):
    """Numbers of a failed or cancelled run, apart so that nobody takes them for its result."""

    metrics: dict[str, MetricSummary]
    note: str


class JudgmentOrigins(Struct, frozen=True, kw_only=True):
    """Whose word the judgments of a test set are, and how old they are.

    `sources` are shares of all `count`; what says no source is `unstated`. `oldest`, `median` and
    `newest` are over the `dated` ones; null where there are none, and `reason` says so.
    """

    count: int
    sources: dict[str, float]
    dated: int
    oldest: str | None
    median: str | None
    newest: str | None
    reason: str | UnsetType = UNSET


class ScoredTestSet(TestSetRef, frozen=True, kw_only=True):
    """The exact test set a run was scored on; `judgments` where the run has come to that."""

    judgments: JudgmentOrigins | UnsetType = UNSET


class Results(Tabular, Struct, frozen=True, kw_only=True):
    """Everything a run found. `metrics` is null for a run that failed; `reason` says why.

    `split` is there if the run is over a split, `holdout_looks` if it brought answers to queries
    of the hold-out; its `total` is that of the moment when the run ended.
    """

    id: str
    status: RunStatus
    test_set: ScoredTestSet
    label: str
    meta: dict[str, str]
    timestamp: str
    num_queries: int
    counts: Counts
    effort: Effort
    metrics: dict[str, MetricSummary] | None
    latency_ms: Latency
    slices: dict[str, Slice]
    diagnostics: tuple[Diagnostic, ...]
    definitions: dict[str, Any]
    depth: int
    limits: Limits
    versions: dict[str, str]
    reason: str | UnsetType = UNSET
    partial: Partial | UnsetType = UNSET
    adversarial: AdversarialReport | UnsetType = UNSET
    stability: Stability | UnsetType = UNSET
    split: SplitShare | UnsetType = UNSET
    holdout_looks: HoldoutLooks | UnsetType = UNSET
    leakage: RunLeakage | UnsetType = UNSET


class HistoryEntry(Struct, frozen=True, kw_only=True):
    """Identity of a line of `history.jsonl`; the metrics' means stand beside these keys."""

    run: str
    label: str
    timestamp: str
    num_queries: int
