"""Runs: what a client asks for, and the state it can watch."""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct, field

from reteval.contract import limits
from reteval.contract.endpoints import Endpoint
from reteval.contract.metrics import DEFAULT_K_VALUES
from reteval.contract.shown import Shown
from reteval.contract.splits import HoldoutLooks, SplitName, SplitShare

K = Annotated[int, Meta(ge=1, le=limits.MAX_DEPTH)]


class AdversarialRequest(Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Which variants to send beside the clean queries.

    `kinds` replaces the preset's choice; `metric` is what the drop is measured in. `model` is
    asked to say the sampled queries otherwise (`paraphrase.model`, which it adds to a preset):
    `{{query}}` goes to it, and its `ids`, or `hits` and `id`, are the texts, of which the first
    three are sent. Its header values are kept as the endpoint's are.
    """

    suite: str | None = None
    preset: str = "default"
    kinds: list[str] | None = None
    severities: list[Annotated[int, Meta(ge=1, le=3)]] | None = None
    metric: str = "ndcg@10"
    seed: Annotated[int, Meta(ge=0, le=2**53)] = 0
    sample: Annotated[int, Meta(ge=1, le=limits.MAX_QUERIES)] | None = None
    model: Endpoint | None = None


Clock = Annotated[str, Meta(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]


class Window(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Hours of every day at which requests may be sent, such as 22:00 to 06:00 in a time zone.

    Outside of them a run waits, and no worker waits with it.
    """

    opens: Clock
    closes: Clock
    zone: Annotated[str, Meta(max_length=64)] = "UTC"


class Limits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How hard the endpoint may be pressed. `timeout_s` bounds an attempt as a whole.

    `concurrency` and `rate_per_s` are of the run, however many workers share it; `workers` is how
    many may.
    """

    concurrency: Annotated[int, Meta(ge=1, le=256)] = 16
    rate_per_s: Annotated[float, Meta(gt=0, le=10_000)] | None = None
    timeout_s: Annotated[float, Meta(gt=0, le=120)] = 10.0
    retries: Annotated[int, Meta(ge=0, le=10)] = 2
    max_error_rate: Annotated[float, Meta(ge=0, le=1)] = 0.0
    max_response_bytes: Annotated[int, Meta(ge=1_024, le=50_000_000)] = 5_000_000
    window: Window | None = None
    workers: Annotated[int, Meta(ge=1, le=256)] | None = None


class IntervalMethod(StrEnum):
    """How the intervals of means are made; `auto` takes t, or Wilson's where t would not cover.

    `wald` is 1.96 * sqrt(p * (1 - p) / n): available by name, wrong near 0 and 1.
    """

    AUTO = "auto"
    T = "t"
    WILSON = "wilson"
    BCA = "bca"
    WALD = "wald"


Repeats = Annotated[int, Meta(ge=1, le=limits.MAX_REPEATS)]


class RunOptions(Struct, kw_only=True, forbid_unknown_fields=True):
    """What a run asks of whom, whatever the test set.

    `repeat` asks every clean query so many times, to tell the endpoint's own noise; the first
    round is the result, the others go into `stability`. With `split`, only the queries of that
    split are sent; a variant goes with its query.
    """

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
    repeat: Repeats = 1
    interval: IntervalMethod = IntervalMethod.AUTO
    split: SplitName = ""


class RunRequest(RunOptions, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST /v1/runs`. `test_set` is an id, or a name (its newest version)."""

    test_set: Annotated[str, Meta(min_length=1, max_length=limits.MAX_NAME_BYTES)]


class RescoreRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST /v1/runs/{id}/rescore`: what differs from the parent; no call is made.

    `test_set` is an id or a name of another version; queries it has and the parent had not are
    skipped and counted. `relevant_from` overrides the test set's. `split` is another one to score;
    empty: all queries.
    """

    label: Annotated[str, Meta(max_length=limits.MAX_NAME_BYTES)] | None = None
    metrics: Annotated[list[str], Meta(max_length=limits.MAX_METRICS)] | None = None
    k_values: Annotated[list[K], Meta(min_length=1, max_length=20)] | None = None
    test_set: Annotated[str, Meta(min_length=1, max_length=limits.MAX_NAME_BYTES)] | None = None
    relevant_from: Annotated[int, Meta(ge=1, le=limits.MAX_GRADE)] | None = None
    max_error_rate: Annotated[float, Meta(ge=0, le=1)] | None = None
    interval: IntervalMethod | None = None
    split: SplitName | None = None
    meta: dict[str, str] | None = None


class RetryRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST /v1/runs/{id}/retry`: what differs from the parent.

    Requests without an answer are sent again, answers are taken over. `headers` are values of the
    endpoint's headers, which a run forgets when it ends; a saved endpoint still has its own.
    """

    label: Annotated[str, Meta(max_length=limits.MAX_NAME_BYTES)] | None = None
    meta: dict[str, str] | None = None
    limits: Limits | None = None
    headers: dict[str, str] = field(default_factory=dict)


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
    """What a run will cost the endpoint: calls at most, and seconds where a rate bounds them.

    `repeats` are the clean queries of all rounds but the first. `model_calls` go to the model
    that writes paraphrases, before the first search, and are in no other count. `bytes` is what
    the store will keep of the run, at most.
    """

    clean: int
    adversarial: int
    seconds_at_rate: float | None = None
    repeats: int = 0
    model_calls: int = 0
    bytes: int = 0

    @property
    def total(self) -> int:
        """All calls."""
        return self.clean + self.adversarial + self.repeats


class Run(Shown, Struct, frozen=True, kw_only=True):
    """State of a run; `error` names the reason of a failed one.

    `parent` is the run it rescores or retries, `schedule` what started it. `waits_until` is when
    its window opens, while it waits for that. `bytes` is what the store keeps of it, once it has
    ended. A pinned run does not expire. `holdout_looks.total` is that of the end of the run, and
    in a list that of now.
    """

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
    parent: str | None = None
    waits_until: str | None = None
    bytes: int | None = None
    pinned: bool = False
    split: SplitShare | None = None
    holdout_looks: HoldoutLooks | None = None
    schedule: str | None = None


class RunPage(Struct, frozen=True, kw_only=True):
    """A page of runs, newest first."""

    items: tuple[Run, ...]
    next_cursor: str | None = None
