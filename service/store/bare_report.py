"""The report of a run that ended without numbers: what happened is counted, the rest is null."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec
from msgspec import UNSET

from reteval.contract.diagnostics import Diagnostic
from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus
from reteval.contract.results import Counts, Effort, Latency, Results, ScoredTestSet
from reteval.contract.runs import RunStatus
from reteval.contract.splits import SplitShare
from service.store.records import RunRecord


def report_bare(
    record: RunRecord,
    *,
    status: RunStatus,
    reason: str,
    clean: Sequence[Outcome],
    found: Sequence[Diagnostic] = (),
) -> bytes:
    """Encode a report whose numbers are null for `reason`; `clean` are the clean outcomes."""
    spec = record.spec
    statuses = Counter(outcome.status for outcome in clean)
    attempts = sum(outcome.attempts for outcome in clean)
    sent = len(clean) - statuses[OutcomeStatus.SKIPPED]
    results = Results(
        id=spec.id,
        status=status,
        test_set=ScoredTestSet(**msgspec.structs.asdict(spec.test_set)),
        label=spec.request.label,
        meta=spec.request.meta,
        timestamp=iso_time(record.created_ms),
        num_queries=len(clean) + spec.unscorable,
        counts=Counts(
            planned=len(clean),
            ok=statuses[OutcomeStatus.OK],
            ok_empty=statuses[OutcomeStatus.OK_EMPTY],
            failed=statuses[OutcomeStatus.FAILED],
            skipped=statuses[OutcomeStatus.SKIPPED],
            unscorable=spec.unscorable,
            duplicate_hits=0,
            failed_by_code=dict(Counter(outcome.code for outcome in clean if outcome.code)),
        ),
        effort=Effort(attempts=attempts, retried=max(0, attempts - sent)),
        metrics=None,
        reason=reason,
        latency_ms=Latency(
            n=0, p50=None, p90=None, p95=None, p99=None, mean=None, max=None, reason=reason
        ),
        slices={},
        diagnostics=tuple(found),
        definitions={},
        depth=spec.depth,
        limits=spec.request.limits,
        versions={"reteval": spec.code_version},
        split=UNSET
        if spec.portion is None
        else SplitShare(name=spec.request.split, outside=spec.portion.outside),
    )
    return msgspec.json.encode(results)


def skipped(code: FailureCode) -> Outcome:
    """Return the outcome of a request that was never sent, or whose answer nobody waited for."""
    return Outcome(status=OutcomeStatus.SKIPPED, code=code, attempts=0)


def iso_time(milliseconds: int) -> str:
    """Write a moment in UTC, as `2026-01-31T12:00:00.000Z`."""
    moment = datetime.fromtimestamp(milliseconds / 1_000, UTC)
    return f"{moment.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"
