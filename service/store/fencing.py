"""Writes about a claimed unit: refused once another claim was granted, or the unit is done."""

from collections.abc import Mapping

from service.store import keys
from service.store.records import Claim
from service.store.scripts import Scripts


class LostClaimError(Exception):
    """The unit was claimed by another worker, or is done: stop, and write nothing more."""


class Fence:
    """Puts fields into a job and its parts, under the claim of whoever works on it."""

    def __init__(self, scripts: Scripts) -> None:
        self._scripts = scripts

    async def put(self, claim: Claim, part: str, fields: Mapping[str, bytes]) -> None:
        """Write fields of a part of the job; an empty `part` is its record.

        Raises:
            LostClaimError: the claim is void.
        """
        tenant, job_id = claim.tenant, claim.job_id
        args: list[str | bytes | int] = [claim.unit, claim.fence]
        for field, blob in fields.items():
            args += (field, blob)
        units, holds = unit_keys(claim)
        key = keys.job_part(tenant, job_id, part) if part else keys.job(tenant, job_id)
        record = keys.job(tenant, job_id)
        if not await self._scripts.run("put_fields", [units, holds, key, record], args):
            raise LostClaimError(job_id)


def unit_keys(claim: Claim) -> tuple[str, str]:
    """Return where the units of the claimed job are, and who holds them."""
    tenant, job_id = claim.tenant, claim.job_id
    return keys.job_part(tenant, job_id, "units"), keys.job_part(tenant, job_id, "holds")
