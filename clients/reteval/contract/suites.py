"""Suites: several test sets that are run as one, and what one run over all of them brought."""

from typing import Annotated, Final

from msgspec import UNSET, Meta, Struct, UnsetType, field

from reteval.contract import limits
from reteval.contract.results import Counts, MetricSummary
from reteval.contract.runs import Progress, RunOptions, RunStatus, TestSetRef

MAX_SUITES: Final = 100
MAX_SUITE_SETS: Final = 50
MAX_WEIGHT: Final = 1_000_000.0
MACRO: Final = {
    "mean": "sum of weight * mean over the sets / sum of the weights: a set counts once, whatever "
    "its number of queries; null unless every set has a mean",
    "ci": "from the interval of each set: mean - sqrt(sum of (weight * (its mean - low end))^2) "
    "/ sum of the weights, and the upper end alike; the sets are taken as they are, and their "
    "errors as independent; null unless every set has an interval",
}
"""The rules of a macro mean."""

Ref = Annotated[str, Meta(min_length=1, max_length=limits.MAX_NAME_BYTES)]
Weight = Annotated[float, Meta(gt=0, le=MAX_WEIGHT)]


class SuiteRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST /v1/suites`.

    `test_sets` are ids, or names, of which a run takes the newest version. `weights` are in the
    macro mean, one for each; all weigh the same without.
    """

    name: Ref
    test_sets: Annotated[list[Ref], Meta(min_length=1, max_length=MAX_SUITE_SETS)]
    weights: Annotated[list[Weight], Meta(max_length=MAX_SUITE_SETS)] | None = None


class SuiteMember(Struct, frozen=True, kw_only=True):
    """A test set of a suite, as it was named."""

    test_set: str
    weight: float


class Suite(Struct, frozen=True, kw_only=True):
    """A stored suite; it never changes."""

    id: str
    name: str
    members: tuple[SuiteMember, ...]
    created_at: str


class SuitePage(Struct, frozen=True, kw_only=True):
    """A page of suites, newest first."""

    items: tuple[Suite, ...]
    next_cursor: str | None = None


class SuiteRunRequest(RunOptions, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST /v1/suites/{id}/runs`: that of a run, without a test set."""


class SuiteRow(Struct, frozen=True, kw_only=True):
    """One set of a suite's run. `status` is null where the run was deleted.

    Where `metrics` is null, `reason` says why: what the run's report says, or `not_ended`,
    `deleted`, `unreadable`, or `not_shown` where only the state was asked for.
    """

    run: str
    test_set: TestSetRef
    weight: float
    status: RunStatus | None
    num_queries: int | None = None
    counts: Counts | None = None
    metrics: dict[str, MetricSummary] | None = None
    reason: str | UnsetType = UNSET


class MacroMean(Struct, frozen=True, kw_only=True):
    """A mean over sets, of which `sets` have one. Where it or `ci` is null, `reason` says why."""

    mean: float | None
    ci: tuple[float, float] | None
    level: float
    sets: int
    reason: str | UnsetType = UNSET


class SuiteRun(Struct, frozen=True, kw_only=True):
    """A run over all sets of a suite; its state is that of its runs.

    `queued` until one of them is worked on, `running` until all have ended; then `cancelled` if
    one was, `failed` if none has numbers, `completed` if all went well, else
    `completed_with_errors`. `counts` are sums over the runs that have ended, as are
    `num_queries`. `macro` is empty until all have ended.
    """

    id: str
    suite: str
    name: str
    status: RunStatus
    label: str
    meta: dict[str, str]
    created_at: str
    progress: Progress
    num_queries: int
    counts: Counts
    rows: tuple[SuiteRow, ...]
    macro: dict[str, MacroMean] = field(default_factory=dict)
    definitions: dict[str, str] = field(default_factory=lambda: dict(MACRO))
    links: dict[str, str] = field(default_factory=dict)
    poll_after_s: float | None = None


class SuiteRunHead(Struct, frozen=True, kw_only=True):
    """A suite's run in a list."""

    id: str
    suite: str
    label: str
    meta: dict[str, str]
    created_at: str
    runs: tuple[str, ...]


class SuiteRunPage(Struct, frozen=True, kw_only=True):
    """A page of a suite's runs, newest first."""

    items: tuple[SuiteRunHead, ...]
    next_cursor: str | None = None
