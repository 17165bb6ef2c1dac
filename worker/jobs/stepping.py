"""The end of a job that moves a judging on: what it came to, in the judging and in the job."""

import time
from collections.abc import Mapping

from reteval.contract.judgings import JudgingState
from reteval.contract.runs import RunStatus
from service.store.bare_report import iso_time
from service.store.judging_records import JudgingRecord
from worker.jobs.hold import Stop
from worker.jobs.work import Work


async def end_step(
    work: Work,
    record: JudgingRecord,
    *,
    state: JudgingState = JudgingState.FAILED,
    error: str = "",
    fields: Mapping[str, bytes] | None = None,
) -> None:
    """End the job in a state, or as the reason asks for which it was stopped.

    Raises:
        LostClaimError: another worker has it.
    """
    status = RunStatus.FAILED if state is JudgingState.FAILED else RunStatus.COMPLETED
    if work.hold.reason is Stop.CANCELLED:
        state, status = JudgingState.CANCELLED, RunStatus.CANCELLED
    elif work.hold.reason is not None:
        await work.make_way()
        return
    told = {"state": state.value.encode(), "error": error.encode(), **(fields or {})}
    await work.store.pools.put(work.claim, record.id, fields=told)
    await work.store.judgings.weigh(work.tenant, record.id)
    await work.store.journal.finish(work.claim, status=status, report=b"", error=error)


def now_iso() -> str:
    """Return the moment in UTC, to the millisecond."""
    return iso_time(round(time.time() * 1_000))
