"""The plan of a run: its requests in chunks, and what sending the first of them showed."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
from msgspec import Struct

from reteval.contract.diagnostics import Diagnostic
from reteval.contract.outcomes import Outcome, PlannedRequest
from service.store import chunks, keys
from service.store.connection import Connection
from service.store.fencing import Fence, LostClaimError, unit_keys
from service.store.records import Claim
from service.store.scripts import Scripts, text

_DIGITS: Final = 6
"""Of a shard's number, so that names sort like numbers."""


class PlanSize(Struct, frozen=True):
    """Requests of a plan: the clean ones come first. `shard` is how many go into a shard."""

    clean: int
    total: int
    shard: int

    @property
    def shards(self) -> int:
        """Number of shards."""
        return -(-self.total // self.shard)

    def places(self, unit: str) -> range:
        """Return the places in the plan that a shard has."""
        start = int(unit) * self.shard
        return range(start, min(start + self.shard, self.total))

    def units(self) -> list[str]:
        """Return the names of all shards."""
        return [name_shard(number) for number in range(self.shards)]


class Showing(Struct, frozen=True, kw_only=True):
    """What the first requests and the look-up of ids showed.

    `stopped` is why no more is to be sent, if so.
    """

    stopped: str = ""
    found: tuple[Diagnostic, ...] = ()


class Plans:
    """Written by the worker that plans, read by all who work on the run after it."""

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts
        self._fence = Fence(scripts)

    async def put(
        self, claim: Claim, requests: Sequence[PlannedRequest], *, clean: int, shard: int
    ) -> PlanSize:
        """Store the plan; its size is written last, so a plan that has one is complete.

        Raises:
            LostClaimError: the claim is void.
        """
        for field, blob in chunks.split(requests).items():
            await self._fence.put(claim, "plan", {field: blob})
        size = PlanSize(clean=clean, total=len(requests), shard=shard)
        await self._fence.put(claim, "plan", {"size": msgspec.msgpack.encode(size)})
        await self._fence.put(claim, "", {"total": str(size.total).encode()})
        return size

    async def put_model_answers(self, claim: Claim, answers: Mapping[str, Outcome]) -> None:
        """Store what a model wrote of each query, by its id, for the plan that is made of it.

        Raises:
            LostClaimError: the claim is void.
        """
        blob = msgspec.msgpack.encode(dict(answers))
        await self._fence.put(claim, "plan", {"model_answers": blob})

    async def put_showing(self, claim: Claim, showing: Showing) -> None:
        """Store what the first requests showed.

        Raises:
            LostClaimError: the claim is void.
        """
        await self._fence.put(claim, "plan", {"showing": msgspec.msgpack.encode(showing)})

    async def commit(self, claim: Claim, units: Sequence[str]) -> None:
        """Put the shards in the place of the plan; the end, where none is given.

        Raises:
            LostClaimError: the claim is void.
        """
        tenant, job_id = claim.tenant, claim.job_id
        verdict = await self._scripts.run(
            "commit_plan",
            [keys.job(tenant, job_id), *unit_keys(claim), keys.leases(tenant)],
            [claim.unit, claim.fence, job_id, *units],
        )
        if text(verdict) == "lost":
            raise LostClaimError(job_id)

    async def size(self, tenant: str, run_id: str) -> PlanSize | None:
        """Return the size of a stored plan; None if it is not complete."""
        blob = await self._connection.hget(keys.job_part(tenant, run_id, "plan"), "size")
        return None if blob is None else msgspec.msgpack.decode(blob, type=PlanSize)

    async def requests(
        self, tenant: str, run_id: str, *, start: int, stop: int
    ) -> list[PlannedRequest]:
        """Return a stretch of the plan."""
        key = keys.job_part(tenant, run_id, "plan")
        return await chunks.read_slice(
            self._connection, key, PlannedRequest, start=start, stop=stop
        )

    async def model_answers(self, tenant: str, run_id: str) -> dict[str, Outcome]:
        """Return what a model wrote of each query, by its id; nothing where none was asked."""
        key = keys.job_part(tenant, run_id, "plan")
        blob = await self._connection.hget(key, "model_answers")
        return msgspec.msgpack.decode(blob, type=dict[str, Outcome]) if blob else {}

    async def showing(self, tenant: str, run_id: str) -> Showing:
        """Return what the first requests showed."""
        blob = await self._connection.hget(keys.job_part(tenant, run_id, "plan"), "showing")
        return msgspec.msgpack.decode(blob, type=Showing) if blob else Showing()


def name_shard(number: int) -> str:
    """Return the name of a shard's unit."""
    return f"{number:0{_DIGITS}}"
