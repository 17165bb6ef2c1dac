"""The first requests of a run, watched: when all fail alike, the rest is not sent."""

from collections.abc import Callable
from typing import Final

from reteval.contract.diagnostics import Diagnostic
from reteval.contract.endpoints import Endpoint
from reteval.contract.outcomes import FailureCode, Outcome
from service.store.plans import name_shard
from worker.jobs.work import Work
from worker.pipeline.canary import describe_canary, find_common_failure
from worker.pipeline.plan import Plan
from worker.pipeline.probing import Exchange
from worker.pipeline.samples import judged_ids
from worker.search.witness import Witness

SIZE: Final = 10

Emit = Callable[[int, Outcome], None]


class Canary:
    """Watches the first ten clean requests, or `most`. A run that has no more needs none."""

    def __init__(self, plan: Plan, endpoint: Endpoint, *, most: int = SIZE) -> None:
        size = min(SIZE, most, plan.clean)
        self.size = size if len(plan.requests) > size else 0
        self.witness = Witness(endpoint)
        self._plan = plan
        self._endpoint = endpoint
        self._exchanges: list[Exchange] = []

    def watch(self, emit: Emit) -> Emit:
        """Return `emit`, with an eye on what was exchanged."""

        def note(place: int, outcome: Outcome) -> None:
            self._note(place, outcome)
            emit(place, outcome)

        return note

    async def find_failure(self, work: Work) -> FailureCode | None:
        """Return the code that every one of the first requests ended with, from the record."""
        if not self.size:
            return None
        stored = await work.store.shards.partial(
            work.tenant, work.claim.job_id, name_shard(0), range(self.size)
        )
        ended = [outcome for outcome in stored if outcome is not None]
        return find_common_failure(ended) if len(ended) == self.size else None

    def describe(self, code: FailureCode) -> Diagnostic:
        """Tell what was seen of the first requests, and what would mend it."""
        return describe_canary(
            code,
            self._exchanges,
            self._endpoint,
            scrub=self.witness,
            sent=self.size,
            unsent=len(self._plan.requests) - self.size,
        )

    def _note(self, place: int, outcome: Outcome) -> None:
        seen = self.witness.take()
        query = self._plan.scorable[place] if place < len(self._plan.scorable) else None
        request = self._plan.requests[place]
        self._exchanges.append(
            Exchange(
                query_id=request.query_id,
                query=request.text,
                judged=tuple(judged_ids([query])) if query else (),
                request=seen.request if seen else None,
                outcome=outcome,
                content_type=seen.content_type if seen else "",
                body=seen.body if seen else b"",
            )
        )
