"""Probes: made once, read by anyone, gone after a day."""

import msgspec

from reteval.contract.probes import KEPT_S, ProbeReport
from reteval.contract.runs import RunStatus
from service.errors import NotFoundError
from service.store import keys
from service.store.connection import Connection
from service.store.jobs import read_state
from service.store.records import ProbeRecord, ProbeSpec
from service.store.scripts import Scripts


class Probes:
    """All probes of a deployment."""

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts

    async def create(
        self, tenant: str, spec: ProbeSpec, *, secrets: bytes | None, queue: str
    ) -> ProbeRecord:
        """Write a queued probe with its sealed secrets."""
        await self._scripts.run(
            "create_probe",
            [
                keys.job(tenant, spec.id),
                keys.ACTIVE,
                keys.job_part(tenant, spec.id, "secrets"),
            ],
            [
                spec.id,
                f"{tenant}/{spec.id}",
                msgspec.json.encode(spec),
                secrets or b"",
                queue,
                KEPT_S,
            ],
        )
        return await self.get(tenant, spec.id)

    async def get(self, tenant: str, probe_id: str) -> ProbeRecord:
        """Return a probe's record.

        Raises:
            NotFoundError: no such probe, or none any more.
        """
        fields = await self._connection.hgetall(keys.job(tenant, probe_id))
        if not probe_id.startswith(keys.PROBE_PREFIX) or not fields:
            raise NotFoundError(f"There is no probe {probe_id!r}; probes are kept for a day.")
        return ProbeRecord(
            spec=msgspec.json.decode(fields["spec"], type=ProbeSpec),
            **read_state(tenant, fields),
        )

    async def report(self, tenant: str, record: ProbeRecord) -> ProbeReport | None:
        """Return what a probe showed; None unless it has ended well."""
        if record.status is not RunStatus.COMPLETED:
            return None
        body = await self._connection.get(keys.job_part(tenant, record.id, "report"))
        return msgspec.json.decode(body, type=ProbeReport) if body else None
