"""What the store keeps besides the wire structs."""

from typing import Final

from msgspec import Struct

from reteval.contract.comparisons import ComparisonRequest
from reteval.contract.diagnostics import Diagnostic
from reteval.contract.differences import Changes
from reteval.contract.endpoints import Endpoint
from reteval.contract.previews import PreviewRequest
from reteval.contract.probes import ProbeRequest
from reteval.contract.runs import Estimate, RunRequest, RunStatus, TestSetRef
from reteval.contract.testsets import Scale, TestSetStats


class TestSetDraft(Struct, frozen=True, kw_only=True):
    """A checked test set before it has an id and a version."""

    __test__ = False

    name: str
    hash: str
    scale: Scale
    relevant_from: int
    language: str
    id_rule: str
    allow_unscorable: bool
    stats: TestSetStats
    warnings: tuple[Diagnostic, ...]
    parent: str | None = None
    note: str = ""
    created_by: str = ""
    changes: Changes | None = None


class EndpointDraft(Struct, frozen=True, kw_only=True):
    """A saved endpoint as it is written: `endpoint` has no header values, `sealed` holds them."""

    name: str
    description: str
    endpoint: Endpoint
    sealed: bytes


class Portion(Struct, frozen=True, kw_only=True):
    """The split that a run is over: counts and warnings of its queries, and how many are outside.

    They were counted when the run was accepted; a rescoring counts by the test set's threshold.
    """

    stats: TestSetStats
    outside: int
    warnings: tuple[Diagnostic, ...] = ()


class Rescore(Struct, frozen=True, kw_only=True):
    """A run made of another run's rankings; `relevant_from` overrides the test set's."""

    parent: str
    relevant_from: int


SCHEMA: Final = 1
"""Of the records that this release writes. A worker leaves jobs with a higher one alone."""
SHARD: Final = 2_000
"""Requests of a shard; a run of no more is one shard, and goes before larger ones."""
PLAN: Final = "plan"
END: Final = "end"
JOB: Final = "job"
"""Units: the plan of a run, its end, and the whole of any other job. Shards are numbers."""


class RunSpec(Struct, frozen=True, kw_only=True):
    """The part of a run that never changes. Header values in `request` are empty strings.

    `egress` is the policy in force when the run was accepted; `unscorable` counts the set's
    queries that will not be sent. With `rescore`, or `uploaded` rankings, nothing is sent at all;
    with `retry`, the id of another run, only what that run has no answer to: `clean` then counts
    the clean requests with an answer, too, of which `planned` knows only those to be sent. A run
    over a split has a `portion`; one that a schedule started has its id.
    """

    id: str
    request: RunRequest
    test_set: TestSetRef
    depth: int
    metrics: tuple[str, ...]
    planned: Estimate
    egress: str
    code_version: str
    unscorable: int = 0
    rescore: Rescore | None = None
    retry: str = ""
    clean: int = 0
    uploaded: bool = False
    portion: Portion | None = None
    schedule: str = ""

    @property
    def accountable(self) -> int:
        """Return the number of clean requests that the report accounts for."""
        return self.clean or self.planned.clean


class ComparisonSpec(Struct, frozen=True, kw_only=True):
    """The part of a comparison that never changes."""

    id: str
    request: ComparisonRequest
    code_version: str


class ProbeSpec(Struct, frozen=True, kw_only=True):
    """The part of a probe that never changes. Header values in `request` are empty strings."""

    id: str
    request: ProbeRequest
    test_set: str | None
    code_version: str


class PreviewSpec(Struct, frozen=True, kw_only=True):
    """The part of a preview that never changes; `test_set` is an id."""

    id: str
    request: PreviewRequest
    test_set: str | None
    language: str
    code_version: str


class LeakageSpec(Struct, frozen=True, kw_only=True):
    """The part of a leakage check that never changes; `test_set` and `against` are ids of sets."""

    id: str
    test_set: str
    against: str | None
    run: str | None
    code_version: str


