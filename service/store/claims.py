"""A worker's hold on a job: claim, renew, release. Fenced by epoch, timed by the server."""

from typing import Final

from service.store import keys
from service.store.connection import Connection
from service.store.records import Beat, Claim
from service.store.scripts import Scripts, text

MAX_CRASHES: Final = 3


class Claims:
    """Grants jobs to workers, one holder at a time."""

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts

    async def claim(self, tenant: str, job_id: str, *, owner: str, lease_s: float) -> Claim | None:
        """Take a job that nobody holds; None if it is held, has ended or is gone."""
        verdict, epoch = await self._scripts.run(
            "claim", [keys.job(tenant, job_id)], [owner, _ms(lease_s), MAX_CRASHES]
        )
        if text(verdict) not in ("claimed", "poisoned"):
            return None
        return Claim(
            tenant=tenant, job_id=job_id, epoch=epoch, poisoned=text(verdict) == "poisoned"
        )

    async def renew(self, claim: Claim, *, lease_s: float) -> Beat:
        """Extend the lease, and learn whether it is still ours and whether to stop."""
        held, cancel = await self._scripts.run(
            "renew", [keys.job(claim.tenant, claim.job_id)], [claim.epoch, _ms(lease_s), 0]
        )
        return Beat(held=bool(held), cancel=bool(cancel))

    async def release(self, claim: Claim, *, wait_s: float = 0.0) -> None:
        """Give a job back unfinished without counting a crash; nobody gets it for `wait_s`."""
        await self._scripts.run(
            "renew", [keys.job(claim.tenant, claim.job_id)], [claim.epoch, 0, _ms(wait_s)]
        )

    async def secrets(self, claim: Claim) -> bytes | None:
        """Return the job's sealed endpoint secrets, if it has any."""
        return await self._connection.get(keys.job_part(claim.tenant, claim.job_id, "secrets"))


def _ms(seconds: float) -> int:
    return round(seconds * 1_000)
