"""Errors of the service, each with its code, status and fixed title. Knows no framework."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import ClassVar

from reteval.contract.problems import ErrorCode, ProblemItem
from reteval.contract.quotas import QuotaRefusal


class ServiceError(Exception):
    """Something a client can be told. `errors` points at the places in the body.

    `retry_after_s` is when it is worth repeating, where that is known.
    """

    code: ClassVar[ErrorCode] = ErrorCode.INTERNAL
    status: ClassVar[HTTPStatus] = HTTPStatus.INTERNAL_SERVER_ERROR
    title: ClassVar[str] = "Internal error"
    retryable: ClassVar[bool] = False

    def __init__(
        self,
        detail: str,
        *,
        errors: Sequence[ProblemItem] = (),
        retry_after_s: int | None = None,
        quota: QuotaRefusal | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.errors = tuple(errors)
        self.retry_after_s = retry_after_s
        self.quota = quota


class MalformedJsonError(ServiceError):
    """The body is not JSON (syntax, encoding, depth)."""

    code = ErrorCode.MALFORMED_JSON
    status = HTTPStatus.BAD_REQUEST
    title = "The body is not valid JSON"


class MalformedTextError(ServiceError):
    """A text upload that cannot be read as its format at all (encoding, quoting)."""

    code = ErrorCode.MALFORMED_TEXT
    status = HTTPStatus.BAD_REQUEST
    title = "The body cannot be read"


class MalformedBackupError(ServiceError):
    """A backup that is damaged, incomplete, or not made by this service."""

    code = ErrorCode.MALFORMED_BACKUP
    status = HTTPStatus.BAD_REQUEST
    title = "The backup cannot be read"


class BadCursorError(ServiceError):
    """A cursor that this service did not issue for this list."""

    code = ErrorCode.BAD_CURSOR
    status = HTTPStatus.BAD_REQUEST
    title = "The cursor is not valid here"


class KeyInUrlError(ServiceError):
    """A key in the query string, where logs and histories keep it."""

    code = ErrorCode.KEY_IN_URL
    status = HTTPStatus.BAD_REQUEST
    title = "A key does not belong in the address"


class UnauthorizedError(ServiceError):
    """No key, or not the right one."""

    code = ErrorCode.UNAUTHORIZED
    status = HTTPStatus.UNAUTHORIZED
    title = "A valid API key is needed"


class ForbiddenError(ServiceError):
    """The key is valid, but lacks the scope that the route needs."""

    code = ErrorCode.FORBIDDEN
    status = HTTPStatus.FORBIDDEN
    title = "The key may not do this"


class NotFoundError(ServiceError):
    """No such object, or none that this key may see."""

    code = ErrorCode.NOT_FOUND
    status = HTTPStatus.NOT_FOUND
    title = "Not found"


class NotTerminalError(ServiceError):
    """Results were asked of a run that has not ended."""

    code = ErrorCode.NOT_TERMINAL
    status = HTTPStatus.CONFLICT
    title = "The run has not ended"
    retryable = True


class NameTakenError(ServiceError):
    """Something else has that name: a saved endpoint, a suite, or a team."""

    code = ErrorCode.NAME_TAKEN
    status = HTTPStatus.CONFLICT
    title = "The name is in use"


class NotComparableError(ServiceError):
    """Two runs that say nothing about each other, or one without numbers."""

    code = ErrorCode.NOT_COMPARABLE
    status = HTTPStatus.CONFLICT
    title = "The runs cannot be compared"


class NoRankingsError(ServiceError):
    """A run that ended before any ranking was stored cannot be rescored."""

    code = ErrorCode.NO_RANKINGS
    status = HTTPStatus.CONFLICT
    title = "The run has no rankings"


class NothingToRetryError(ServiceError):
    """A run whose requests were all answered, or that sent none, cannot be retried."""

    code = ErrorCode.NOTHING_TO_RETRY
    status = HTTPStatus.CONFLICT
    title = "The run has nothing to retry"


class ReferencedError(ServiceError):
    """A test set that runs still refer to cannot be deleted."""

    code = ErrorCode.REFERENCED
    status = HTTPStatus.CONFLICT
    title = "The test set is in use"


class RunActiveError(ServiceError):
    """A run that is still going cannot be deleted."""

    code = ErrorCode.RUN_ACTIVE
    status = HTTPStatus.CONFLICT
    title = "The run has not ended"


class AlreadyTerminalError(ServiceError):
    """A run that has ended cannot be cancelled."""

    code = ErrorCode.ALREADY_TERMINAL
    status = HTTPStatus.CONFLICT
    title = "The run has ended"


class JudgingBusyError(ServiceError):
    """A job is at work on a judging."""

    code = ErrorCode.JUDGING_BUSY
    status = HTTPStatus.CONFLICT
    title = "A job is at work on the judging"


class JudgingFrozenError(ServiceError):
    """A judging that became a test set never changes."""

    code = ErrorCode.JUDGING_FROZEN
    status = HTTPStatus.CONFLICT
    title = "The judging is frozen"


class JudgingIncompleteError(ServiceError):
    """Something is missing in a judging: its pool, or judgments of pairs."""

    code = ErrorCode.JUDGING_INCOMPLETE
    status = HTTPStatus.CONFLICT
    title = "The judging is not complete"


class CorruptRecordError(ServiceError):
    """What is stored under this id cannot be read: damaged, or written by something else."""

    code = ErrorCode.CORRUPT_RECORD
    status = HTTPStatus.CONFLICT
    title = "The stored record is damaged"


class RestoreConflictError(ServiceError):
    """An object of a backup that is here with other content; what came before it is restored."""

    code = ErrorCode.RESTORE_CONFLICT
    status = HTTPStatus.CONFLICT
    title = "The backup contradicts what is stored"


class IdempotencyConflictError(ServiceError):
    """The same idempotency key is being processed right now."""

    code = ErrorCode.IDEMPOTENCY_CONFLICT
    status = HTTPStatus.CONFLICT
    title = "The same request is being processed"
    retryable = True


class ShownOnceError(ServiceError):
    """An idempotency key made something whose secret was in the first answer only."""

    code = ErrorCode.SHOWN_ONCE
    status = HTTPStatus.CONFLICT
    title = "The secret is shown once"


class WebhookDisabledError(ServiceError):
    """A webhook that is switched off gets nothing, not even on request."""

    code = ErrorCode.WEBHOOK_DISABLED
    status = HTTPStatus.CONFLICT
    title = "The webhook is off"


class ChangedError(ServiceError):
    """The object is not, or not any more, the one that `If-Match` names."""

    code = ErrorCode.CHANGED
    status = HTTPStatus.PRECONDITION_FAILED
    title = "The object has changed"


class PreconditionMissingError(ServiceError):
    """A change of something that others may change, too, needs `If-Match`."""

    code = ErrorCode.PRECONDITION_MISSING
    status = HTTPStatus.PRECONDITION_REQUIRED
    title = "The change needs a precondition"


class NotAcceptableError(ServiceError):
    """The route answers in none of the types that `Accept` asks for."""

    code = ErrorCode.NOT_ACCEPTABLE
    status = HTTPStatus.NOT_ACCEPTABLE
    title = "No acceptable form of answer"


class TooSlowError(ServiceError):
    """The body came too slowly, or stopped coming."""

    code = ErrorCode.TOO_SLOW
    status = HTTPStatus.REQUEST_TIMEOUT
    title = "The body came too slowly"
    retryable = True


class TooLargeError(ServiceError):
    """A body, line or count over its bound."""

    code = ErrorCode.TOO_LARGE
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    title = "Too large"


class UnsupportedMediaTypeError(ServiceError):
    """A body in a type or encoding that the route does not read."""

    code = ErrorCode.UNSUPPORTED_MEDIA_TYPE
    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    title = "Unsupported media type"


class InvalidError(ServiceError):
    """A body that could be read but breaks a rule; `errors` names each place."""

    code = ErrorCode.INVALID
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The request breaks a rule"


class EndpointNotAllowedError(ServiceError):
    """An endpoint that this deployment does not call.

    `origin` is its scheme, host and port, for the audit log; empty where they are not at fault.
    """

    origin: str = ""

    code = ErrorCode.ENDPOINT_NOT_ALLOWED
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The endpoint may not be called"


class SecretsUnavailableError(ServiceError):
    """Secrets are to be stored but the operator configured no key to encrypt them with."""

    code = ErrorCode.SECRETS_UNAVAILABLE
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Secrets cannot be stored"


class IdempotencyMismatchError(ServiceError):
    """An idempotency key was used again with another body."""

    code = ErrorCode.IDEMPOTENCY_MISMATCH
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The idempotency key belongs to another request"


class RateLimitedError(ServiceError):
    """A key, or an address without a valid one, sends more requests than it may."""

    code = ErrorCode.RATE_LIMITED
    status = HTTPStatus.TOO_MANY_REQUESTS
    title = "Too many requests"
    retryable = True


class QuotaExceededError(ServiceError):
    """The team has used what it may have of something; `quota` says of what."""

    code = ErrorCode.QUOTA_EXCEEDED
    status = HTTPStatus.TOO_MANY_REQUESTS
    title = "A quota is used up"


class NotReadyError(ServiceError):
    """The service cannot do its work, or may lose what it accepts; `errors` says why."""

    code = ErrorCode.NOT_READY
    status = HTTPStatus.SERVICE_UNAVAILABLE
    title = "The service is not ready"
    retryable = True


class StoreUnavailableError(ServiceError):
    """Redis cannot be reached or refuses work for now."""

    code = ErrorCode.STORE_UNAVAILABLE
    status = HTTPStatus.SERVICE_UNAVAILABLE
    title = "The store is unavailable"
    retryable = True


class StorageFullError(ServiceError):
    """Redis has no memory or disk left for new records, or a server none for temporary files."""

    code = ErrorCode.STORAGE_FULL
    status = HTTPStatus.INSUFFICIENT_STORAGE
    title = "The store is full"


def no_room() -> StorageFullError:
    """Return what is told where what is put aside for a request does not fit the disk."""
    return StorageFullError(
        "The server has no room on its disk for the temporary files of this request; send less at "
        "once, or have room made where TMPDIR of the server points."
    )
