"""Requests without a valid answer: how many, why, and what to change."""

from collections import Counter
from typing import Final

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus
from worker.diagnosis.facts import MAX_EVIDENCE, Row, RunFacts, count

_MAX_DETAIL: Final = 200
_UNREACHABLE: Final = "check the endpoint's URL, that it is up, and that the worker can reach it"
_OVERLOADED: Final = 'lower "limits.concurrency" or "limits.rate_per_s", or give it more capacity'
_MALFORMED: Final = "send a few queries by hand and compare the answer with the endpoint mapping"
_REFUSED: Final = "check method, URL, body and headers against what the endpoint expects"
_STOPPED: Final = "see why the run stopped early"
_OURS: Final = "look into the worker's log: the fault is on this side"
_UNKNOWN: Final = "read the details of the requests below"
_RETRY: Final = " Then retry the run: only these are sent again."
_FIXES: Final = {
    FailureCode.BLOCKED: "let the operator allow the address, or use one that is allowed",
    FailureCode.CONNECT: _UNREACHABLE,
    FailureCode.DNS_ERROR: _UNREACHABLE,
    FailureCode.DNS_TIMEOUT: _UNREACHABLE,
    FailureCode.TLS_ERROR: "renew or complete the endpoint's certificate chain",
    FailureCode.TIMEOUT: 'raise "limits.timeout_s", or ' + _OVERLOADED,
    FailureCode.RESET: _OVERLOADED,
    FailureCode.TRUNCATED: _OVERLOADED,
    FailureCode.BAD_HTTP: "check that the URL speaks HTTP",
    FailureCode.REDIRECT_NOT_FOLLOWED: "give the URL that the redirect points to",
    FailureCode.ENDPOINT_AUTH: 'check the credentials in the endpoint\'s "headers"',
    FailureCode.RATE_LIMITED: _OVERLOADED,
    FailureCode.HTTP_4XX: _REFUSED,
    FailureCode.HTTP_5XX: "look into the endpoint's log for these queries, or " + _OVERLOADED,
    FailureCode.RESPONSE_TOO_LARGE: "return ids without document texts, or ask for less depth",
    FailureCode.ENCODING_NOT_ALLOWED: "answer uncompressed or as gzip",
    FailureCode.INVALID_CONTENT_TYPE: "answer with Content-Type: application/json",
    FailureCode.INVALID_JSON: _MALFORMED,
    FailureCode.INVALID_RESPONSE: _MALFORMED,
    FailureCode.SCHEMA: _MALFORMED,
    FailureCode.CANCELLED: _STOPPED,
    FailureCode.CIRCUIT_OPEN: _STOPPED,
    FailureCode.DEADLINE: _STOPPED,
    FailureCode.WORKER_CRASHED: _OURS,
    FailureCode.INTERNAL_ERROR: _OURS,
    FailureCode.NOT_IN_PARENT: "start a new run over this test set: rescoring sends nothing, and "
    "the run it reads never sent these queries",
    FailureCode.NOT_IN_RANKINGS: "upload a ranking for each query of the test set; write an empty "
    "list where nothing was found (JSON lines can)",
    FailureCode.REPORTED: "see why your own search failed; `detail` is what it said",
    FailureCode.NOT_SENDABLE: "correct the query's fields or the endpoint's description, which "
    "cannot carry them",
    FailureCode.CORRUPT_RECORD: "tell the operator, whose log names the record: the store is "
    "damaged or something else writes to it",
    FailureCode.PARENT_DELETED: "start a new run over this test set: the run it was to read is "
    "gone",
}


_NOT_SENT: Final = frozenset(
    {
        FailureCode.NOT_IN_PARENT,
        FailureCode.NOT_IN_RANKINGS,
        FailureCode.REPORTED,
        FailureCode.PARENT_DELETED,
    }
)
"""Codes of runs that call nobody, so that there is nothing to repeat."""


def advise_on(code: FailureCode) -> str:
    """Say what to do about one kind of failure, without capital and full stop."""
    return _FIXES.get(code, _UNKNOWN)


def find_failures(facts: RunFacts) -> Diagnostic | None:
    """Find requests that failed or were never sent; both leave the means."""
    missing = [
        (query.id, outcome)
        for query, outcome in zip(facts.queries, facts.outcomes, strict=True)
        if not outcome.status.answered
    ]
    if not missing:
        return None
    codes = Counter(_code(outcome) for _, outcome in missing).most_common()
    skipped = sum(outcome.status is OutcomeStatus.SKIPPED for _, outcome in missing)
    listed = ", ".join(f"{n} {code}" for code, n in codes)
    return Diagnostic(
        code=DiagnosticCode.FAILED_REQUESTS,
        severity=Severity.WARN,
        message=f"{len(missing)} of {count(len(facts.queries), 'request')} got no valid "
        f"answer ({listed}; {skipped} of them never sent). They are in no mean; the bounds "
        "say what they could change.",
        fix=_advise([code for code, _ in codes]),
        evidence=tuple(_describe(*request) for request in missing[:MAX_EVIDENCE]),
    )


def _code(outcome: Outcome) -> str:
    return str(outcome.code or outcome.status)


def _advise(codes: list[str]) -> str:
    """Join the advice for the codes, most frequent first, each piece once."""
    pieces = dict.fromkeys(_FIXES[FailureCode(code)] for code in codes if code in _FIXES)
    advice = "; ".join(pieces) or _UNKNOWN
    resent = "" if set(codes) <= _NOT_SENT else _RETRY
    return f"{advice[0].upper()}{advice[1:]}.{resent}"


def _describe(query_id: str, outcome: Outcome) -> Row:
    return {
        "query_id": query_id,
        "status": str(outcome.status),
        "code": _code(outcome),
        "http_status": outcome.http_status,
        "detail": outcome.detail[:_MAX_DETAIL],
    }
