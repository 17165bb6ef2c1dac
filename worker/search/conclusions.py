"""How a search ended: an answer, a refusal to send it, or a failure, as an outcome."""

from collections.abc import Sequence

from msgspec import structs

from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus
from worker.search.answers import Answer
from worker.search.failures import CallError
from worker.search.transport import Reply


def conclude(answer: Answer, replies: Sequence[Reply], attempts: int) -> Outcome:
    """Make the outcome of an answer."""
    reply = replies[0] if len(replies) == 1 else _add_up(replies)
    return Outcome(
        status=OutcomeStatus.OK if answer.ids else OutcomeStatus.OK_EMPTY,
        http_status=reply.status,
        attempts=attempts,
        latency_ms=reply.latency_ms,
        first_byte_ms=reply.first_byte_ms,
        connect_ms=reply.connect_ms,
        took_ms=answer.took_ms,
        returned=answer.returned,
        ids=answer.ids,
        scores=answer.scores,
        hits=answer.hits,
        total=answer.total,
        pages=len(replies),
    )


def _add_up(replies: Sequence[Reply]) -> Reply:
    """Return the last reply of several pages with the time that all of them took."""
    dialled = [reply.connect_ms for reply in replies if reply.connect_ms is not None]
    return structs.replace(
        replies[-1],
        latency_ms=sum(reply.latency_ms for reply in replies),
        first_byte_ms=sum(reply.first_byte_ms for reply in replies),
        connect_ms=sum(dialled) if dialled else None,
    )


def refuse(reason: str, attempts: int) -> Outcome:
    """Make the outcome of a query that cannot be sent."""
    return Outcome(
        status=OutcomeStatus.SKIPPED,
        code=FailureCode.NOT_SENDABLE,
        detail=reason,
        attempts=attempts,
        pages=attempts,
    )


def fail(failure: CallError, attempts: int) -> Outcome:
    """Make the outcome of a query whose last attempt failed."""
    return Outcome(
        status=OutcomeStatus.FAILED,
        code=failure.code,
        detail=failure.detail,
        http_status=failure.http_status,
        attempts=attempts,
        latency_ms=failure.latency_ms,
    )
