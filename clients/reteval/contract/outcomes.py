"""What happened to each planned request: exactly one outcome each, never a silent zero."""

from enum import StrEnum
from typing import Final

from msgspec import Struct, field

from reteval.contract.leaks import Lift


class OutcomeStatus(StrEnum):
    """The four ways a request can end."""

    OK = "ok"
    OK_EMPTY = "ok_empty"
    FAILED = "failed"
    SKIPPED = "skipped"

    @property
    def answered(self) -> bool:
        """Whether the endpoint gave a valid answer, empty or not."""
        return self in (OutcomeStatus.OK, OutcomeStatus.OK_EMPTY)


class FailureCode(StrEnum):
    """Why a request has no valid answer; also the reasons a request was skipped."""

    BLOCKED = "blocked"
    CONNECT = "connect"
    DNS_ERROR = "dns_error"
    DNS_TIMEOUT = "dns_timeout"
    TLS_ERROR = "tls_error"
    TIMEOUT = "timeout"
    RESET = "reset"
    TRUNCATED = "truncated"
    BAD_HTTP = "bad_http"
    REDIRECT_NOT_FOLLOWED = "redirect_not_followed"
    ENDPOINT_AUTH = "endpoint_auth"
    RATE_LIMITED = "rate_limited"
    HTTP_4XX = "http_4xx"
    HTTP_5XX = "http_5xx"
    RESPONSE_TOO_LARGE = "response_too_large"
    ENCODING_NOT_ALLOWED = "encoding_not_allowed"
    INVALID_CONTENT_TYPE = "invalid_content_type"
    INVALID_JSON = "invalid_json"
    INVALID_RESPONSE = "invalid_response"
    SCHEMA = "schema"
    CANCELLED = "cancelled"
    CIRCUIT_OPEN = "circuit_open"
    DEADLINE = "deadline"
    WORKER_CRASHED = "worker_crashed"
    INTERNAL_ERROR = "internal_error"
    NOT_IN_PARENT = "not_in_parent"
    NOT_IN_RANKINGS = "not_in_rankings"
    REPORTED = "reported"
    NOT_SENDABLE = "not_sendable"
    PARENT_DELETED = "parent_deleted"
    CORRUPT_RECORD = "corrupt_record"


class Outcome(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The record of one request; every number of a report can be recomputed from these.

    `ids` are the hits in the order delivered, cut at the run's depth, repeats kept;
    `returned` counts them before the cut. `latency_ms` is that of the attempt that decided, from
    sending to the last byte; `first_byte_ms` ends with the head of the answer, `connect_ms` is
    the part of it that a new connection took (None: one was open), `took_ms` what the endpoint
    says it needed. Where an answer came in `pages`, these are sums. `scores` is None unless every
    hit carried a finite one. `hits` counts what was delivered where hits were rolled up into
    documents; `total` is the endpoint's own count of what matched. `text_overlap`, of queries out
    of corpus alone, is the largest share of the query's content stems that one text of the first
    three hits has; None where hits carry no text. A clean query is compared with the `texts` of
    so many of the first three hits; `lift` is what one of them has of it, word for word. Texts
    themselves are not kept. `resent`: a worker that was lost, or made way, may have sent the
    request before, so that the endpoint may have got it twice.
    """

    status: OutcomeStatus
    code: FailureCode | None = None
    detail: str = ""
    http_status: int | None = None
    attempts: int = 1
    latency_ms: float | None = None
    returned: int = 0
    ids: list[str] = field(default_factory=list)
    scores: list[float] | None = None
    connect_ms: float | None = None
    first_byte_ms: float | None = None
    took_ms: float | None = None
    total: int | None = None
    hits: int | None = None
    pages: int = 1
    text_overlap: float | None = None
    resent: bool = False
    texts: int = 0
    lift: Lift | None = None

    @property
    def at_once(self) -> bool:
        """Whether the endpoint gave a valid answer without being asked again."""
        return self.status.answered and self.attempts == self.pages


REPEAT: Final = "repeat"
"""The kind of a clean query that is asked again, `replicate` times before."""


class PlannedRequest(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A request of a run's plan; its place in the plan is its identity.

    A clean query has no `kind`. `original` is the clean text a variant was made from and
    `ops` says how; `generated` is false for variants that stand in the test set.
    """

    query_id: str
    text: str
    kind: str = ""
    severity: int = 0
    replicate: int = 0
    original: str = ""
    ops: tuple[str, ...] = ()
    generated: bool = False


class OutcomeRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An outcome with the request it belongs to; `kind` is empty for a clean query."""

    query_id: str
    query: str
    outcome: Outcome
    kind: str = ""
    severity: int = 0
    replicate: int = 0


class OutcomePage(Struct, frozen=True, kw_only=True):
    """A page of outcomes in plan order."""

    items: tuple[OutcomeRow, ...]
    next_cursor: str | None = None


class QueryRow(Struct, frozen=True, kw_only=True):
    """One clean query of a report. `metrics` values are null where `reason` says why."""

    query_id: str
    query: str
    status: str
    metrics: dict[str, float | None]
    tags: list[str] = field(default_factory=list)
    reason: str | None = None
    returned: int = 0
    latency_ms: float | None = None


class QueryRowPage(Struct, frozen=True, kw_only=True):
    """A page of query rows in the order asked for."""

    items: tuple[QueryRow, ...]
    next_cursor: str | None = None


class VariantRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A query as it was changed, what was done to it, and how it fared.

    `value` is the kind's headline metric, `clean` the same for the query it was made from.
    """

    query_id: str
    kind: str
    severity: int
    replicate: int
    original: str
    text: str
    ops: tuple[str, ...]
    status: str
    returned: int = 0
    value: float | None = None
    clean: float | None = None


class VariantPage(Struct, frozen=True, kw_only=True):
    """A page of variants in plan order."""

    items: tuple[VariantRow, ...]
    next_cursor: str | None = None
