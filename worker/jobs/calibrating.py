"""The last judge's chances held against what people said: refitted whenever they are used."""

import asyncio
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from service.store.judging_records import JudgingRecord
from worker.jobs.work import Work
from worker.judging.beliefs import find_chances, find_last, find_people
from worker.judging.calibration import Calibration


class Fitted(Struct, frozen=True):
    """A calibration, None while there is nothing to fit it to, and how many grades it was."""

    calibration: Calibration | None
    grades: int


async def calibrate(work: Work, record: JudgingRecord, query_ids: Sequence[str]) -> Fitted:
    """Fit the last judge's chances to all that people graded."""
    if not record.judges or not record.review.reviewed:
        return Fitted(None, 0)
    rater, top = record.judges[-1].rater, record.spec.scale_max
    chances: list[list[float]] = []
    grades: list[int] = []
    async for pool in work.store.pools.read(work.tenant, record.id, query_ids):
        judged = find_last(pool.votes, rater)
        for doc_id, person in find_people(pool.votes).items():
            vote = judged.get(doc_id)
            if vote is not None and vote.grade is not None and person.grade is not None:
                chances.append(find_chances(vote, scale_max=top))
                grades.append(person.grade)
    if not grades:
        return Fitted(None, 0)
    found = await asyncio.to_thread(Calibration.fit, np.array(chances), np.array(grades))
    return Fitted(found, len(grades))
