"""What the store keeps besides the wire structs."""

from msgspec import Struct

from reteval.contract.diagnostics import Diagnostic
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


class RunSpec(Struct, frozen=True, kw_only=True):
    """The part of a run that never changes. Header values in `request` are empty strings.

    `egress` is the policy in force when the run was accepted; `unscorable` counts the set's
    queries that will not be sent.
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


class Idempotency(Struct, frozen=True):
    """A client's key for one creation, and a digest of what it asked for."""

    key: str
    fingerprint: str


class RunRecord(Struct, frozen=True, kw_only=True):
    """A run as stored: the spec and the state that moves. Times are Redis milliseconds.

    `epoch` is the fencing token: each claim raises it, and every write of a worker carries
    the one it was given. `total` is 0 until the plan of requests is stored.
    """

    tenant: str
    spec: RunSpec
    status: RunStatus
    created_ms: int
    started_ms: int | None
    finished_ms: int | None
    epoch: int
    attempts: int
    crash_count: int
    total: int
    done: int
    failed: int
    cancel_requested: bool
    error: str | None
    etag: str | None

    @property
    def id(self) -> str:
        """The run's id."""
        return self.spec.id


class Claim(Struct, frozen=True, kw_only=True):
    """The right to work on a run until the lease lapses or another claim is granted.

    `poisoned`: the run killed too many workers and must be ended, not continued.
    """

    tenant: str
    run_id: str
    epoch: int
    poisoned: bool


class Beat(Struct, frozen=True):
    """What a worker learns when it renews: whether it still holds the run, and is to stop."""

    held: bool
    cancel: bool