class GivenTexts(Struct, frozen=True, kw_only=True):
    """What a leakage check was sent to compare with; it goes when the check ends."""

    against: list[str] | None = None
    corpus: dict[str, str] = {}


class Idempotency(Struct, frozen=True, kw_only=True):
    """The right to create under a client's key: the key's entry, and the token of this caller."""

    entry: str
    token: str


class KeptAnswer(Struct, frozen=True, kw_only=True):
    """How a request was answered, to be answered so again byte for byte."""

    status: int
    media: str
    headers: dict[str, str]
    body: bytes


class JobRecord(Struct, frozen=True, kw_only=True):
    """The state of a job that moves. Times are Redis milliseconds.

    `epoch` is the fencing token: each claim raises it, and every write of a worker carries
    the one it was given. `queue` is where its wake-up calls go; before `not_before_ms` nobody
    works on it. `bytes` is what is stored of it, counted at its end.
    """

    tenant: str
    status: RunStatus
    queue: str
    created_ms: int
    started_ms: int | None
    finished_ms: int | None
    epoch: int
    attempts: int
    crash_count: int
    not_before_ms: int
    cancel_requested: bool
    error: str | None
    etag: str | None
    bytes: int | None


class RunRecord(JobRecord, frozen=True, kw_only=True):
    """A run. `total` is 0 until the plan of requests is stored; a pinned one never expires.

    `used_ms` is when it was last rescored, compared or restored. `look` is its turn among those
    that looked at the hold-out of this digest, 0 where it did not.
    """

    spec: RunSpec
    total: int
    done: int
    failed: int
    pinned: bool
    used_ms: int
    look: int = 0
    holdout: str = ""

    @property
    def id(self) -> str:
        """The run's id."""
        return self.spec.id


class ComparisonRecord(JobRecord, frozen=True, kw_only=True):
    """A comparison."""

    spec: ComparisonSpec

    @property
    def id(self) -> str:
        """The comparison's id."""
        return self.spec.id


class ProbeRecord(JobRecord, frozen=True, kw_only=True):
    """A probe."""

    spec: ProbeSpec

    @property
    def id(self) -> str:
        """The probe's id."""
        return self.spec.id


class PreviewRecord(JobRecord, frozen=True, kw_only=True):
    """A preview."""

    spec: PreviewSpec

    @property
    def id(self) -> str:
        """The preview's id."""
        return self.spec.id


class LeakageRecord(JobRecord, frozen=True, kw_only=True):
    """A leakage check."""

    spec: LeakageSpec

    @property
    def id(self) -> str:
        """The check's id."""
        return self.spec.id


class Claim(Struct, frozen=True, kw_only=True):
    """The right to work on a unit of a job until the lease lapses or another claim is granted.

    `sent` is how far an earlier holder may have got: requests from there on were never sent.
    `poisoned`: the unit killed too many workers, so that the job must be ended, not continued.
    """

    tenant: str
    job_id: str
    queue: str
    unit: str
    epoch: int
    owner: str
    sent: int
    poisoned: bool

    @property
    def fence(self) -> str:
        """What every write carries: no other claim has the same, even after a lost write."""
        return f"{self.epoch}:{self.owner}"


class Beat(Struct, frozen=True):
    """What a worker learns when it renews.

    Whether it still holds the unit, whether the job is to be cancelled, and whether other jobs
    of its queue have not ended.
    """

    held: bool
    cancel: bool
    others: bool


class Unit(Struct, frozen=True, kw_only=True):
    """A part of a job that one worker does at a time: `plan`, a shard's number, `end`, or `job`.

    `lease_until_ms` is 0 where nobody holds it; `fence` is of the last claim, if there was one.
    """

    name: str
    lease_until_ms: int
    claims: int
    crashes: int
    fence: str

    def name_call(self, job_id: str) -> str:
        """Return the id of the wake-up call for it, another one after each claim."""
        return f"{job_id}-{self.name}-{self.claims}"
