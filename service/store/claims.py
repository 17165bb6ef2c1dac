"""A worker's hold on a run: claim, renew, release. Fenced by epoch, timed by the server."""

from typing import Final

from service.store import keys
from service.store.connection import Connection
from service.store.records import Beat, Claim
from service.store.scripts import Scripts, text

MAX_CRASHES: Final = 3


class Claims:
    """Grants runs to workers, one holder at a time."""

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts

    async def claim(self, tenant: str, run_id: str, *, owner: str, lease_s: float) -> Claim | None:
        """Take a run that nobody holds; None if it is held, has ended or is gone."""
        verdict, epoch = await self._scripts.run(
            "claim", [keys.run(tenant, run_id)], [owner, _ms(lease_s), MAX_CRASHES]
        )
        if text(verdict) not in ("claimed", "poisoned"):
            return None
        return Claim(
            tenant=tenant, run_id=run_id, epoch=epoch, poisoned=text(verdict) == "poisoned"
        )

    async def renew(self, claim: Claim, *, lease_s: float) -> Beat:
        """Extend the lease, and learn whether it is still ours and whether to stop."""
        held, cancel = await self._scripts.run(
            "renew", [keys.run(claim.tenant, claim.run_id)], [claim.epoch, _ms(lease_s)]
        )
        return Beat(held=bool(held), cancel=bool(cancel))

    async def release(self, claim: Claim) -> None:
        """Give a run back unfinished without counting a crash."""
        await self._scripts.run("renew", [keys.run(claim.tenant, claim.run_id)], [claim.epoch, 0])

    async def secrets(self, claim: Claim) -> bytes | None:
        """Return the run's sealed endpoint secrets, if it has any."""
        return await self._connection.get(keys.run_part(claim.tenant, claim.run_id, "secrets"))


def _ms(seconds: float) -> int:
    return round(seconds * 1_000)
