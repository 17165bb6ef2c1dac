"""Gathering what a gate is held against: reports, the baseline, and the paired comparisons."""

from collections.abc import Awaitable, Callable
from typing import Final

from msgspec import UNSET, Struct, structs

from reteval.contract.comparisons import Comparison, ComparisonReport, ComparisonRequest
from reteval.contract.gates import GateReason, GateRequest, NewestRun
from reteval.contract.results import Results
from service.core.backend import Backend
from service.core.gates.readings import Against, Gap
from service.core.gates.verdicts import USABLE, show_run
from service.core.latest import Wanted
from service.errors import InvalidError, NotComparableError

_PAGE: Final = 100

OpenComparison = Callable[[ComparisonRequest], Awaitable[Comparison]]
"""Opens a comparison, waiting for it as long as there is time left."""


class Pending(Struct, frozen=True):
    """Ids of runs or comparisons that have not ended."""

    ids: tuple[str, ...]


async def find_baseline(backend: Backend, request: GateRequest, results: Results) -> str | Gap:
    """Return the id of the run that a gate compares with; the newest of those that fit.

    Raises:
        NotFoundError: no run with the id that the gate names.
    """
    wanted = request.baseline
    if wanted is None:
        return Gap(GateReason.NO_BASELINE, "no baseline was given")
    if isinstance(wanted, NewestRun):
        found = await _newest(backend, wanted, results)
        pinned = results.test_set
        return found or Gap(
            GateReason.NO_BASELINE,
            f"no completed run of {pinned.name!r} version {pinned.version} has the "
            f"{_describe(wanted)}; run the baseline with it first",
        )
    return (await backend.store.runs.get(backend.tenant, wanted)).id


async def compare(
    request: GateRequest, results: Results, baseline: Results, opened: OpenComparison
) -> Against | Pending:
    """Return the comparisons that a gate's `drops` need, or those that have not ended.

    Slices of a comparison are of its primary metric, so each metric with a rule on a slice is
    the primary of one.
    """
    run = show_run(baseline)
    gap = _why_not(request, results, baseline)
    if gap is not None:
        return Against(run=run, gap=gap)
    reports: list[ComparisonReport] = []
    waiting: list[str] = []
    for wanted in plan_comparisons(request, results, baseline):
        try:
            comparison = await opened(wanted)
        except (InvalidError, NotComparableError) as exc:
            return Against(run=run, gap=Gap(GateReason.COMPARISON_FAILED, exc.detail))
        if not comparison.status.terminal:
            waiting.append(comparison.id)
        elif comparison.report is None:
            return Against(run=run, gap=failed(comparison))
        else:
            reports.append(comparison.report)
    return Pending(tuple(waiting)) if waiting else Against(run=run, reports=tuple(reports))


def plan_comparisons(
    request: GateRequest, results: Results, baseline: Results
) -> list[ComparisonRequest]:
    """Return the comparisons that answer every rule on a metric that both runs have."""
    both = set(results.metrics or ()) & set(baseline.metrics or ())
    metrics = tuple(dict.fromkeys(rule.metric for rule in request.drops if rule.metric in both))
    sliced = dict.fromkeys(rule.metric for rule in request.drops if rule.slice is not None)
    primaries = [metric for metric in metrics if metric in sliced] or metrics[:1]
    return [
        ComparisonRequest(
            baseline=baseline.id,
            candidate=results.id,
            primary=primary,
            metrics=metrics,
            on=request.on,
        )
        for primary in primaries
    ]


def failed(comparison: Comparison) -> Gap:
    """Say why an ended comparison has no report."""
    return Gap(
        GateReason.COMPARISON_FAILED,
        f"comparison {comparison.id!r} is {comparison.status}"
        f"{f': {comparison.error}' if comparison.error else ''}",
    )


def _why_not(request: GateRequest, results: Results, baseline: Results) -> Gap | None:
    if baseline.status not in USABLE or baseline.metrics is None:
        why = "" if baseline.reason is UNSET else f" ({baseline.reason})"
        message = f"the baseline {baseline.id!r} is {baseline.status}{why}"
        return Gap(GateReason.BASELINE_FAILED, message)
    if baseline.test_set.hash != results.test_set.hash and request.on is None:
        return Gap(
            GateReason.OTHER_TEST_SET,
            f"the baseline {baseline.id!r} is of another test set; name one of the same, or "
            "compare the queries they share with `on: intersection`",
        )
    return None


def _describe(wanted: NewestRun) -> str:
    said = structs.asdict(wanted)
    return " and the ".join(f"{name} {text!r}" for name, text in said.items() if text)


async def _newest(backend: Backend, wanted: NewestRun, results: Results) -> str | None:
    fitting = Wanted(label=wanted.label, branch=wanted.branch)
    position: str | None = None
    while True:
        records, position = await backend.store.runs.page(
            backend.tenant,
            before=position,
            limit=_PAGE,
            test_set=results.test_set.id,
            label=wanted.label or None,
        )
        for record in records:
            if record.id != results.id and fitting.fits(record):
                return record.id
        if position is None:
            return None
