"""What can go wrong between a caller and the service, as one tree.

    RetevalError
      ConnectionFailedError     nothing came back: refused, reset, timed out, no such host
      UnreadableResponseError   something came back that is no answer of the service
      ResponseError             the service, or something before it, refused
        ClientError             4xx: mend the request
          InvalidError          400, 413, 415, 422; `errors` points at the places
          UnauthorizedError     401, 403
          NotFoundError         404
          ConflictError         409
          RateLimitedError      429
        ServerError             5xx: repeat later, or tell the operator the request id
      WaitTimeoutError          a run, comparison or gate had not ended in time; it goes on
      RunFailedError            a run failed or was cancelled; only `wait(check=True)` raises it
      SignatureError            a webhook's message that is not the service's, or not of now

Knows statuses and problem details, no HTTP library.
"""

from http import HTTPStatus

from msgspec import Struct

from reteval.contract.comparisons import Comparison
from reteval.contract.gates import GatePending
from reteval.contract.judgings import Judging, JudgingJob
from reteval.contract.leakage import LeakageCheck
from reteval.contract.previews import Preview
from reteval.contract.probes import Probe
from reteval.contract.problems import ProblemItem
from reteval.contract.runs import Run, RunStatus
from reteval.contract.suites import SuiteRun


class RetevalError(Exception):
    """Any failure that this package reports."""


class ConnectionFailedError(RetevalError):
    """No answer: the service could not be reached, or the connection broke."""


class Refusal(Struct, frozen=True, kw_only=True):
    """What is known about an answer that is not the one asked for.

    `status` is None when the answer broke off before it was one. `code` is None when it is no
    problem document of the service, such as the error page of a proxy; compare it with
    `ErrorCode`. `request_id` finds the request in the service's log.
    """

    request: str
    status: int | None
    code: str | None
    detail: str
    request_id: str | None
    errors: tuple[ProblemItem, ...] = ()
    retryable: bool = False


class UnreadableResponseError(RetevalError):
    """An answer that is not what the route answers; carries what could be seen of it."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal)
        self.refusal = refusal
        self.status = refusal.status
        self.request_id = refusal.request_id

    def __str__(self) -> str:
        """Name the request, the status and what stood there instead."""
        return _headline(self.refusal)


class ResponseError(RetevalError):
    """A refusal with its status, code and request id; the message names what to mend."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal)
        self.refusal = refusal
        self.status = refusal.status
        self.code = refusal.code
        self.request_id = refusal.request_id
        self.errors = refusal.errors

    def __str__(self) -> str:
        """Name the request, status and code, then one line for each thing to mend."""
        return "\n".join([_headline(self.refusal), *map(_item_line, self.errors)])


class ClientError(ResponseError):
    """The request cannot be served as it is (4xx)."""


class InvalidError(ClientError):
    """The body or a parameter breaks a rule; `errors` names each place."""


class UnauthorizedError(ClientError):
    """No API key, or not the right one."""


class NotFoundError(ClientError):
    """No such object, or none that this key may see."""


class ConflictError(ClientError):
    """The object is not in a state for this: results of a running run, a set in use."""


class RateLimitedError(ClientError):
    """Too many requests, and repeating did not help."""


class ServerError(ResponseError):
    """The service or a proxy before it failed (5xx), and repeating did not help."""


Job = Run | SuiteRun | Comparison | LeakageCheck | Preview | Probe | Judging | JudgingJob
_NOUNS: dict[type[Job], str] = {
    Run: "run",
    SuiteRun: "run",
    Comparison: "comparison",
    LeakageCheck: "leakage check",
    Preview: "preview",
    Probe: "probe",
    Judging: "judging",
    JudgingJob: "job",
}


def name_of(job: Job) -> str:
    """Return what a job is and its id, for messages."""
    return f"{_NOUNS[type(job)]} {job.id!r}"


class WaitTimeoutError(RetevalError):
    """Something had not ended in the time given; it goes on. `pending` is its last known state."""

    def __init__(self, pending: Job | GatePending, timeout_s: float) -> None:
        super().__init__(pending, timeout_s)
        self.pending = pending
        self.timeout_s = timeout_s

    def __str__(self) -> str:
        """Name what is waited for, how far it is, and that it goes on."""
        after = f"after {self.timeout_s:g} s"
        if isinstance(self.pending, GatePending):
            awaited = ", ".join(self.pending.waiting_for)
            return f"the gate still waits for {awaited} {after}; it goes on: ask again"
        state = f"{name_of(self.pending)} is {self.pending.status.value} {after}"
        if isinstance(self.pending, Run | SuiteRun):
            progress = self.pending.progress
            state += f" ({progress.done} of {progress.total} requests done)"
        return f"{state}; it goes on: wait again, or read it later"


class RunFailedError(RetevalError):
    """A run that failed or was cancelled, where one with numbers was asked for; `run` is it."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.run = run

    def __str__(self) -> str:
        """Name the run and the reason, and where to look."""
        reason = self.run.error or "no reason given"
        return (
            f"{name_of(self.run)} is {self.run.status.value}: {reason}; "
            f"its results tell which requests failed and what was answered"
        )


def checked(run: Run) -> Run:
    """Return a run that has numbers.

    Raises:
        RunFailedError: it has none.
    """
    if run.status in (RunStatus.FAILED, RunStatus.CANCELLED):
        raise RunFailedError(run)
    return run


class SignatureError(RetevalError):
    """A message to a webhook that is not the service's, or too old or too new: answer 400."""


_BY_STATUS: dict[int, type[ClientError]] = {
    400: InvalidError,
    401: UnauthorizedError,
    403: UnauthorizedError,
    404: NotFoundError,
    409: ConflictError,
    413: InvalidError,
    415: InvalidError,
    422: InvalidError,
    429: RateLimitedError,
}


def refused(refusal: Refusal) -> ResponseError:
    """Return the error of a status of 400 or more."""
    status = refusal.status or 0
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return ServerError(refusal)
    return _BY_STATUS.get(status, ClientError)(refusal)


def _headline(refusal: Refusal) -> str:
    code = f" {refusal.code}" if refusal.code else ""
    request_id = f" [request id {refusal.request_id}]" if refusal.request_id else ""
    status = "" if refusal.status is None else f"{refusal.status}{code}: "
    return f"{refusal.request}: {status}{refusal.detail}{request_id}"


def _item_line(item: ProblemItem) -> str:
    row = f" (row {item.row})" if item.row is not None else ""
    said = f"{item.message.rstrip('.')}. Fix: {item.fix}" if item.fix else item.message
    return f"  {item.pointer or 'body'}{row}: {said}"
