"""Whether the service can do its work, and what stands in its way: the answer of `/readyz`."""

from enum import StrEnum

from msgspec import Struct

from reteval.contract.diagnostics import Severity


class FindingCode(StrEnum):
    """What keeps the service from its work, or soon may. Documented in `docs/store-faults.md`."""

    STORE_UNAVAILABLE = "store_unavailable"
    STORE_FULL = "store_full"
    STORE_NEARLY_FULL = "store_nearly_full"
    EVICTION = "eviction"
    REPLICA = "replica"
    WRITE_ERRORS = "write_errors"
    NOT_DURABLE = "not_durable"
    STORE_EMPTIED = "store_emptied"
    NO_WORKER = "no_worker"
    LONG_WAIT = "long_wait"


class Finding(Struct, frozen=True, kw_only=True):
    """One thing that is wrong: `block` means that work cannot be done or may be lost."""

    code: FindingCode
    severity: Severity
    message: str
    fix: str


class ReadinessStatus(StrEnum):
    """`degraded` works with a flaw; `not_ready` cannot work, or may lose what it accepts."""

    READY = "ready"
    DEGRADED = "degraded"
    NOT_READY = "not_ready"


class Waiting(Struct, frozen=True, kw_only=True):
    """A queue: live workers, wake-up calls, and for how long its oldest unit has waited for one."""

    workers: int
    queued: int
    oldest_s: float


class Readiness(Struct, frozen=True, kw_only=True):
    """`findings` says why the status is not `ready`; `queues` is empty while the store is away."""

    status: ReadinessStatus
    version: str
    egress: str
    findings: tuple[Finding, ...]
    queues: dict[str, Waiting]
