"""Votes on pairs of a pool, by models and by people, and what people are asked about."""

from enum import StrEnum
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from reteval.contract import limits
from reteval.contract.pools import PooledPair

MAX_HUMAN_VOTES: Final = 5_000
"""In one request."""
AUDITED_QUERIES: Final = 30
"""Queries of which people are shown every pair, to put a metric right; 20 are enough."""
UNRATEABLE: Final = "unrateable"
DocId = Annotated[str, Meta(min_length=1, max_length=limits.MAX_ID_BYTES)]


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
    """Why a pair is shown to people. Only `audit` pairs are drawn at random, and `query` ones.

    Of a query that was drawn, every pair is shown.
    """

    AUDIT = "audit"
    QUERY = "query"
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
