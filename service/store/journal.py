"""What a worker writes about the end of a job: the packed record, the report, the status.

Every write is fenced by the claim it is made under.
"""

import hashlib
from array import array
from collections.abc import AsyncIterable, Iterable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from reteval.contract.leakage import LeakedPair
from reteval.contract.outcomes import Outcome
from reteval.contract.runs import RunStatus
from reteval.contract.unjudged import UnjudgedHits
from service.store import chunks, keys
from service.store.fencing import Fence, LostClaimError, unit_keys
from service.store.packing import STATUSES, Dictionary, pack_columns, pack_scores
from service.store.records import Claim
from service.store.scripts import Scripts, text
from service.store.sizes import PAIRS, Sizes


class Journal:
    """Fenced writes that end a job."""

    def __init__(self, scripts: Scripts, sizes: Sizes) -> None:
        self._scripts = scripts
        self._fence = Fence(scripts)
        self._sizes = sizes

    async def halt(self, claim: Claim) -> None:
        """Take the job away from all its other holders.

        Raises:
            LostClaimError: the claim is void.
        """
        held = await self._scripts.run(
            "halt",
            [*unit_keys(claim), keys.leases(claim.tenant)],
            [claim.unit, claim.fence, claim.job_id],
        )
        if not held:
            raise LostClaimError(claim.job_id)

    async def pack(
        self,
        claim: Claim,
        outcomes: AsyncIterable[Sequence[Outcome]],
        *,
        tags: Sequence[Sequence[str]],
    ) -> list[str]:
        """Store the outcomes as columns, with the tags of the clean requests, which come first.

        They may come in parts of any length, and are not held. The ids of the documents are
        returned, by number.

        Raises:
            LostClaimError: the claim is void.
        """
        dictionary, statuses, number = Dictionary(), bytearray(), 0
        async for part in chunks.regroup(outcomes):
            columns = chunks.pack(pack_columns(part, dictionary))
            await self._fence.put(
                claim,
                "packed",
                {f"outcomes:{number}": columns, f"scores:{number}": pack_scores(part)},
            )
            clean = part[: len(tags) - len(statuses)]
            statuses += bytes(STATUSES.index(outcome.status) for outcome in clean)
            number += 1
        ids = dictionary.ids
        await self._fence.put(
            claim,
            "packed",
            {
                **{f"ids:{field}": blob for field, blob in chunks.split(ids).items()},
                "statuses": chunks.pack(bytes(statuses)),
                "tags": chunks.pack(tags),
            },
        )
        return ids

    async def put_slices(self, claim: Claim, slices: Sequence[Sequence[str]]) -> None:
        """Store the names of the slices that each clean request is in.

        Raises:
            LostClaimError: the claim is void.
        """
        await self._fence.put(claim, "packed", {"slices": chunks.pack(slices)})

    async def put_columns(self, claim: Claim, columns: Mapping[str, "array[float]"]) -> None:
        """Store per-query values as float64, by name.

        Raises:
            LostClaimError: the claim is void.
        """
        for name, column in columns.items():
            await self._fence.put(claim, "columns", {name: chunks.pack(column.tobytes())})

    async def put_variants(
        self, claim: Claim, values: Iterable[tuple["array[float]", "array[float]"]]
    ) -> None:
        """Store what each variant is worth, and its clean query, in parts of any length.

        Raises:
            LostClaimError: the claim is void.
        """
        worth, clean, number = array("d"), array("d"), 0
        for part, before in values:
            worth += part
            clean += before
            while len(worth) >= chunks.SIZE:
                await self._put_worth(claim, number, worth[: chunks.SIZE], clean[: chunks.SIZE])
                del worth[: chunks.SIZE], clean[: chunks.SIZE]
                number += 1
        await self._put_worth(claim, number, worth, clean)

    async def _put_worth(
        self, claim: Claim, number: int, worth: "array[float]", clean: "array[float]"
    ) -> None:
        blob = chunks.pack(worth.tobytes() + clean.tobytes())
        await self._fence.put(claim, "variants", {str(number): blob})

    async def put_unjudged(self, claim: Claim, hits: Sequence[UnjudgedHits]) -> None:
        """Store what the answers brought up that nobody judged, an entry a query of the set.

        Raises:
            LostClaimError: the claim is void.
        """
        for field, blob in chunks.split(hits).items():
            await self._fence.put(claim, "unjudged", {field: blob})

    async def put_pairs(self, claim: Claim, pairs: Sequence[LeakedPair]) -> None:
        """Store the pairs that a leakage check lists; they go when it does.

        Raises:
            LostClaimError: the claim is void.
        """
        for field, blob in chunks.split(pairs).items():
            await self._fence.put(claim, PAIRS, {field: blob})

    async def finish(
        self,
        claim: Claim,
        *,
        status: RunStatus,
        report: bytes,
        error: str,
        shards: Sequence[str] = (),
    ) -> None:
        """End the job in one step; the working parts of its `shards` go.

        Raises:
            LostClaimError: the claim is void.
        """
        parts = (keys.shard_outcomes(claim.tenant, claim.job_id, unit) for unit in shards)
        end = End(
            status=status,
            report=report,
            error=error,
            stored=await self._sizes.weigh(claim.tenant, claim.job_id),
            parts=(*parts,),
        )
        if not await end_job(self._scripts, claim, end, under=(claim.unit, claim.fence)):
            raise LostClaimError(claim.job_id)


class End(Struct, frozen=True, kw_only=True):
    """How a job ends; `parts` are further keys that go with its working state.

    `stored` is the bytes that stay beside the report.
    """

    status: RunStatus
    report: bytes
    error: str
    stored: int = 0
    parts: tuple[str, ...] = ()


class Named(Protocol):
    """Which job it is."""

    @property
    def tenant(self) -> str:
        """Whose it is."""

    @property
    def job_id(self) -> str:
        """Its id."""

    @property
    def queue(self) -> str:
        """Where its wake-up calls go."""


async def end_job(scripts: Scripts, job: Named, end: End, *, under: tuple[str, str]) -> bool:
    """End a job in one step under a unit and its fence; False if they do not hold.

    With an empty unit it is ended whoever works on it, unless it has ended.
    """
    tenant, job_id, queue = job.tenant, job.job_id, job.queue
    verdict = await scripts.run(
        "finish",
        [
            keys.job(tenant, job_id),
            keys.job_part(tenant, job_id, "units"),
            keys.job_part(tenant, job_id, "holds"),
            keys.leases(tenant),
            keys.job_part(tenant, job_id, "report"),
            keys.active(tenant, queue),
            keys.BUSY,
            keys.sizes(tenant),
            keys.brief_sizes(tenant),
            keys.COUNTERS,
            keys.job_part(tenant, job_id, "secrets"),
            keys.job_part(tenant, job_id, "rankings"),
            keys.job_part(tenant, job_id, "shards"),
            *end.parts,
        ],
        [
            *under,
            job_id,
            end.status.value,
            end.report,
            hashlib.sha256(end.report).hexdigest(),
            end.error,
            keys.busy(tenant, queue),
            end.stored,
        ],
    )
    return text(verdict) == "finished"
