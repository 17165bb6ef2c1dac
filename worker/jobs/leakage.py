"""A leakage check: texts read, compared and counted; nothing is sent."""

import asyncio
from array import array

import msgspec

from reteval.contract.outcomes import FailureCode, Outcome
from reteval.contract.runs import RunStatus
from reteval.contract.testsets import Query
from service.store.chunks import SIZE, unpack
from service.store.records import GivenTexts
from worker.jobs.work import Work, log
from worker.pipeline.checking import Beside, check_queries


async def check_test_set(work: Work) -> None:
    """Look for leakage and end the check.

    Raises:
        NotFoundError: a set or the run is gone.
        LostClaimError: another worker has the check.
        ServiceError: the store is away.
    """
    spec = (await work.store.leakage.get(work.tenant, work.claim.job_id)).spec
    test_set = await work.store.test_sets.get(work.tenant, spec.test_set)
    sent = await work.store.claims.secrets(work.claim)
    given = unpack(sent, GivenTexts) if sent else GivenTexts()
    outcomes, columns = await _read_run(work, spec.run)
    checked = await asyncio.to_thread(
        check_queries,
        spec.test_set,
        await work.read_queries(spec.test_set),
        Beside(
            texts=given.against,
            others=await _read_others(work, spec.against),
            corpus=given.corpus,
            outcomes=outcomes,
            columns=columns,
        ),
        relevant_from=test_set.relevant_from,
    )
    await work.store.journal.put_pairs(work.claim, checked.pairs)
    await work.store.journal.finish(
        work.claim,
        status=RunStatus.COMPLETED,
        report=msgspec.json.encode(checked.report),
        error="",
    )
    log.info("leakage.finished", check=spec.id, leaked=checked.report.leaked)


async def abandon_check(work: Work, code: FailureCode) -> None:
    """End a check that could not be made."""
    await work.store.journal.finish(work.claim, status=RunStatus.FAILED, report=b"", error=code)


async def _read_others(work: Work, test_set_id: str | None) -> list[Query] | None:
    if test_set_id is None:
        return None
    await work.store.test_sets.get(work.tenant, test_set_id)
    return await work.read_queries(test_set_id)


async def _read_run(
    work: Work, run_id: str | None
) -> tuple[dict[str, Outcome], dict[str, "array[float]"]]:
    """Return what a run noted of its clean queries, and their values, in one order."""
    outcomes: dict[str, Outcome] = {}
    if run_id is None:
        return outcomes, {}
    clean, _ = await work.store.outcomes.plan_size(work.tenant, run_id)
    for start in range(0, clean, SIZE):
        stop = min(start + SIZE, clean)
        rows = await work.store.outcomes.rows(work.tenant, run_id, start=start, stop=stop)
        outcomes |= {row.query_id: row.outcome for row in rows}
    return outcomes, await work.store.outcomes.columns(work.tenant, run_id)
