"""Judgings: from queries to a test set, by pooling, a judge, and people who look at its doubts."""

from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta, Struct, field

from reteval.contract import limits
from reteval.contract.agreement import (
    Agreement,
    ConfigMetric,
    LabelDoubt,
    QueryAudit,
    RaterAgreement,
    Scorecard,
)
from reteval.contract.endpoints import Endpoint
from reteval.contract.judges import Judge, JudgeEstimate, Trial
from reteval.contract.pools import DEFAULT_POOL_DEPTH, MAX_POOL_DEPTH, MAX_RANDOM, PoolCounts
from reteval.contract.runs import Limits, RunStatus, TestSetRef
from reteval.contract.testsets import Name
from reteval.contract.votes import Consensus

MAX_CONFIGS: Final = 8


class JudgingState(StrEnum):
    """How far a judging is; `frozen` is the end.

    After `failed`, `cancelled` and `budget_exhausted` it goes on where it was, once asked to.
    """

    DRAFT = "draft"
    POOLING = "pooling"
    POOLED = "pooled"
    JUDGING = "judging"
    JUDGED = "judged"
    REVIEWING = "reviewing"
    FROZEN = "frozen"
    FAILED = "failed"
    CANCELLED = "cancelled"
    BUDGET_EXHAUSTED = "budget_exhausted"

    @property
    def busy(self) -> bool:
        """Whether a job is at work on it."""
        return self in (JudgingState.POOLING, JudgingState.JUDGING)

    @property
    def terminal(self) -> bool:
        """Whether nothing changes unless it is asked to."""
        return not self.busy


class JudgingRequest(Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The body of `POST /v1/judgings`: whose results are pooled for which queries.

    Every set will do for `test_set`; judgments that it has count as known. The pool of a query is
    the first `depth` documents of each endpoint and run, those that are known, and `random`
    documents of other queries' pools. Endpoints may be saved ones (`{"saved": "name"}`);
    `limits` hold for each of them. `seed` draws the random documents and shuffles every pool.
    """

    test_set: Name
    name: Annotated[str, Meta(max_length=limits.MAX_NAME_BYTES)] = ""
    endpoints: Annotated[list[Endpoint], Meta(max_length=MAX_CONFIGS)] = field(default_factory=list)
    runs: Annotated[list[Name], Meta(max_length=MAX_CONFIGS)] = field(default_factory=list)
    depth: Annotated[int, Meta(ge=1, le=MAX_POOL_DEPTH)] = DEFAULT_POOL_DEPTH
    random: Annotated[int, Meta(ge=0, le=MAX_RANDOM)] = 0
    seed: Annotated[int, Meta(ge=0, le=2**53)] = 0
    limits: Limits = Limits()


class FreezeRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST /v1/judgings/{id}/freeze`. `name` defaults to that of the queries' set.

    Pairs that failed or nobody judged stand in the way, but for `allow_unjudged`: then the set
    says so for ever.
    """

    consensus: Consensus = Consensus.HUMAN_LAST
    allow_unjudged: bool = False
    name: Name | None = None


class Review(Struct, frozen=True, kw_only=True):
    """How many pairs were put before people, and how many have a person's vote."""

    queued: int = 0
    audit: int = 0
    reviewed: int = 0


class Judging(Struct, frozen=True, kw_only=True):
    """A judging: what was asked for, its state, and what it has come to.

    `job` is at work on it, or was last. Judges stand in the order in which they began.
    """

    id: str
    name: str
    state: JudgingState
    created_at: str
    test_set: TestSetRef
    request: JudgingRequest
    scale_max: int
    links: dict[str, str] = field(default_factory=dict)
    job: str | None = None
    error: str | None = None
    pool: PoolCounts = PoolCounts()
    judges: tuple[Judge, ...] = ()
    review: Review = Review()
    frozen: TestSetRef | None = None
    poll_after_s: float | None = None

    @property
    def status(self) -> JudgingState:
        """The state, by the name that jobs have for it."""
        return self.state


class JudgingPage(Struct, frozen=True, kw_only=True):
    """A page of judgings, newest first."""

    items: tuple[Judging, ...]
    next_cursor: str | None = None


class JobKind(StrEnum):
    """What a job of a judging does."""

    POOL = "pool"
    JUDGE = "judge"
    ESTIMATE = "estimate"
    TRY = "try"
    MEASURE = "measure"
    SCORECARD = "scorecard"


class Measurement(Struct, frozen=True, kw_only=True):
    """How far the last judge agrees with people, and people among each other.

    A judge is measured on the random sample of the queue alone, as far as people have voted on
    it: what was shown to them for its doubts says nothing of the rest. `sampled` counts the pairs
    of the sample, `reviewed` those with a grade by a person; the last vote on each counts.
    `metrics` has a row for each configuration of the pool, and `labels` says how unsure the
    grades leave them; without a judge there is neither.
    """

    rater: str | None
    sampled: int
    reviewed: int
    agreement: Agreement | None
    raters: RaterAgreement
    query_audit: QueryAudit | None = None
    metrics: tuple[ConfigMetric, ...] = ()
    labels: LabelDoubt | None = None


class JudgingReport(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a short job found: the one that its kind says."""

    estimate: JudgeEstimate | None = None
    trial: Trial | None = None
    measurement: Measurement | None = None
    scorecard: Scorecard | None = None


class JudgingJob(Struct, frozen=True, kw_only=True):
    """A job of a judging; `report` is there once one of the short kinds has ended well."""

    id: str
    judging: str
    kind: JobKind
    status: RunStatus
    created_at: str
    links: dict[str, str] = field(default_factory=dict)
    error: str | None = None
    poll_after_s: float | None = None
    report: JudgingReport | None = None
