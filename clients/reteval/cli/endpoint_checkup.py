"""Whether the search endpoint answers as a run needs it, and with ids that are judged."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from reteval.cli.arguments import endpoint_of
from reteval.cli.findings import Found, doubtful, well, wrong
from reteval.cli.session import Session
from reteval.contract.probes import ProbeReport, Suggestion
from reteval.contract.testsets import TestSet
from reteval.errors import InvalidError, RetevalError, UnauthorizedError, WaitTimeoutError

_ANY_QUERY: Final = "test"


def examine_endpoint(session: Session, test_set: TestSet | None) -> Iterator[Found]:
    """Have the service send a few queries, and tell what came of them."""
    request: dict[str, Any] = {"endpoint": endpoint_of(session.options)}
    if test_set is None:
        request["queries"] = [{"query": _ANY_QUERY}]
    else:
        request["test_set"] = test_set.id
    try:
        probe = session.client.probe(request, timeout_s=session.options.wait_at_most)
    except InvalidError as exc:
        yield from _refused(exc)
    except WaitTimeoutError as exc:
        yield wrong("endpoint", str(exc), "see that a worker runs: `python -m service up` has some")
    except UnauthorizedError as exc:
        yield wrong("endpoint", f"it could not be tried: {exc}", "have a key made that may run")
    except RetevalError as exc:
        yield wrong("endpoint", f"it could not be tried: {exc}", "ask again later")
    else:
        if probe.report is None:
            reason = probe.error or "no reason given"
            yield wrong("endpoint", f"{probe.id} {probe.status.value}: {reason}", "try once more")
        else:
            yield from _read(probe.report, judged=test_set is not None)


def _refused(exc: InvalidError) -> Iterator[Found]:
    if not exc.errors:
        yield wrong("endpoint", str(exc), "mend its description")
    for item in exc.errors:
        message = f"{item.pointer or 'the request'}: {item.message}"
        yield wrong("endpoint", message, item.fix or "mend its description")


def _read(report: ProbeReport, *, judged: bool) -> Iterator[Found]:
    for text in report.problems:
        cause, _, remedy = text.rpartition("; ")
        yield wrong("endpoint", cause or text, remedy if cause else _show(report))
    answered = [one for one in report.answers if one.status.answered]
    if not answered:
        return
    hits = [one for one in answered if one.returned]
    slowest = max(one.latency_ms or 0.0 for one in answered)
    said = f"{len(answered)} of {len(report.answers)} queries answered, slowest {slowest:.0f} ms"
    if not hits and judged:
        yield wrong("endpoint", f"{said}, none of them with a hit", _show(report))
        return
    if not hits:
        fix = "name a TEST_SET, so that its queries are sent"
        yield doubtful("endpoint", f"{said}, without a hit for {_ANY_QUERY!r}", fix)
        return
    yield well("endpoint", said)
    yield from _examine_ids(report)


def _examine_ids(report: ProbeReport) -> Iterator[Found]:
    share = report.overlap.overlap_q
    if share is None:
        return  # nothing is judged for these queries
    if not share:
        message = "no answer holds an id that is judged for its query: every metric would be 0.0"
        yield wrong("ids", message, _show(report))
        return
    yield well("ids", f"{share:.0%} of {report.overlap.answers} answers hold a judged id")
    for one in report.suggestions:
        if one.proven:
            yield doubtful("ids", "more would match", _tell(one))


def _show(report: ProbeReport) -> str:
    """Return what would mend it, or how to see all of it."""
    if report.suggestions:
        return _tell(report.suggestions[0])
    return "look at what was sent and came back: `reteval probe` with the same words"


def _tell(suggestion: Suggestion) -> str:
    patch = msgspec.json.encode(suggestion.patch).decode()
    return f"{suggestion.message} Patch of the run: {patch}"
