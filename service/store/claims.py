"""A worker's hold on a unit of a job: take, renew, release. Fenced, timed by the server."""

from typing import Final

from service.errors import CorruptRecordError
from service.store import keys
from service.store.connection import Connection
from service.store.damage import Damage
from service.store.records import SCHEMA, Beat, Claim
from service.store.scripts import Scripts, text

MAX_CRASHES: Final = 3
"""Deaths of its holders after which a unit is not tried again."""
LOOK_AT: Final = 500
"""Jobs of a tenant that are looked at for one that can be worked on."""


class Claims:
    """Grants units to workers, one holder each at a time."""

    def __init__(self, connection: Connection, scripts: Scripts, damage: Damage) -> None:
        self._connection = connection
        self._scripts = scripts
        self._damage = damage

    async def take(self, queue: str, *, owner: str, lease_s: float) -> Claim | None:
        """Take a unit of the job whose turn it is, fair by tenant; None if nothing waits."""
        while True:
            found = await self._scripts.run(
                "pick", [keys.BUSY, keys.TURNS], [queue, SCHEMA, LOOK_AT]
            )
            if not found:
                return None
            tenant, job_id = map(text, found)
            try:
                claim = await self.claim(tenant, job_id, owner=owner, lease_s=lease_s)
            except CorruptRecordError:
                await self._damage.condemn(queue, tenant, job_id)
                continue
            if claim is not None:  # else another worker was faster
                return claim

    async def claim(self, tenant: str, job_id: str, *, owner: str, lease_s: float) -> Claim | None:
        """Take the next unit of a job; None if all are held, or it has ended or is gone."""
        verdict, *granted = await self._scripts.run(
            "claim",
            [
                keys.job(tenant, job_id),
                keys.job_part(tenant, job_id, "units"),
                keys.job_part(tenant, job_id, "holds"),
                keys.leases(tenant),
                keys.TURNS,
                keys.COUNTERS,
            ],
            [owner, _ms(lease_s), MAX_CRASHES, SCHEMA, tenant, job_id],
        )
        if not granted:
            return None
        epoch, unit, sent, queue = granted
        return Claim(
            tenant=tenant,
            job_id=job_id,
            queue=text(queue),
            unit=text(unit),
            epoch=epoch,
            owner=owner,
            sent=sent,
            poisoned=text(verdict) == "poisoned",
        )

    async def renew(self, claim: Claim, *, lease_s: float) -> Beat:
        """Extend the lease, and learn whether it is still ours and whether to stop."""
        return Beat(*map(bool, await self._renew(claim, lease_s=lease_s)))

    async def release(self, claim: Claim, *, wait_s: float = 0.0) -> None:
        """Give a unit back undone without counting a crash; nobody gets the job for `wait_s`."""
        await self._renew(claim, lease_s=0, wait_s=wait_s)

    async def secrets(self, claim: Claim) -> bytes | None:
        """Return the job's sealed endpoint secrets, if it has any."""
        return await self._connection.get(keys.job_part(claim.tenant, claim.job_id, "secrets"))

    async def _renew(self, claim: Claim, *, lease_s: float, wait_s: float = 0.0) -> list[int]:
        tenant, job_id = claim.tenant, claim.job_id
        answer: list[int] = await self._scripts.run(
            "renew",
            [
                keys.job(tenant, job_id),
                keys.job_part(tenant, job_id, "units"),
                keys.job_part(tenant, job_id, "holds"),
                keys.leases(tenant),
                keys.BUSY,
            ],
            [claim.unit, claim.fence, _ms(lease_s), _ms(wait_s), job_id, claim.queue, tenant],
        )
        return answer


def _ms(seconds: float) -> int:
    return round(seconds * 1_000)
