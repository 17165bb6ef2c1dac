"""Judgings: from queries to a test set, by pooling, a judge, and people who look at its doubts."""

from enum import StrEnum
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct, field

from reteval.contract import limits
from reteval.contract.endpoints import Endpoint, Scalar
from reteval.contract.judge_prompts import JudgePrompt
from reteval.contract.runs import Limits, RunStatus, TestSetRef

MAX_CONFIGS: Final = 8
DEFAULT_POOL_DEPTH: Final = 20
MAX_POOL_DEPTH: Final = 200
MAX_RANDOM: Final = 50
SNAPSHOT_CHARS: Final = 20_000
"""Characters of a document that a pool keeps; of a longer one its beginning and its end."""
MAX_VOTES: Final = 5
MAX_HUMAN_VOTES: Final = 5_000
"""In one request."""
UNRATEABLE: Final = "unrateable"

Name = Annotated[str, Meta(min_length=1, max_length=limits.MAX_NAME_BYTES)]
DocId = Annotated[str, Meta(min_length=1, max_length=limits.MAX_ID_BYTES)]


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


class Sighting(Struct, frozen=True):
    """At which rank, from 1, a configuration returned a document; a run's id, or `endpoint 1`."""

    config: str
    rank: int


class PooledPair(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A document in the pool of a query. `known` is its grade in the test set.

    `text` is what was seen of the document; `cut` says that it was longer. Without a text no
    model can judge it. `random`: no configuration returned it for this query.
    """

    doc_id: str
    found: tuple[Sighting, ...] = ()
    text: str = ""
    text_sha256: str = ""
    cut: bool = False
    fetched_at: str = ""
    known: int | None = None
    random: bool = False


class PoolCounts(Struct, frozen=True, kw_only=True):
    """What is in a pool. Searches that failed are tried again when pooling is asked for again."""

    queries: int = 0
    pairs: int = 0
    known: int = 0
    random: int = 0
    without_text: int = 0
    searches: int = 0
    failed_searches: int = 0


class Prices(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a million tokens cost, in any currency."""

    prompt: Annotated[float, Meta(ge=0)] = 0.0
    completion: Annotated[float, Meta(ge=0)] = 0.0


class Caps(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a judge may come to at most; before a call that could go beyond, judging stops."""

    max_pairs: Annotated[int, Meta(ge=1)] | None = None
    max_tokens: Annotated[int, Meta(ge=1)] | None = None
    max_cost: Annotated[float, Meta(gt=0)] | None = None
    prices: Prices = Prices()


class JudgeModel(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A model behind a chat endpoint as OpenAI's: `base_url` as it is, then `/chat/completions`.

    `key` is sent as `Authorization: Bearer …`; neither it nor a header's value is ever returned.
    `params` are added to the URL, `options` to the body; an option that is null takes a default
    of ours out, such as `max_tokens` where a model wants `max_completion_tokens`.
    """

    base_url: Annotated[str, Meta(min_length=1, max_length=limits.MAX_URL_CHARS)]
    name: Name
    key: Annotated[str, Meta(max_length=limits.MAX_HEADER_BYTES)] = ""
    headers: dict[str, str] = field(default_factory=dict)
    params: dict[str, Scalar] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    limits: Limits = Limits(concurrency=8, timeout_s=60.0)


class JudgeRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who judges a pool, how it is asked, and what it may cost.

    `prompt` is an id from `GET /v1/judge-prompts`, or a prompt of your own. `votes` asks so many
    times for each pair; `logprobs` asks once, for a bare digit whose chances are read. Pairs that
    are known are judged with `known`, to compare. Of a document, `max_chars` are shown: its
    beginning and its end. Pairs that this judge has judged are not asked about again; those that
    failed are.
    """

    model: JudgeModel
    prompt: str | JudgePrompt = "graded"
    votes: Annotated[int, Meta(ge=1, le=MAX_VOTES)] = 1
    logprobs: bool = False
    known: bool = False
    caps: Caps = Caps()
    max_chars: Annotated[int, Meta(ge=200, le=SNAPSHOT_CHARS)] = 6_000


class TryRequest(JudgeRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One pair to try a judge on; without ids, the first that has a text."""

    query_id: str = ""
    doc_id: str = ""


class Spent(Struct, frozen=True, kw_only=True):
    """What judging has come to. `cached` answers were known from before and cost nothing."""

    calls: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0


class JudgeProgress(Struct, frozen=True, kw_only=True):
    """How far a judge is: of `pairs` it is to judge, some have a grade, some failed, by code."""

    pairs: int = 0
    judged: int = 0
    failed: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    spent: Spent = Spent()


class Judge(Struct, frozen=True, kw_only=True):
    """A judge of a judging: how it was asked, by the hash of its prompt, and how far it is.

    `rater` names it in votes: a digest of the model, its place, the prompt and all that can
    change an answer.
    """

    rater: str
    request: JudgeRequest
    prompt_id: str
    prompt_version: int
    prompt_hash: str
    progress: JudgeProgress = JudgeProgress()


class RaterKind(StrEnum):
    """Whose vote it is. People go before the test set, and that before models."""

    HUMAN = "human"
    IMPORT = "import"
    LLM = "llm"


class Cast(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One answer of a model."""

    grade: int
    seed: int = 0
    latency_ms: float | None = None
    cached: bool = False


class Vote(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one rater said about one document, once; no vote is ever changed or taken back.

    It has a `grade`, or is `unrateable`, or has the code of the `error` that it is instead.
    """

    doc_id: str
    kind: RaterKind
    rater: str
    at: str
    grade: int | None = None
    unrateable: bool = False
    error: str = ""
    detail: str = ""
    explanation: str = ""
    casts: tuple[Cast, ...] = ()
    probs: tuple[float, ...] | None = None
    text_sha256: str = ""
    cut: bool = False
    fingerprint: str = ""


class PairStatus(StrEnum):
    """What is known of a pair."""

    REVIEWED = "reviewed"
    UNRATEABLE = "unrateable"
    KNOWN = "known"
    JUDGED = "judged"
    FAILED = "failed"
    UNJUDGED = "unjudged"


class JudgedPair(Struct, frozen=True, kw_only=True):
    """A pair of the pool with all its votes; `grade` is by the rule `human_last`."""

    query_id: str
    query: str
    pair: PooledPair
    status: PairStatus
    grade: int | None
    votes: tuple[Vote, ...] = ()


class JudgedPairPage(Struct, frozen=True, kw_only=True):
    """A page of pairs, query by query, in the shuffled order."""

    items: tuple[JudgedPair, ...]
    next_cursor: str | None = None


class QueueReason(StrEnum):
    """Why a pair is shown to people. Only `audit` pairs are drawn at random."""

    AUDIT = "audit"
    UNCERTAIN = "uncertain"
    FAILED = "failed"
    FLAGGED = "flagged"
    UNJUDGED = "unjudged"


class QueuedPair(Struct, frozen=True, kw_only=True):
    """A pair that waits for a person. `priority` orders the queue, `flags` say what is odd."""

    query_id: str
    doc_id: str
    reason: QueueReason
    priority: float = 0.0
    flags: tuple[str, ...] = ()


class Suggestion(Struct, frozen=True, kw_only=True):
    """What a model says of a pair; shown only where it is asked for, since it sways."""

    rater: str
    grade: int | None
    explanation: str = ""


class ReviewRow(Struct, frozen=True, kw_only=True):
    """A pair to be judged by a person, with what there is to read."""

    query_id: str
    query: str
    doc_id: str
    text: str
    reason: QueueReason
    flags: tuple[str, ...] = ()
    suggestion: Suggestion | None = None


class ReviewPage(Struct, frozen=True, kw_only=True):
    """A page of the queue: pairs without a person's vote, most pressing first."""

    items: tuple[ReviewRow, ...]
    scale_max: int
    next_cursor: str | None = None


class HumanVote(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a person says about a pair: a grade, or that it cannot be told."""

    query_id: str
    doc_id: DocId
    grade: int | Literal["unrateable"]
    rater: Annotated[str, Meta(max_length=limits.MAX_NAME_BYTES)] = ""
    explanation: Annotated[str, Meta(max_length=2_000)] = ""


class VotesRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST /v1/judgings/{id}/votes`; `rater` is of votes that name none."""

    votes: Annotated[list[HumanVote], Meta(min_length=1, max_length=MAX_HUMAN_VOTES)]
    rater: Annotated[str, Meta(max_length=limits.MAX_NAME_BYTES)] = ""


class VotesAnswer(Struct, frozen=True, kw_only=True):
    """How many votes were written, and how many pairs people have voted on by now."""

    written: int
    reviewed: int


class Consensus(StrEnum):
    """How votes of one kind become a grade; of each rater the last one counts."""

    HUMAN_LAST = "human_last"
    MEDIAN = "median"
    MAJORITY_THEN_MIN = "majority_then_min"
    MEAN_ROUNDED = "mean_rounded"


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


class JudgeEstimate(Struct, frozen=True, kw_only=True):
    """What judging would come to: pairs left, answers known from before, and calls for the rest.

    Tokens of prompts are counted as a quarter of their characters; those of answers are the most
    that is allowed.
    """

    pairs: int
    cached: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float
    exceeds: tuple[str, ...] = ()


class Trial(Struct, frozen=True, kw_only=True):
    """One pair put to a judge: what was sent, what came back, and what was read in it."""

    query_id: str
    doc_id: str
    sent: str
    http_status: int | None
    answer: str
    grade: int | None
    probs: tuple[float, ...] | None
    explanation: str
    error: str
    detail: str
    response_format: str


class JudgingReport(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a short job found: the one that its kind says."""

    estimate: JudgeEstimate | None = None
    trial: Trial | None = None


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
