"""The use case: a gate comes in, a verdict goes out, or what it still waits for."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

from msgspec import Struct

from reteval.contract.comparisons import Comparison, ComparisonRequest
from reteval.contract.gates import GatePending, GateRequest, GateVerdict
from reteval.contract.results import Results
from service.core.backend import Backend
from service.core.gates.checks import check_gate
from service.core.gates.evidence import Pending, compare, failed, find_baseline
from service.core.gates.readings import Against, Gap
from service.core.gates.verdicts import NO_BASELINE, USABLE, evaluate, show_run
from service.core.reports import read_results
from service.core.runs import get_run

_POLL_S: Final = 1.0


class Evidence(Struct, frozen=True):
    """Everything that a gate is held against."""

    results: Results
    against: Against


class Comparisons(Protocol):
    """What a gate needs of comparisons; `service.core.comparisons` is one."""

    def open_comparison(
        self, backend: Backend, request: ComparisonRequest, *, wait_s: float
    ) -> Awaitable[Comparison]:
        """Answer the comparison of this content, made now unless it was made before."""

    def get_comparison(
        self, backend: Backend, comparison_id: str, *, wait_s: float
    ) -> Awaitable[Comparison]:
        """Return a comparison as soon as it has ended, or as it is after `wait_s` seconds."""


async def decide(
    backend: Backend, request: GateRequest, *, wait_s: float, comparisons: Comparisons
) -> GateVerdict | GatePending:
    """Hold a run to a gate, waiting up to `wait_s` seconds for what has not ended yet.

    Raises:
        InvalidError: the gate breaks a rule.
        NotFoundError: a run or comparison that does not exist.
    """
    request = check_gate(request)
    loop = asyncio.get_running_loop()
    deadline = loop.time() + wait_s

    def left_s() -> float:
        return max(0.0, deadline - loop.time())

    if request.comparison is None:
        gathered = await _gather_run(backend, request, left_s, comparisons)
    else:
        gathered = await _gather_comparison(backend, request.comparison, left_s, comparisons)
    if isinstance(gathered, Pending):
        return GatePending(
            status="pending",
            waiting_for=gathered.ids,
            links={one: _link(one) for one in gathered.ids},
            poll_after_s=_POLL_S,
        )
    return evaluate(request, gathered.results, gathered.against)


async def _gather_run(
    backend: Backend, request: GateRequest, left_s: Callable[[], float], comparisons: Comparisons
) -> Evidence | Pending:
    run = await get_run(backend, str(request.run), wait_s=left_s())
    if not run.status.terminal:
        return Pending((run.id,))
    results = await read_results(backend, run.id)
    against: Against | Pending = NO_BASELINE
    if request.drops and results.status in USABLE:
        against = await _gather_against(backend, request, results, left_s, comparisons)
    return against if isinstance(against, Pending) else Evidence(results, against)


async def _gather_against(
    backend: Backend,
    request: GateRequest,
    results: Results,
    left_s: Callable[[], float],
    comparisons: Comparisons,
) -> Against | Pending:
    found = await find_baseline(backend, request, results)
    if isinstance(found, Gap):
        return Against(gap=found)
    baseline = await get_run(backend, found, wait_s=left_s())
    if not baseline.status.terminal:
        return Pending((baseline.id,))
    return await compare(
        request,
        results,
        await read_results(backend, baseline.id),
        lambda wanted: comparisons.open_comparison(backend, wanted, wait_s=left_s()),
    )


async def _gather_comparison(
    backend: Backend, comparison_id: str, left_s: Callable[[], float], comparisons: Comparisons
) -> Evidence | Pending:
    comparison = await comparisons.get_comparison(backend, comparison_id, wait_s=left_s())
    if not comparison.status.terminal:
        return Pending((comparison.id,))
    results = await read_results(backend, comparison.candidate)
    return Evidence(results, await _of_comparison(backend, comparison))


async def _of_comparison(backend: Backend, comparison: Comparison) -> Against:
    run = show_run(await read_results(backend, comparison.baseline))
    if comparison.report is None:
        return Against(run=run, gap=failed(comparison))
    return Against(run=run, reports=(comparison.report,))


def _link(one: str) -> str:
    resource = "comparisons" if one.startswith("cmp_") else "runs"
    return f"/v1/{resource}/{one}"
