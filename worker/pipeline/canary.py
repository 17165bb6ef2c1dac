"""Whether the first answers of a run have all failed alike, and what to say about it."""

from collections.abc import Sequence
from typing import Final

import msgspec

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from reteval.contract.endpoints import Endpoint
from reteval.contract.outcomes import FailureCode, Outcome
from reteval.contract.probes import ProbeAnswer, ProbeReport
from worker.diagnosis.facts import Row
from worker.diagnosis.failures import advise_on
from worker.pipeline.probing import Exchange, Scrub, report_probe

_SHOWN: Final = 3
_MAY_PASS: Final = frozenset({FailureCode.HTTP_5XX, FailureCode.RATE_LIMITED, FailureCode.TIMEOUT})
_SHOWN_LISTS: Final = 3
_MAX_TEXT: Final = 500


def find_common_failure(outcomes: Sequence[Outcome]) -> FailureCode | None:
    """Return the one code that all requests without an answer share; None if any was answered.

    An endpoint that is overloaded or slow is not one that is described wrongly: that is for the
    breaker, which waits for it.
    """
    codes = {None if outcome.status.answered else outcome.code for outcome in outcomes}
    return codes.pop() if len(codes) == 1 and not codes & _MAY_PASS else None


def describe_canary(
    code: FailureCode,
    exchanges: Sequence[Exchange],
    endpoint: Endpoint,
    *,
    scrub: Scrub,
    sent: int,
    unsent: int,
) -> Diagnostic:
    """Tell how the first requests of a run failed; `exchanges` is empty if others saw them."""
    report = report_probe(exchanges, endpoint, scrub=scrub)
    first = report.suggestions[0] if report.suggestions else None
    problems = report.problems or (f"{advise_on(code).capitalize()}.",)
    mend = f" {first.message} See the patch." if first else ""
    return Diagnostic(
        code=DiagnosticCode.CANARY_FAILED,
        severity=Severity.BLOCK,
        message=f"The first {sent} requests all failed with {code.value!r}, so the other {unsent} "
        "were not sent.",
        fix=f"{' '.join(problems)}{mend} Then start the run again; POST /v1/probes tries a "
        "few queries first.",
        evidence=(*map(_show_answer, report.answers[:_SHOWN]), *_show_lists(report)),
        patch=first.patch if first else msgspec.UNSET,
    )


def _show_answer(answer: ProbeAnswer) -> Row:
    request = answer.request
    return {
        "query_id": answer.query_id,
        "request": f"{request.method} {request.url}" if request else None,
        "body": request.body[:_MAX_TEXT] if request and request.body else None,
        "http_status": answer.http_status,
        "detail": answer.detail,
        "answer": answer.answer[:_MAX_TEXT],
    }


def _show_lists(report: ProbeReport) -> tuple[Row, ...]:
    """Return where lists were found in the answers, and which of their fields look like ids."""
    rows = [
        {
            "path": found.path,
            "length": found.length,
            "id_like": [field.path for field in found.fields if field.looks_like == "id"],
        }
        for found in report.lists[:_SHOWN_LISTS]
    ]
    return ({"lists": rows},) if rows else ()
