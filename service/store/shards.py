"""The outcomes of a shard: one by one while it is worked on, packed once it is done."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
from msgspec import Struct

from reteval.contract.outcomes import Outcome, OutcomeStatus
from service.store import chunks, keys
from service.store.connection import Connection
from service.store.fencing import Fence, LostClaimError, unit_keys
from service.store.packing import Columns, Dictionary, pack_columns, pack_scores, unpack_columns
from service.store.records import Claim
from service.store.scripts import Scripts, text

_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(Outcome).decode


class PackedShard(Struct, frozen=True):
    """All outcomes of a shard: `ids` are the documents that its columns number."""

    columns: Columns
    scores: bytes
    ids: list[str]


class Shards:
    """Fenced writes of those who send, and the reading back for the end of the run."""

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts
        self._fence = Fence(scripts)

    async def done(self, claim: Claim, unit: str) -> set[int]:
        """Return the places in the plan whose outcome a shard has already."""
        key = keys.shard_outcomes(claim.tenant, claim.job_id, unit)
        return {int(place) for place in await self._connection.hkeys(key)}

    async def reach(self, claim: Claim, place: int) -> None:
        """Note that requests before a place of the plan may have been sent; before they are.

        Raises:
            LostClaimError: the claim is void.
        """
        await self._fence.put(claim, "holds", {f"sent:{claim.unit}": str(place).encode()})

    async def write(self, claim: Claim, unit: str, batch: Sequence[tuple[int, Outcome]]) -> None:
        """Keep outcomes; the first one written for a request stands.

        Raises:
            LostClaimError: the claim is void.
        """
        args: list[str | bytes | int] = [claim.unit, claim.fence]
        for place, outcome in batch:
            args += (place, int(outcome.status is OutcomeStatus.FAILED), _encode(outcome))
        tenant, job_id = claim.tenant, claim.job_id
        written = await self._scripts.run(
            "write_outcomes",
            [
                keys.job(tenant, job_id),
                *unit_keys(claim),
                keys.shard_outcomes(tenant, job_id, unit),
            ],
            args,
        )
        if not written:
            raise LostClaimError(job_id)

    async def commit(self, claim: Claim, places: range) -> bool:
        """Pack the claimed shard, which must have all its outcomes; True: it was the last one.

        Raises:
            LostClaimError: the claim is void.
            ValueError: outcomes are missing.
        """
        tenant, job_id = claim.tenant, claim.job_id
        stored = await self.partial(tenant, job_id, claim.unit, places)
        packed = pack_shard([outcome for outcome in stored if outcome is not None])
        verdict = await self._scripts.run(
            "commit_shard",
            [
                keys.job(tenant, job_id),
                *unit_keys(claim),
                keys.leases(tenant),
                keys.shard_outcomes(tenant, job_id, claim.unit),
                keys.job_part(tenant, job_id, "shards"),
            ],
            [claim.unit, claim.fence, job_id, len(places), packed],
        )
        if text(verdict) == "lost":
            raise LostClaimError(job_id)
        if text(verdict) == "miscounted":
            raise ValueError(f"shard {claim.unit} of {job_id!r} lacks outcomes")
        return text(verdict) == "last"

    async def put(self, claim: Claim, unit: str, outcomes: Sequence[Outcome]) -> None:
        """Store a whole shard at once, where nothing has to be sent for it.

        Raises:
            LostClaimError: the claim is void.
        """
        await self._fence.put(claim, "shards", {unit: pack_shard(outcomes)})

    async def partial(
        self, tenant: str, run_id: str, unit: str, places: range
    ) -> list[Outcome | None]:
        """Return the outcomes of a shard, parallel to its places; None for what is missing."""
        key = keys.job_part(tenant, run_id, "shards")
        if blob := await self._connection.hget(key, unit):
            return [*unpack_shard(blob)]
        working = keys.shard_outcomes(tenant, run_id, unit)
        blobs = await self._connection.hmget(working, [str(place) for place in places])
        return [None if blob is None else _decode(blob) for blob in blobs]


def pack_shard(outcomes: Sequence[Outcome]) -> bytes:
    """Pack outcomes with a dictionary of their own."""
    dictionary = Dictionary()
    columns = pack_columns(outcomes, dictionary)
    return chunks.pack(PackedShard(columns, pack_scores(outcomes), dictionary.ids))


def unpack_shard(blob: bytes) -> list[Outcome]:
    """Reverse `pack_shard`."""
    packed = chunks.unpack(blob, PackedShard)
    ids: Mapping[int, str] = dict(enumerate(packed.ids))
    return unpack_columns(packed.columns, packed.scores, ids)
