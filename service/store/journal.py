"""What a worker writes about a run: its plan, outcomes as they arrive, the packed record, the end.

Every write carries the claim's epoch and is refused once another claim was granted.
"""

import hashlib
from array import array
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Final

import msgspec

from reteval.contract.outcomes import Outcome, OutcomeStatus, PlannedRequest
from reteval.contract.runs import RunStatus
from reteval.contract.unjudged import UnjudgedHits
from service.store import chunks, keys
from service.store.connection import Connection
from service.store.packing import STATUSES, Dictionary, pack_columns, pack_scores
from service.store.records import Claim
from service.store.scripts import Scripts, text
from service.store.sizes import Sizes

_READ: Final = 2_000
_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(Outcome).decode


class LostClaimError(Exception):
    """The run was claimed by another worker, or has ended: stop, and write nothing more."""


class PlanSize(msgspec.Struct, frozen=True):
    """Requests of a plan: the clean ones come first."""

    clean: int
    total: int


class Journal:
    """Fenced writes about a claimed run, and the reading back that finalising needs."""

    def __init__(self, connection: Connection, scripts: Scripts, sizes: Sizes) -> None:
        self._connection = connection
        self._scripts = scripts
        self._sizes = sizes

    async def put_plan(
        self, claim: Claim, requests: Sequence[PlannedRequest], *, clean: int
    ) -> None:
        """Store the plan; its size is written last, so a plan that has one is complete.

        Raises:
            LostClaimError: the claim is void.
        """
        for field, blob in chunks.split(requests).items():
            await self._put(claim, "plan", {field: blob})
        size = PlanSize(clean=clean, total=len(requests))
        await self._put(claim, "plan", {"size": msgspec.msgpack.encode(size)})
        await self._put(claim, "", {"total": str(size.total).encode()})

    async def plan(self, claim: Claim) -> tuple[list[PlannedRequest], int] | None:
        """Return the stored plan and its number of clean requests, if it is complete."""
        key = keys.job_part(claim.tenant, claim.job_id, "plan")
        blob = await self._connection.hget(key, "size")
        if blob is None:
            return None
        size = msgspec.msgpack.decode(blob, type=PlanSize)
        requests = await chunks.read_slice(
            self._connection, key, PlannedRequest, start=0, stop=size.total
        )
        return requests, size.clean

    async def done(self, claim: Claim) -> set[int]:
        """Return the places in the plan that have an outcome."""
        key = keys.job_part(claim.tenant, claim.job_id, "outcomes")
        return {int(place) for place in await self._connection.hkeys(key)}

    async def write(self, claim: Claim, batch: Sequence[tuple[int, Outcome]]) -> None:
        """Keep outcomes; the first one written for a request stands.

        Raises:
            LostClaimError: the claim is void.
        """
        args: list[str | bytes | int] = [claim.epoch]
        for place, outcome in batch:
            args += (place, int(outcome.status is OutcomeStatus.FAILED), _encode(outcome))
        run = keys.job(claim.tenant, claim.job_id)
        part = keys.job_part(claim.tenant, claim.job_id, "outcomes")
        if not await self._scripts.run("write_outcomes", [run, part], args):
            raise LostClaimError(claim.job_id)

    async def outcomes(self, claim: Claim, total: int) -> AsyncIterator[list[Outcome]]:
        """Yield outcomes in plan order; a list shorter than asked means that some are missing."""
        key = keys.job_part(claim.tenant, claim.job_id, "outcomes")
        for start in range(0, total, _READ):
            places = [str(place) for place in range(start, min(start + _READ, total))]
            blobs = await self._connection.hmget(key, places)
            yield [_decode(blob) for blob in blobs if blob is not None]

    async def begin_finalising(self, claim: Claim) -> None:
        """Show that all requests are done and numbers are being made."""
        await self._put(claim, "", {"status": RunStatus.FINALISING.encode()})

    async def pack(
        self, claim: Claim, outcomes: Sequence[Outcome], *, tags: Sequence[Sequence[str]]
    ) -> None:
        """Store the outcomes as columns, with the tags of the clean requests.

        Raises:
            LostClaimError: the claim is void.
        """
        dictionary = Dictionary()
        for start in range(0, len(outcomes), chunks.SIZE):
            part = outcomes[start : start + chunks.SIZE]
            number = start // chunks.SIZE
            columns = chunks.pack(pack_columns(part, dictionary))
            await self._put(
                claim,
                "packed",
                {f"outcomes:{number}": columns, f"scores:{number}": pack_scores(part)},
            )
        ids = {f"ids:{field}": blob for field, blob in chunks.split(dictionary.ids).items()}
        statuses = bytes(STATUSES.index(outcome.status) for outcome in outcomes)
        await self._put(
            claim,
            "packed",
            {**ids, "statuses": chunks.pack(statuses), "tags": chunks.pack(tags)},
        )

    async def put_columns(self, claim: Claim, columns: Mapping[str, "array[float]"]) -> None:
        """Store per-query values as float64, by name.

        Raises:
            LostClaimError: the claim is void.
        """
        for name, column in columns.items():
            await self._put(claim, "columns", {name: chunks.pack(column.tobytes())})

    async def put_unjudged(self, claim: Claim, hits: Sequence[UnjudgedHits]) -> None:
        """Store what the answers brought up that nobody judged, an entry a query of the set.

        Raises:
            LostClaimError: the claim is void.
        """
        for field, blob in chunks.split(hits).items():
            await self._put(claim, "unjudged", {field: blob})

    async def finish(
        self, claim: Claim, *, status: RunStatus, report: bytes, error: str, outcomes: int | None
    ) -> None:
        """End the run in one step. `outcomes` is how many there must be; None: any number.

        Raises:
            LostClaimError: the claim is void.
            ValueError: the number of outcomes is another.
        """
        tenant, run_id = claim.tenant, claim.job_id
        stored = await self._sizes.weigh(tenant, run_id)
        verdict = await self._scripts.run(
            "finish",
            [
                keys.job(tenant, run_id),
                keys.job_part(tenant, run_id, "report"),
                keys.job_part(tenant, run_id, "outcomes"),
                keys.job_part(tenant, run_id, "secrets"),
                keys.ACTIVE,
                keys.sizes(tenant),
                keys.brief_sizes(tenant),
                keys.job_part(tenant, run_id, "rankings"),
            ],
            [
                claim.epoch,
                status.value,
                report,
                hashlib.sha256(report).hexdigest(),
                error,
                f"{tenant}/{run_id}",
                -1 if outcomes is None else outcomes,
                run_id,
                stored,
            ],
        )
        if text(verdict) == "lost":
            raise LostClaimError(run_id)
        if text(verdict) == "miscounted":
            raise ValueError(f"run {run_id!r} does not have its {outcomes} outcomes")

    async def _put(self, claim: Claim, part: str, fields: Mapping[str, bytes]) -> None:
        run = keys.job(claim.tenant, claim.job_id)
        key = keys.job_part(claim.tenant, claim.job_id, part) if part else run
        args: list[str | bytes | int] = [claim.epoch]
        for field, blob in fields.items():
            args += (field, blob)
        if not await self._scripts.run("put_fields", [run, key], args):
            raise LostClaimError(claim.job_id)
