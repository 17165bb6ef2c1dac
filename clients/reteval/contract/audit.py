"""The audit log: who changed what, who was let in by a grant, and who was refused."""

from enum import StrEnum

from msgspec import Struct


class AuditLog(StrEnum):
    """Two logs, so that a flood of visits cannot push changes out."""

    CHANGES = "changes"
    ACCESS = "access"


class AuditEvent(StrEnum):
    """What happened."""

    SERVICE_STARTED = "service_started"
    TEAM_CREATED = "team_created"
    TEAM_LIMITS_CHANGED = "team_limits_changed"
    KEY_CREATED = "key_created"
    KEY_ROTATED = "key_rotated"
    KEY_REVOKED = "key_revoked"
    GRANT_CREATED = "grant_created"
    GRANT_DELETED = "grant_deleted"
    LINK_CREATED = "link_created"
    LINK_DELETED = "link_deleted"
    TEST_SET_CREATED = "test_set_created"
    VERSION_CREATED = "version_created"
    TEST_SET_DELETED = "test_set_deleted"
    SUITE_CREATED = "suite_created"
    SUITE_DELETED = "suite_deleted"
    SUITE_RUN_CREATED = "suite_run_created"
    SUITE_RUN_CANCELLED = "suite_run_cancelled"
    RUN_CREATED = "run_created"
    RUN_CANCELLED = "run_cancelled"
    RUN_DELETED = "run_deleted"
    ENDPOINT_SAVED = "endpoint_saved"
    ENDPOINT_CHANGED = "endpoint_changed"
    ENDPOINT_DELETED = "endpoint_deleted"
    BACKUP_RESTORED = "backup_restored"
    WEBHOOK_CREATED = "webhook_created"
    WEBHOOK_CHANGED = "webhook_changed"
    WEBHOOK_ROTATED = "webhook_rotated"
    WEBHOOK_DELETED = "webhook_deleted"
    JUDGING_CREATED = "judging_created"
    JUDGING_POOLED = "judging_pooled"
    JUDGING_JUDGED = "judging_judged"
    JUDGING_TRIED = "judging_tried"
    JUDGING_VOTED = "judging_voted"
    JUDGING_CANCELLED = "judging_cancelled"
    JUDGING_FROZEN = "judging_frozen"
    JUDGING_DELETED = "judging_deleted"
    SIGNED_IN = "signed_in"
    SIGNED_OUT = "signed_out"
    GRANT_USED = "grant_used"
    LINK_USED = "link_used"
    ACCESS_REFUSED = "access_refused"
    EGRESS_DENIED = "egress_denied"

    @property
    def log(self) -> AuditLog:
        """Which log it goes to."""
        return AuditLog.ACCESS if self in _VISITS else AuditLog.CHANGES


_VISITS = (
    AuditEvent.SIGNED_IN,
    AuditEvent.SIGNED_OUT,
    AuditEvent.GRANT_USED,
    AuditEvent.LINK_USED,
    AuditEvent.ACCESS_REFUSED,
    AuditEvent.EGRESS_DENIED,
)


class AuditRow(Struct, frozen=True, kw_only=True):
    """One event. `team` and `key` are the actor's, `target` is the object it was about.

    `via` is the grant or link that let the actor in; `detail` is what was granted to whom, why
    somebody or some address was refused, or with which settings the service started.
    """

    id: str
    at: str
    event: AuditEvent
    team: str
    key: str
    target: str
    ip: str
    request_id: str
    via: str = ""
    detail: str = ""


class AuditPage(Struct, frozen=True, kw_only=True):
    """A page of events, newest first."""

    items: tuple[AuditRow, ...]
    next_cursor: str | None = None
