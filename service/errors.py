"""Errors of the service, each with its code, status and fixed title. Knows no framework."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import ClassVar

from reteval.contract.problems import ErrorCode, ProblemItem


class ServiceError(Exception):
    """Something a client can be told. `errors` points at the places in the body."""

    code: ClassVar[ErrorCode] = ErrorCode.INTERNAL
    status: ClassVar[HTTPStatus] = HTTPStatus.INTERNAL_SERVER_ERROR
    title: ClassVar[str] = "Internal error"
    retryable: ClassVar[bool] = False

    def __init__(self, detail: str, *, errors: Sequence[ProblemItem] = ()) -> None:
        super().__init__(detail)
        self.detail = detail
        self.errors = tuple(errors)


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


class BadCursorError(ServiceError):
    """A cursor that this service did not issue for this list."""

    code = ErrorCode.BAD_CURSOR
    status = HTTPStatus.BAD_REQUEST
    title = "The cursor is not valid here"


class UnauthorizedError(ServiceError):
    """No key, or not the right one."""

    code = ErrorCode.UNAUTHORIZED
    status = HTTPStatus.UNAUTHORIZED
    title = "A valid API key is needed"


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
    """A saved endpoint of that name exists."""

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


class IdempotencyConflictError(ServiceError):
    """The same idempotency key is being processed right now."""

    code = ErrorCode.IDEMPOTENCY_CONFLICT
    status = HTTPStatus.CONFLICT
    title = "The same request is being processed"
    retryable = True


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
    """An endpoint that this deployment does not call."""

    code = ErrorCode.ENDPOINT_NOT_ALLOWED
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The endpoint may not be called"


class SecretsUnavailableError(ServiceError):
    """Header values were sent but the operator configured no key to encrypt them with."""

    code = ErrorCode.SECRETS_UNAVAILABLE
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Secrets cannot be stored"


class IdempotencyMismatchError(ServiceError):
    """An idempotency key was used again with another body."""

    code = ErrorCode.IDEMPOTENCY_MISMATCH
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The idempotency key belongs to another request"


class StoreUnavailableError(ServiceError):
    """Redis cannot be reached or refuses work for now."""

    code = ErrorCode.STORE_UNAVAILABLE
    status = HTTPStatus.SERVICE_UNAVAILABLE
    title = "The store is unavailable"
    retryable = True


class StorageFullError(ServiceError):
    """Redis has no memory or disk left for new records."""

    code = ErrorCode.STORAGE_FULL
    status = HTTPStatus.INSUFFICIENT_STORAGE
    title = "The store is full"
