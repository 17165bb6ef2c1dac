"""A shard of a run that calls its endpoint: send what is missing, pack it."""

from service.store.records import RunRecord
from worker.jobs.hold import Stop
from worker.jobs.sending import list_asks, open_sender
from worker.jobs.targets import open_endpoint
from worker.jobs.window import closing
from worker.jobs.work import Work


async def search_shard(work: Work, record: RunRecord) -> bool:
    """Carry a shard to its end, or hand it on; True: nothing but the run's end is left.

    Raises:
        LostClaimError: another worker has it.
        ServiceError: the store is away.
    """
    size = await work.store.plans.size(work.tenant, record.id)
    if size is None:
        raise RuntimeError(f"shard {work.claim.unit} of a run without a plan")
    places = size.places(work.claim.unit)
    window = record.spec.request.limits.window
    work.hold.makes_way = True
    async with closing(work.hold, window):
        await _send(work, record, places)
    if work.hold.reason is None:
        return await work.store.shards.commit(work.claim, places)
    await work.make_way(window)
    return work.hold.reason is Stop.CANCELLED


async def _send(work: Work, record: RunRecord, places: range) -> None:
    store, tenant, unit = work.store, work.tenant, work.claim.unit
    done = await store.shards.done(work.claim, unit)
    if len(done) == len(places):
        return
    test_set = await store.test_sets.get(tenant, record.spec.test_set.id)
    requests = await store.plans.requests(tenant, record.id, start=places.start, stop=places.stop)
    asks = list_asks(requests, await work.read_queries(test_set.id), test_set.language)
    endpoint = await open_endpoint(work, record.spec.request.endpoint)
    async with open_sender(work, record, endpoint, unit) as sender:
        await sender.send(
            [(place, ask) for place, ask in zip(places, asks, strict=True) if place not in done]
        )
