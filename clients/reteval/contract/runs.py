"""Runs: what a client asks for, and the state it can watch."""

from enum import StrEnum
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType, field

from reteval.contract import limits
from reteval.contract.metrics import DEFAULT_K_VALUES

K = Annotated[int, Meta(ge=1, le=limits.MAX_DEPTH)]
Expression = Annotated[str, Meta(min_length=1, max_length=512)]


class Method(StrEnum):
    """HTTP methods an endpoint may be called with."""

    GET = "GET"
    POST = "POST"
    PUT = "PUT"


class Endpoint(Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A search endpoint, described declaratively.

    Only `url` is needed where the endpoint speaks the default protocol. `{{query}}` and
    `{{k}}` stand for the query text and the depth in `params`, `body`, `form`, `headers` and the
    URL's path or query; a value that is the placeholder alone keeps its type. `hits`, `id`, `score`
    and `text` are JMESPath: `hits` from the answer, the others from each hit; `ids` and
    `scores` instead read parallel arrays from the answer. Header values are never returned.
    """

    url: Annotated[str, Meta(min_length=1, max_length=limits.MAX_URL_CHARS)]
    method: Method = Method.POST
    params: dict[str, str | int | float | bool] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    body: Any | UnsetType = UNSET
    form: dict[str, str | int | float | bool] | UnsetType = UNSET
    hits: Expression | None = None
    id: Expression | None = None
    score: Expression | None = None
    text: Expression | None = None
    ids: Expression | None = None
    scores: Expression | None = None


class AdversarialRequest(Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Which variants to send beside the clean queries.

    `kinds` replaces the preset's choice; `metric` is what the drop is measured in.
    """

    suite: str | None = None
    preset: str = "default"
    kinds: list[str] | None = None
    severities: list[Annotated[int, Meta(ge=1, le=3)]] | None = None
    metric: str = "ndcg@10"
    seed: Annotated[int, Meta(ge=0, le=2**53)] = 0
    sample: Annotated[int, Meta(ge=1, le=limits.MAX_QUERIES)] | None = None


class Limits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How hard the endpoint may be pressed. `timeout_s` bounds an attempt as a whole."""

    concurrency: Annotated[int, Meta(ge=1, le=256)] = 16
    rate_per_s: Annotated[float, Meta(gt=0, le=10_000)] | None = None
    timeout_s: Annotated[float, Meta(gt=0, le=120)] = 10.0
    retries: Annotated[int, Meta(ge=0, le=10)] = 2
    max_error_rate: Annotated[float, Meta(ge=0, le=1)] = 0.0
    max_response_bytes: Annotated[int, Meta(ge=1_024, le=50_000_000)] = 5_000_000


class RunRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST /v1/runs`. `test_set` is an id, or a name (its newest version)."""

    test_set: Annotated[str, Meta(min_length=1, max_length=limits.MAX_NAME_BYTES)]
    endpoint: Endpoint
    label: Annotated[str, Meta(max_length=limits.MAX_NAME_BYTES)] = ""
    metrics: Annotated[list[str], Meta(max_length=limits.MAX_METRICS)] = field(default_factory=list)
    k_values: Annotated[list[K], Meta(min_length=1, max_length=20)] = field(
        default_factory=lambda: list(DEFAULT_K_VALUES)
    )
    depth: K | None = None
    meta: dict[str, str] = field(default_factory=dict)
    adversarial: AdversarialRequest | None = None
    limits: Limits = Limits()


class RunStatus(StrEnum):
    """Life cycle of a run; the last four are terminal and never change."""

    QUEUED = "queued"
    RUNNING = "running"
    FINALISING = "finalising"
    COMPLETED = "completed"
    COMPLETED_WITH_ERRORS = "completed_with_errors"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def terminal(self) -> bool:
        """Whether the run has ended."""
        return self in TERMINAL


TERMINAL = frozenset(
    {
        RunStatus.COMPLETED,
        RunStatus.COMPLETED_WITH_ERRORS,
        RunStatus.FAILED,
        RunStatus.CANCELLED,
    }
)


class Progress(Struct, frozen=True, kw_only=True):
    """Requests done of those planned. `total` counts clean queries until variants are made."""

    done: int
    total: int
    failed: int
    eta_s: float | None = None


class TestSetRef(Struct, frozen=True, kw_only=True):
    """The exact test set a run is pinned to."""

    __test__ = False

    id: str
    name: str
    version: int
    hash: str


class Estimate(Struct, frozen=True, kw_only=True):
    """What a run will cost the endpoint: calls at most, and seconds where a rate bounds them."""

    clean: int
    adversarial: int
    seconds_at_rate: float | None = None


class Run(Struct, frozen=True, kw_only=True):
    """State of a run; `error` names the reason of a failed one."""

    id: str
    status: RunStatus
    test_set: TestSetRef
    label: str
    meta: dict[str, str]
    created_at: str
    started_at: str | None
    finished_at: str | None
    progress: Progress
    planned: Estimate
    endpoint: Endpoint
    links: dict[str, str]
    cancel_requested: bool = False
    attempts: int = 0
    error: str | None = None
    poll_after_s: float | None = None


class RunPage(Struct, frozen=True, kw_only=True):
    """A page of runs, newest first."""

    items: tuple[Run, ...]
    next_cursor: str | None = None
