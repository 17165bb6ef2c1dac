"""A comparison of two ended runs, from their stored values and rankings alone."""

import asyncio

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from reteval.contract.comparisons import ComparisonRequest, Side
from reteval.contract.differences import Changes
from reteval.contract.outcomes import FailureCode, Outcome
from reteval.contract.robustness import RobustnessComparison
from reteval.contract.runs import RunStatus
from reteval.contract.splits import HoldoutLooks
from service.store.bare_report import iso_time
from service.store.chunks import SIZE
from service.store.differences import compare_heads, count_changes
from service.store.records import RunRecord
from worker.comparison.compare import compare
from worker.comparison.runs import RunView
from worker.jobs.attacks import read_attack
from worker.jobs.rescoring import find_threshold
from worker.jobs.work import Work, log
from worker.pipeline.robustness_change import compare_robustness


async def compare_runs(work: Work) -> None:
    """Compare the two runs and end the comparison.

    Raises:
        NotFoundError: one of the runs is gone.
        LostClaimError: another worker has the comparison.
    """
    record = await work.store.comparisons.get(work.tenant, work.claim.job_id)
    request = record.spec.request
    report = await asyncio.to_thread(
        compare,
        record.id,
        request,
        await _view(work, request.baseline),
        await _view(work, request.candidate),
        await _find_changes(work, request),
    )
    report = msgspec.structs.replace(report, robustness=await _compare_attacks(work, request))
    await work.store.journal.finish(
        work.claim,
        status=RunStatus.COMPLETED,
        report=msgspec.json.encode(report),
        error="",
    )
    log.info("comparison.finished", comparison=record.id, verdict=report.verdict)


async def abandon_comparison(work: Work, code: FailureCode) -> None:
    """End a comparison that could not be made."""
    await work.store.journal.finish(work.claim, status=RunStatus.FAILED, report=b"", error=code)


async def _find_changes(work: Work, request: ComparisonRequest) -> Changes | UnsetType:
    """Return how the candidate's test set differs from the baseline's, if it is another one."""
    runs = [
        await work.store.runs.get(work.tenant, run) for run in (request.baseline, request.candidate)
    ]
    refs = [run.spec.test_set for run in runs]
    if refs[0].hash == refs[1].hash:
        return UNSET
    test_sets = work.store.test_sets
    before, after = (test_sets.open(work.tenant, ref.id) for ref in refs)
    heads = [await test_sets.get(work.tenant, ref.id) for ref in refs]
    changes = await count_changes(before, after)
    return msgspec.structs.replace(changes, head=compare_heads(*heads))


async def _compare_attacks(
    work: Work, request: ComparisonRequest
) -> RobustnessComparison | UnsetType:
    attacks = []
    for run_id in (request.baseline, request.candidate):
        record = await work.store.runs.get(work.tenant, run_id)
        queries = await work.read_queries(record.spec.test_set.id)
        attacks.append(await read_attack(work, run_id, queries))
    baseline, candidate = attacks
    if baseline is None or candidate is None:
        return UNSET
    return await asyncio.to_thread(
        compare_robustness, baseline, candidate, margin=request.margin, alpha=request.alpha
    )


async def _view(work: Work, run_id: str) -> RunView:
    """Read a run as its comparison needs it: the scored queries in plan order."""
    store, tenant = work.store, work.tenant
    record = await store.runs.get(tenant, run_id)
    test_set = await store.test_sets.get(tenant, record.spec.test_set.id)
    queries = {query.id: query for query in await work.read_queries(test_set.id)}
    columns = await store.outcomes.columns(tenant, run_id)
    slices = await store.outcomes.slices(tenant, run_id)
    clean, _ = await store.outcomes.plan_size(tenant, run_id)
    outcomes: list[Outcome] = []
    ids: list[str] = []
    for start in range(0, clean, SIZE):
        stop = min(start + SIZE, clean)
        for row in await store.outcomes.rows(tenant, run_id, start=start, stop=stop):
            ids.append(row.query_id)
            outcomes.append(row.outcome)
    scored = [place for place, query_id in enumerate(ids) if not queries[query_id].expect]
    asked = [queries[ids[place]] for place in scored]
    kept = [outcomes[place] for place in scored]
    return RunView(
        side=Side(
            run=run_id,
            label=record.spec.request.label,
            status=record.status,
            test_set=record.spec.test_set,
            answered=sum(outcome.status.answered for outcome in kept),
            timestamp=iso_time(record.created_ms),
            split=record.spec.request.split,
            holdout_looks=await _count_looks(work, record),
        ),
        hash=record.spec.test_set.hash,
        query_ids=tuple(query.id for query in asked),
        texts=tuple(query.query for query in asked),
        answered=np.array([outcome.status.answered for outcome in kept], dtype=np.bool_),
        values={name: np.array(column)[scored] for name, column in columns.items()},
        rankings=[outcome.ids for outcome in kept],
        latency_ms=np.array([_first_latency(outcome) for outcome in kept], dtype=np.float64),
        slices=[slices[place] for place in scored],
        clusters=[query.cluster_id for query in asked],
        depth=record.spec.depth,
        relevant_from=find_threshold(record, test_set),
    )


async def _count_looks(work: Work, record: RunRecord) -> HoldoutLooks | None:
    if not record.look:
        return None
    totals = await work.store.looks.totals(work.tenant, [record.holdout])
    return HoldoutLooks(look=record.look, total=totals[record.holdout])


def _first_latency(outcome: Outcome) -> float:
    return np.nan if not outcome.at_once or outcome.latency_ms is None else outcome.latency_ms
