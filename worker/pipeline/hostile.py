"""What an endpoint made of odd and hostile strings: a verdict each, by rules instead of labels."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import UNSET, Struct, UnsetType, structs

from reteval.contract.hostile import (
    HOSTILE_CLEAN,
    HOSTILE_PREFIX,
    Expectation,
    HostileCase,
    HostileVerdict,
)
from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus, PlannedRequest
from worker.adversarial.hostile_pack import CASES, Case
from worker.adversarial.unjudged import is_unjudged
from worker.metrics.overlap import rbo
from worker.pipeline.pairing import Values
from worker.pipeline.statuses import name_status
from worker.pipeline.variants import Odd, Variants

SLOWER: Final = 5
"""Times the clean queries' p95 that an odd string may take."""
LEAST_BOUND_MS: Final = 2_000.0
BAND_QUANTILE: Final = 0.05
"""Of the control's overlaps, the one that the same list has to reach."""
DEFAULT_BAND: Final = 0.9
"""The same where no control was run."""
MAX_SHOWN: Final = 200
_ROUNDING: Final = 1e-9
_BY_NAME: Final = {case.name: case for case in CASES}
_PLAIN: Final = (Expectation.HITS_EXPECTED, Expectation.SAME_AS_CLEAN)


class Bounds(Struct, frozen=True, kw_only=True):
    """What every string of a run is held against: milliseconds, and overlap with the same list."""

    latency_ms: float
    rbo: float


def report_hostile(
    variants: Variants, control_rbo: Sequence[float] | Values
) -> tuple[HostileCase, ...] | UnsetType:
    """Judge each string that was planned; UNSET where none was asked for.

    `control_rbo` holds the overlap of each clean query with itself sent again.
    """
    if not variants.evidence.suite.hostile:
        return UNSET
    bounds = _set_bounds(variants, control_rbo)
    partners = _find_partners(variants)
    return tuple(
        _report_case(odd, partners.get(odd.request.query_id), bounds, variants.evidence.depth)
        for odd in variants.odd
        if is_hostile(odd.request)
        and odd.request.kind != HOSTILE_CLEAN
        and odd.request.query_id in _BY_NAME
    )


def is_hostile(request: PlannedRequest) -> bool:
    """Whether the request is an odd string of ours, or the plain words beside one."""
    return is_unjudged(request) and request.kind.startswith(HOSTILE_PREFIX)


def _set_bounds(variants: Variants, control_rbo: Sequence[float] | Values) -> Bounds:
    latencies = variants.latency[~np.isnan(variants.latency)]
    usual = SLOWER * float(np.percentile(latencies, 95)) if len(latencies) else 0.0
    band = float(np.quantile(control_rbo, BAND_QUANTILE)) if len(control_rbo) else DEFAULT_BAND
    return Bounds(latency_ms=max(usual, LEAST_BOUND_MS), rbo=band)


def _find_partners(variants: Variants) -> dict[str, Outcome]:
    """Return by case what came of the plain request: its own, or the query's that it wraps."""
    partners: dict[str, Outcome] = {}
    clean: dict[str, Outcome] = {}
    for request, outcome in zip(variants.requests, variants.clean, strict=True):
        clean.setdefault(request.text, outcome)
    for odd in variants.odd:
        request = odd.request
        if not is_hostile(request):
            continue
        if request.kind == HOSTILE_CLEAN:
            partners[request.query_id] = odd.outcome
        elif request.original in clean:
            partners.setdefault(request.query_id, clean[request.original])
    return partners


def _report_case(odd: Odd, clean: Outcome | None, bounds: Bounds, depth: int) -> HostileCase:
    request, outcome = odd.request, odd.outcome
    case = _BY_NAME[request.query_id]
    report = HostileCase(
        case=case.name,
        group=case.group,
        why=case.why,
        sent=request.text[:MAX_SHOWN],
        sent_chars=len(request.text),
        expect=case.expect,
        verdict=HostileVerdict.NOT_RUN,
        bound_ms=bounds.latency_ms,
        http=UNSET if outcome.http_status is None else outcome.http_status,
        code=UNSET if outcome.code is None else outcome.code.value,
        hits=outcome.returned if outcome.status.answered else UNSET,
        latency_ms=UNSET if outcome.latency_ms is None else outcome.latency_ms,
    )
    if clean is not None and clean.status.answered:
        report = structs.replace(report, clean_hits=clean.returned)
        if case.expect is Expectation.SAME_AS_CLEAN and outcome.status.answered:
            overlap = rbo(clean.ids[:depth], outcome.ids[:depth])
            report = structs.replace(report, rbo=overlap, rbo_at_least=bounds.rbo)
    return structs.replace(report, verdict=_judge(report, case, outcome))


def _judge(report: HostileCase, case: Case, outcome: Outcome) -> HostileVerdict:
    if outcome.status is OutcomeStatus.SKIPPED:
        return HostileVerdict.NOT_RUN
    if not outcome.status.answered:
        return _judge_failure(case, outcome)
    if outcome.latency_ms is not None and outcome.latency_ms > report.bound_ms:
        return HostileVerdict.SLOW
    if case.expect in _PLAIN and not outcome.ids and report.clean_hits != 0:
        return HostileVerdict.EMPTY
    if (
        report.rbo is not UNSET
        and report.rbo_at_least is not UNSET
        and report.rbo < report.rbo_at_least - _ROUNDING
    ):
        return HostileVerdict.CHANGED
    return HostileVerdict.OK


def _judge_failure(case: Case, outcome: Outcome) -> HostileVerdict:
    """A refusal by 4xx is right for what no one types, and a fault for everyday punctuation."""
    if name_status(outcome) == "blocked":
        return HostileVerdict.BLOCKED
    if outcome.code is FailureCode.TIMEOUT:
        return HostileVerdict.SLOW
    if outcome.code is FailureCode.HTTP_4XX and case.expect not in _PLAIN:
        return HostileVerdict.OK
    return HostileVerdict.BROKEN
