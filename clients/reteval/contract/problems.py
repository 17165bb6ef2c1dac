"""The one shape of every error: RFC 9457 problem details with our extensions."""

from enum import StrEnum

from msgspec import Struct, field

from reteval.contract.quotas import QuotaRefusal


class ErrorCode(StrEnum):
    """What went wrong, stable across releases. Documented in `docs/errors.md`."""

    MALFORMED_JSON = "malformed_json"
    MALFORMED_TEXT = "malformed_text"
    MALFORMED_BACKUP = "malformed_backup"
    BAD_REQUEST = "bad_request"
    BAD_CURSOR = "bad_cursor"
    KEY_IN_URL = "key_in_url"
    UNAUTHORIZED = "unauthorized"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    NOT_TERMINAL = "not_terminal"
    JUDGING_BUSY = "judging_busy"
    JUDGING_FROZEN = "judging_frozen"
    JUDGING_INCOMPLETE = "judging_incomplete"
    NAME_TAKEN = "name_taken"
    NOT_COMPARABLE = "not_comparable"
    NOTHING_TO_RETRY = "nothing_to_retry"
    NO_RANKINGS = "no_rankings"
    REFERENCED = "referenced"
    RUN_ACTIVE = "run_active"
    ALREADY_TERMINAL = "already_terminal"
    CORRUPT_RECORD = "corrupt_record"
    RESTORE_CONFLICT = "restore_conflict"
    IDEMPOTENCY_CONFLICT = "idempotency_conflict"
    SHOWN_ONCE = "shown_once"
    WEBHOOK_DISABLED = "webhook_disabled"
    CHANGED = "changed"
    PRECONDITION_MISSING = "precondition_missing"
    NOT_ACCEPTABLE = "not_acceptable"
    TOO_SLOW = "too_slow"
    TOO_LARGE = "too_large"
    UNSUPPORTED_MEDIA_TYPE = "unsupported_media_type"
    INVALID = "invalid"
    ENDPOINT_NOT_ALLOWED = "endpoint_not_allowed"
    SECRETS_UNAVAILABLE = "secrets_unavailable"
    IDEMPOTENCY_MISMATCH = "idempotency_mismatch"
    RATE_LIMITED = "rate_limited"
    QUOTA_EXCEEDED = "quota_exceeded"
    INTERNAL = "internal"
    NOT_READY = "not_ready"
    STORE_UNAVAILABLE = "store_unavailable"
    STORAGE_FULL = "storage_full"


class ProblemItem(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that is wrong: where it is in the body (JSON Pointer), what, and how to mend it.

    `row` is the one-based line or record of a streamed or tabular upload; `code` names what
    `/readyz` found, which stands in no body.
    """

    pointer: str
    message: str
    fix: str = ""
    row: int | None = None
    code: str = ""


class Problem(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An `application/problem+json` body. `quota` is the one that `quota_exceeded` is about."""

    type: str
    title: str
    status: int
    detail: str
    code: ErrorCode
    instance: str
    errors: tuple[ProblemItem, ...] = field(default=())
    retryable: bool = False
    quota: QuotaRefusal | None = None
