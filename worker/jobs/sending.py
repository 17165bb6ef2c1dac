"""Requests on their way out: sent, recorded as they end, under the target's common limits."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final

from msgspec import structs

from reteval.contract.endpoints import Endpoint
from reteval.contract.outcomes import Outcome, PlannedRequest
from reteval.contract.testsets import Query
from service.errors import ServiceError
from service.store.ending import end_task
from service.store.fencing import LostClaimError
from service.store.records import RunRecord
from worker.jobs.hold import Stop
from worker.jobs.observing import count_outcome
from worker.jobs.recorder import PAUSE_S, Recorder
from worker.jobs.sharing import name_target, share_lanes, share_pace
from worker.jobs.targets import read_policy
from worker.jobs.work import Work, log
from worker.pipeline.text_overlap import find_comparison
from worker.search.caller import Tap
from worker.search.manners import Manners
from worker.search.searcher import Emit, Searcher
from worker.search.template import Ask

AHEAD: Final = 500
"""Requests that may be sent before the next note of how far sending got."""


class Sender:
    """Sends requests of one shard and records how each ended."""

    def __init__(
        self, work: Work, searcher: Searcher, recorder: Recorder, *, target: str | None
    ) -> None:
        self._work = work
        self._target = target
        self._searcher = searcher
        self._recorder = recorder

    async def send(
        self, asks: Sequence[tuple[int, Ask]], *, watch: Callable[[Emit], Emit] | None = None
    ) -> None:
        """Send the requests at their places of the plan, until done or told to stop.

        `watch` may look at what is recorded. All that ended is stored when this returns, unless
        the claim was lost.
        """
        if not asks or self._work.hold.stopping():
            return
        emit = self._record if watch is None else watch(self._record)
        writing = asyncio.create_task(self._recorder.keep())
        searching = asyncio.create_task(
            self._searcher.search_all(
                asks, emit=emit, stopping=self._work.hold.stopping, reach=self._reach
            )
        )
        try:
            await asyncio.wait({searching, writing}, return_when=asyncio.FIRST_COMPLETED)
            if writing.done():
                self._work.hold.stop(Stop.LOST)
            await searching
        finally:
            with contextlib.suppress(LostClaimError):
                await end_task(writing)
        if self._work.hold.reason is not Stop.LOST:
            await self._recorder.flush()

    def _record(self, place: int, outcome: Outcome) -> None:
        """Keep an outcome, marked where an earlier holder may have sent the request, too."""
        if place < self._work.claim.sent and outcome.attempts:
            outcome = structs.replace(outcome, resent=True)
        self._recorder.record(place, outcome)
        count_outcome(self._work.tally, outcome, target=self._target)

    async def _reach(self, place: int) -> int:
        """Note how far sending may have got, before it does; return from where to ask again."""
        mark = place + AHEAD
        while not self._work.hold.stopping():
            try:
                await self._work.store.shards.reach(self._work.claim, mark)
            except ServiceError as exc:
                log.warning("sending.waits", job=self._work.claim.job_id, error=str(exc))
                await asyncio.sleep(PAUSE_S)
            else:
                break
        return mark


@contextlib.asynccontextmanager
async def open_sender(
    work: Work, record: RunRecord, endpoint: Endpoint, unit: str, *, tap: Tap | None = None
) -> AsyncIterator[Sender]:
    """Open what sending a shard's requests takes."""
    limits, policy = record.spec.request.limits, read_policy(work)
    target = name_target(policy, endpoint.url)
    async with (
        share_lanes(work, target, limits) as lanes,
        Searcher(
            endpoint,
            limits=limits,
            depth=record.spec.depth,
            policy=policy,
            manners=Manners(pacer=share_pace(work, target, limits), lanes=lanes),
            run_id=record.id,
            tap=tap,
        ) as searcher,
    ):
        recorder = Recorder(work.store.shards, work.claim, unit)
        yield Sender(work, searcher, recorder, target=target)


def list_asks(
    requests: Sequence[PlannedRequest], queries: Sequence[Query], language: str
) -> list[Ask]:
    """Return what is asked for each request: variants carry their query's fields.

    `language` is the test set's, for reading whether an answer could be one.
    """
    fields = {query.id: query.fields for query in queries if query.fields}
    for query in queries:
        if query.parent in fields:
            fields.setdefault(query.id, fields[query.parent])
    return [
        Ask(
            text=request.text,
            id=request.query_id,
            fields=fields.get(request.query_id, {}),
            compare=find_comparison(request, language),
        )
        for request in requests
    ]
