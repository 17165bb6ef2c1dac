"""The queue that people work off, made anew whenever a judge has come to an end."""

from collections.abc import Sequence

import msgspec

from reteval.contract.judgings import Review
from reteval.contract.votes import QueueReason
from service.store.judging_records import JudgingRecord
from worker.jobs.calibrating import calibrate
from worker.jobs.work import Work
from worker.judging.queue import Candidate, look_at, make_queue


async def queue_pairs(work: Work, record: JudgingRecord, query_ids: Sequence[str]) -> None:
    """Rank the pairs of all queries and store the queue; after votes by calibrated chances.

    Raises:
        LostClaimError: another worker has the judging.
    """
    candidates: list[Candidate] = []
    raters = [judge.rater for judge in record.judges]
    fitted = await calibrate(work, record, query_ids)
    async for pool in work.store.pools.read(work.tenant, record.id, query_ids):
        candidates += look_at(
            pool.query_id,
            pool.query,
            pool.pairs,
            pool.votes,
            raters=raters,
            scale_max=record.spec.scale_max,
            calibration=fitted.calibration,
        )
    queue = make_queue(candidates, seed=record.spec.request.seed)
    audit = sum(one.reason is QueueReason.AUDIT for one in queue)
    review = msgspec.json.encode(Review(queued=len(queue), audit=audit))
    await work.store.pools.put_queue(work.claim, record.id, queue, {"review": review})
