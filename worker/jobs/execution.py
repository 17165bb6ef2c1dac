"""From a wake-up call to the end of a unit: take what is due, hold it, do what its kind asks."""

import asyncio
import contextlib
import secrets
import signal
import time
from collections.abc import Iterator
from typing import Final

from reteval.contract.outcomes import FailureCode
from service.errors import CorruptRecordError, NotFoundError, ServiceError
from service.queue import JobQueue
from service.settings import Settings
from service.store.connection import STEADY
from service.store.ending import end_task
from service.store.fencing import LostClaimError
from service.store.keys import (
    COMPARISON_PREFIX,
    LEAKAGE_PREFIX,
    PREVIEW_PREFIX,
    PROBE_PREFIX,
    STEP_PREFIX,
)
from service.store.records import END, PLAN, Claim, RunRecord
from service.store.store import Store
from worker.jobs.comparing import abandon_comparison, compare_runs
from worker.jobs.finalising import abandon_run, finalise_run
from worker.jobs.hold import BEAT_S, MAKE_WAY_S, Hold, Stop
from worker.jobs.importing import import_run
from worker.jobs.leakage import abandon_check, check_test_set
from worker.jobs.observing import observe
from worker.jobs.planning import plan_run
from worker.jobs.previewing import abandon_preview, preview_variants
from worker.jobs.probing import abandon_probe, probe_endpoint
from worker.jobs.rescoring import rescore_run
from worker.jobs.searching import search_shard
from worker.jobs.steps import abandon_step, do_step
from worker.jobs.work import Work, log

_KINDS: Final = {
    COMPARISON_PREFIX: (compare_runs, abandon_comparison),
    PROBE_PREFIX: (probe_endpoint, abandon_probe),
    PREVIEW_PREFIX: (preview_variants, abandon_preview),
    STEP_PREFIX: (do_step, abandon_step),
    LEAKAGE_PREFIX: (check_test_set, abandon_check),
}
"""What to do with jobs of one unit, by how their ids begin, and how to end them without."""
GIVE_BACK_S: Final = 300.0
"""For how long a worker that its store has left tries to give its unit back."""


async def execute_next(settings: Settings, queue_name: str, *, seconds: float = MAKE_WAY_S) -> None:
    """Take the unit whose turn it is and work on it, then the next; do nothing if nothing waits.

    Where the next unit of the same job can only follow on this one, it is taken first. After
    some seconds no more is begun: a new process starts afresh.
    """
    began = time.monotonic()
    store = Store.connect(settings.redis_url, patience=STEADY)
    queue = JobQueue.connect(settings.redis_url)
    try:
        with _draining() as drain:
            claim = await store.claims.take(queue_name, owner=_name(), lease_s=settings.lease_s)
            while claim is not None:
                claim = await _execute(Work(settings, store, queue, claim), drain)
                if claim is None and not drain.asked and time.monotonic() - began < seconds:
                    claim = await store.claims.take(
                        queue_name, owner=_name(), lease_s=settings.lease_s
                    )
    except LostClaimError as exc:
        log.warning("job.lost", job=str(exc))
    finally:
        queue.close()
        await store.close()


async def _execute(work: Work, drain: "Drain") -> Claim | None:
    claim, lease_s = work.claim, work.settings.lease_s
    async with observe(work):
        log.info("unit.claimed")
        with drain.watch(work.hold):
            try:
                goes_on = await hold_and_work(work)
            except (LostClaimError, ServiceError):
                await _give_back(work, drain)
                raise
    if not goes_on or drain.asked:
        return None
    return await work.store.claims.claim(claim.tenant, claim.job_id, owner=_name(), lease_s=lease_s)


async def hold_and_work(work: Work) -> bool:
    """Work until the unit is done or must be left to others; True: its job can go on at once.

    Raises:
        LostClaimError: another worker has it.
        ServiceError: the store is away; the unit is picked up again once it is back.
    """
    beating = asyncio.create_task(work.hold.keep())
    try:
        if work.claim.poisoned:
            await _abandon(work, FailureCode.WORKER_CRASHED)
            return False
        return await _dispatch(work)
    except NotFoundError as exc:
        log.warning("job.basis_gone", job=work.claim.job_id, error=str(exc))
        await _end_incomplete(work, FailureCode.PARENT_DELETED)
        return False
    except CorruptRecordError as exc:
        log.warning("job.basis_corrupt", job=work.claim.job_id, error=str(exc))
        await _end_incomplete(work, FailureCode.CORRUPT_RECORD)
        return False
    except (LostClaimError, ServiceError):
        raise
    except Exception:  # noqa: BLE001 - whatever broke, the job must end honestly
        log.exception("job.internal_error", job=work.claim.job_id)
        await _abandon(work, FailureCode.INTERNAL_ERROR)
        return False
    finally:
        await end_task(beating)


async def _dispatch(work: Work) -> bool:
    for prefix, (do, _) in _KINDS.items():
        if work.claim.job_id.startswith(prefix):
            await do(work)
            return False
    record = await work.store.runs.get(work.tenant, work.claim.job_id)
    if work.claim.unit == PLAN:
        return await _plan(work, record)
    if work.claim.unit == END:
        await finalise_run(work, record)
        return False
    return await search_shard(work, record)


async def _plan(work: Work, record: RunRecord) -> bool:
    if record.spec.rescore is not None:
        return await rescore_run(work, record, record.spec.rescore)
    if record.spec.uploaded:
        return await import_run(work, record)
    return await plan_run(work, record)


async def _abandon(work: Work, code: FailureCode) -> None:
    for prefix, (_, abandon) in _KINDS.items():
        if work.claim.job_id.startswith(prefix):
            await abandon(work, code)
            return
    record = await work.store.runs.get(work.tenant, work.claim.job_id)
    await abandon_run(work, record, code)


async def _end_incomplete(work: Work, code: FailureCode) -> None:
    """End a job of which, or for which, something stored is missing or damaged."""
    claim = work.claim
    try:
        await _abandon(work, code)
    except NotFoundError:
        log.warning("job.gone", job=claim.job_id)
    except CorruptRecordError:
        await work.store.damage.condemn(claim.queue, work.tenant, claim.job_id)


async def _give_back(work: Work, drain: "Drain") -> None:
    """Give up the claim, if it still is one, so that an outage of the store counts as no crash."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + GIVE_BACK_S
    while not drain.asked and loop.time() < deadline:
        try:
            await work.store.claims.release(work.claim)
        except ServiceError as exc:
            log.warning("unit.not_given_back", job=work.claim.job_id, error=str(exc))
            await asyncio.sleep(BEAT_S)
        else:
            return


class Drain:
    """Whether the worker was asked to make way; the hold of the moment is told."""

    def __init__(self) -> None:
        self.asked = False
        self._hold: Hold | None = None

    def ask(self) -> None:
        """Ask for the end."""
        self.asked = True
        if self._hold is not None:
            self._hold.stop(Stop.DRAINING)

    @contextlib.contextmanager
    def watch(self, hold: Hold) -> Iterator[None]:
        """Tell a hold, if asked while the block runs or before."""
        self._hold = hold
        if self.asked:
            hold.stop(Stop.DRAINING)
        try:
            yield
        finally:
            self._hold = None


@contextlib.contextmanager
def _draining() -> Iterator[Drain]:
    """Let SIGTERM hand the work on instead of ending the process."""
    loop, drain = asyncio.get_running_loop(), Drain()
    loop.add_signal_handler(signal.SIGTERM, drain.ask)
    try:
        yield drain
    finally:
        loop.remove_signal_handler(signal.SIGTERM)


def _name() -> str:
    return secrets.token_hex(8)
