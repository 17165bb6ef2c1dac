"""A claimed job with everything it takes to work on it."""

import structlog

from reteval.contract.testsets import Query
from service.queue import JobQueue
from service.settings import Settings
from service.store.records import Claim
from service.store.store import Store
from worker.jobs.hold import Hold

log = structlog.get_logger("reteval.worker")


class Work:
    """One job in the hands of one worker."""

    def __init__(self, settings: Settings, store: Store, queue: JobQueue, claim: Claim) -> None:
        self.settings = settings
        self.store = store
        self.queue = queue
        self.claim = claim
        self.hold = Hold(store.claims, claim, lease_s=settings.lease_s)

    @property
    def tenant(self) -> str:
        """Whose job it is."""
        return self.claim.tenant

    async def read_queries(self, test_set_id: str) -> list[Query]:
        """Read a whole test set, in upload order."""
        chunks = self.store.test_sets.chunks(self.tenant, test_set_id)
        return [query async for chunk in chunks for query in chunk]

    async def postpone(self, seconds: float) -> None:
        """Give the job back; the reaper wakes a worker when its time has come."""
        await self.store.claims.release(self.claim, wait_s=seconds)
        log.info("job.postponed", job=self.claim.job_id, seconds=round(seconds))

    async def hand_on(self, *, queue: str) -> None:
        """Give the job back and wake another worker."""
        await self.store.claims.release(self.claim)
        await self.queue.enqueue(self.tenant, self.claim.job_id, self.claim.epoch, queue=queue)
        log.info("job.handed_on", job=self.claim.job_id)
