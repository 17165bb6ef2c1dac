"""From a wake-up call to the end of a job: claim it, hold it, do what its kind asks for."""

import asyncio
import contextlib
import secrets
import signal
from collections.abc import Iterator

from reteval.contract.outcomes import FailureCode
from service.errors import ServiceError
from service.queue import JobQueue
from service.settings import Settings
from service.store.ending import end_task
from service.store.journal import LostClaimError
from service.store.keys import PREVIEW_PREFIX, PROBE_PREFIX
from service.store.store import Store
from worker.jobs.comparing import abandon_comparison, compare_runs
from worker.jobs.finalising import abandon_run
from worker.jobs.hold import Hold, Stop
from worker.jobs.importing import import_run
from worker.jobs.previewing import abandon_preview, preview_variants
from worker.jobs.probing import abandon_probe, probe_endpoint
from worker.jobs.rescoring import rescore_run
from worker.jobs.searching import search_run
from worker.jobs.work import Work, log


async def execute_job(settings: Settings, tenant: str, job_id: str) -> None:
    """Claim the job and work on it; do nothing if it is held, has ended or is gone."""
    store = Store.connect(settings.redis_url)
    queue = JobQueue.connect(settings.redis_url)
    try:
        owner = secrets.token_hex(8)
        claim = await store.claims.claim(tenant, job_id, owner=owner, lease_s=settings.lease_s)
        if claim is None:
            log.info("job.not_claimed", job=job_id)
            return
        log.info("job.claimed", job=job_id, epoch=claim.epoch)
        await hold_and_work(Work(settings, store, queue, claim))
    except LostClaimError:
        log.warning("job.lost", job=job_id)
    finally:
        queue.close()
        await store.close()


async def hold_and_work(work: Work) -> None:
    """Work until the job has ended or must be left to others.

    Raises:
        LostClaimError: another worker has it.
        ServiceError: the store is away; the job is picked up again once it is back.
    """
    beating = asyncio.create_task(work.hold.keep())
    try:
        with _draining(work.hold):
            if work.claim.poisoned:
                await _abandon(work, FailureCode.WORKER_CRASHED)
            else:
                await _dispatch(work)
    except (ServiceError, LostClaimError):
        raise
    except Exception:  # noqa: BLE001 - whatever broke, the job must end honestly
        log.exception("job.internal_error", job=work.claim.job_id)
        await _abandon(work, FailureCode.INTERNAL_ERROR)
    finally:
        await end_task(beating)


async def _dispatch(work: Work) -> None:
    if work.claim.job_id.startswith("cmp_"):
        await compare_runs(work)
        return
    if work.claim.job_id.startswith(PROBE_PREFIX):
        await probe_endpoint(work)
        return
    if work.claim.job_id.startswith(PREVIEW_PREFIX):
        await preview_variants(work)
        return
    record = await work.store.runs.get(work.tenant, work.claim.job_id)
    if record.spec.rescore is not None:
        await rescore_run(work, record, record.spec.rescore)
    elif record.spec.uploaded:
        await import_run(work, record)
    else:
        await search_run(work, record)


async def _abandon(work: Work, code: FailureCode) -> None:
    if work.claim.job_id.startswith("cmp_"):
        await abandon_comparison(work, code)
    elif work.claim.job_id.startswith(PROBE_PREFIX):
        await abandon_probe(work, code)
    elif work.claim.job_id.startswith(PREVIEW_PREFIX):
        await abandon_preview(work, code)
    else:
        record = await work.store.runs.get(work.tenant, work.claim.job_id)
        await abandon_run(work, record, code)


@contextlib.contextmanager
def _draining(hold: Hold) -> Iterator[None]:
    """Let SIGTERM hand the job on instead of ending the process."""
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, hold.stop, Stop.DRAINING)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
