"""A run that takes over another one's answers: its plan, and what needs no sending."""

from service.store.chunks import SIZE
from service.store.plans import PlanSize
from service.store.records import RunRecord
from worker.jobs.recorder import BATCH
from worker.jobs.work import Work


async def take_over(work: Work, record: RunRecord) -> PlanSize:
    """Store the parent's plan, and the answers it has, as the run's own.

    Raises:
        NotFoundError: the parent is gone.
        LostClaimError: another worker has the run.
    """
    store, tenant, claim, parent = work.store, work.tenant, work.claim, record.spec.retry
    clean, total = await store.outcomes.plan_size(tenant, parent)
    requests = await store.plans.requests(tenant, parent, start=0, stop=total)
    if answers := await store.plans.model_answers(tenant, parent):
        await store.plans.put_model_answers(claim, answers)
    size = PlanSize(clean=clean, total=total, shard=work.settings.shard_size)
    for unit in size.units():
        await _copy(work, parent, unit, size.places(unit))
    # The size comes last: a plan that has one is complete, answers included.
    return await store.plans.put(claim, requests, clean=clean, shard=size.shard)


async def _copy(work: Work, parent: str, unit: str, places: range) -> None:
    store, tenant = work.store, work.tenant
    for start in range(places.start, places.stop, SIZE):
        rows = await store.outcomes.rows(
            tenant, parent, start=start, stop=min(start + SIZE, places.stop)
        )
        answered = [
            (place, row.outcome)
            for place, row in enumerate(rows, start)
            if row.outcome.status.answered
        ]
        for first in range(0, len(answered), BATCH):
            await store.shards.write(work.claim, unit, answered[first : first + BATCH])
