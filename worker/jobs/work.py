"""A claimed unit with everything it takes to work on it."""

from collections.abc import Sequence
from datetime import UTC, datetime

import structlog

from reteval.contract.outcomes import Outcome
from reteval.contract.runs import Window
from reteval.contract.testsets import Query
from service.queue import JobQueue
from service.settings import Settings
from service.store.counters import Tally
from service.store.fencing import LostClaimError
from service.store.plans import PlanSize
from service.store.records import Claim
from service.store.store import Store
from worker.jobs.hold import Hold, Stop
from worker.jobs.window import seconds_until_open
from worker.pipeline.plan import Plan, tell_decisions

log = structlog.get_logger("reteval.worker")


class Work:
    """One unit of a job in the hands of one worker."""

    def __init__(self, settings: Settings, store: Store, queue: JobQueue, claim: Claim) -> None:
        self.settings = settings
        self.store = store
        self.queue = queue
        self.claim = claim
        self.hold = Hold(store.claims, claim, lease_s=settings.lease_s)
        self.tally = Tally(store.counters)

    @property
    def tenant(self) -> str:
        """Whose job it is."""
        return self.claim.tenant

    async def read_queries(self, test_set_id: str) -> list[Query]:
        """Read a whole test set, in upload order."""
        chunks = self.store.test_sets.chunks(self.tenant, test_set_id)
        return [query async for chunk in chunks for query in chunk]

    async def put_plan(self, plan: Plan) -> PlanSize:
        """Store a plan.

        Raises:
            LostClaimError: the claim is void.
        """
        return await self.store.plans.put(
            self.claim,
            plan.requests,
            clean=plan.clean,
            shard=self.settings.shard_size,
            decisions=tell_decisions(plan),
        )

    async def store_all(self, plan: Plan, outcomes: Sequence[Outcome]) -> None:
        """Store a plan with all its outcomes, where nothing has to be sent; the end is left.

        Raises:
            LostClaimError: the claim is void.
        """
        size = await self.put_plan(plan)
        for unit in size.units():
            places = size.places(unit)
            await self.store.shards.put(self.claim, unit, outcomes[places.start : places.stop])
        await self.store.plans.commit(self.claim, [])

    async def make_way(self, window: Window | None = None) -> None:
        """Give the unit back undone, as the reason of the stop asks for.

        Raises:
            LostClaimError: it is another worker's already.
        """
        reason = self.hold.reason
        if reason is Stop.LOST:
            raise LostClaimError(self.claim.job_id)
        if reason is Stop.WINDOW and window:
            await self.postpone(seconds_until_open(window, datetime.now(UTC)))
        else:
            await self.hand_on()

    async def postpone(self, seconds: float) -> None:
        """Give the job back; the reaper wakes a worker when its time has come."""
        await self.store.claims.release(self.claim, wait_s=seconds)
        log.info("job.postponed", job=self.claim.job_id, seconds=round(seconds))

    async def hand_on(self) -> None:
        """Give the unit back and wake another worker."""
        claim = self.claim
        await self.store.claims.release(claim)
        units = await self.store.jobs.unheld(self.tenant, claim.job_id)
        calls = [unit.name_call(claim.job_id) for unit in units if unit.name == claim.unit]
        await self.queue.enqueue(calls, queue=claim.queue)
        log.info("unit.handed_on", job=claim.job_id, unit=claim.unit, reason=self.hold.reason)
