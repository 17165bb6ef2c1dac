"""A leakage check: texts read, compared and counted; nothing is sent."""

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from reteval.contract.leakage import PairSide
from reteval.contract.outcomes import FailureCode, Outcome
from reteval.contract.runs import RunStatus
from service.store.chunks import SIZE, unpack
from service.store.records import GivenTexts, LeakageSpec
from worker.diagnosis.leakage.check import Material, check_leakage
from worker.diagnosis.leakage.listing import show_query
from worker.jobs.work import Work, log


async def check_test_set(work: Work) -> None:
    """Look for leakage and end the check.

    Raises:
        NotFoundError: a set or the run is gone.
        LostClaimError: another worker has the check.
        ServiceError: the store is away.
    """
    spec = (await work.store.leakage.get(work.tenant, work.claim.job_id)).spec
    test_set = await work.store.test_sets.get(work.tenant, spec.test_set)
    sealed = await work.store.claims.secrets(work.claim)
    given = unpack(sealed, GivenTexts) if sealed else GivenTexts()
    material = Material(
        test_set=spec.test_set,
        queries=await work.read_queries(spec.test_set),
        relevant_from=test_set.relevant_from,
        against=await _read_list(work, spec, given),
        corpus=given.corpus,
        **await _read_run(work, spec.run) if spec.run else {},
    )
    checked = await asyncio.to_thread(check_leakage, material)
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


async def _read_list(work: Work, spec: LeakageSpec, given: GivenTexts) -> list[PairSide] | None:
    if spec.against is not None:
        await work.store.test_sets.get(work.tenant, spec.against)
        return [
            show_query(query.id, query.query, query.split, query.source)
            for query in await work.read_queries(spec.against)
        ]
    if given.against is None:
        return None
    return [show_query(str(at), text) for at, text in enumerate(given.against, start=1)]


async def _read_run(work: Work, run_id: str) -> Mapping[str, Any]:
    """Return what a run noted of its clean queries, and their values, in one order."""
    outcomes: dict[str, Outcome] = {}
    clean, _ = await work.store.outcomes.plan_size(work.tenant, run_id)
    for start in range(0, clean, SIZE):
        stop = min(start + SIZE, clean)
        rows = await work.store.outcomes.rows(work.tenant, run_id, start=start, stop=stop)
        outcomes |= {row.query_id: row.outcome for row in rows}
    columns = await work.store.outcomes.columns(work.tenant, run_id)
    return {
        "outcomes": outcomes,
        "asked": tuple(outcomes),
        "columns": {name: np.array(column) for name, column in columns.items()},
    }
