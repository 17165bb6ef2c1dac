"""Previews of variants: made once, read by anyone, gone after a day."""

import msgspec

from reteval.contract.previews import PreviewReport
from reteval.contract.probes import KEPT_S
from reteval.contract.runs import RunStatus
from service.errors import NotFoundError
from service.store import keys
from service.store.connection import Connection
from service.store.jobs import read_state
from service.store.records import PreviewRecord, PreviewSpec
from service.store.scripts import Scripts


class Previews:
    """All previews of a deployment. They are written as probes are, without secrets."""

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts

    async def create(self, tenant: str, spec: PreviewSpec, *, queue: str) -> PreviewRecord:
        """Write a queued preview."""
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
                b"",
                queue,
                KEPT_S,
            ],
        )
        return await self.get(tenant, spec.id)

    async def get(self, tenant: str, preview_id: str) -> PreviewRecord:
        """Return a preview's record.

        Raises:
            NotFoundError: no such preview, or none any more.
        """
        fields = await self._connection.hgetall(keys.job(tenant, preview_id))
        if not preview_id.startswith(keys.PREVIEW_PREFIX) or not fields:
            raise NotFoundError(f"There is no preview {preview_id!r}; they are kept for a day.")
        return PreviewRecord(
            spec=msgspec.json.decode(fields["spec"], type=PreviewSpec),
            **read_state(tenant, fields),
        )

    async def report(self, tenant: str, record: PreviewRecord) -> PreviewReport | None:
        """Return the variants; None unless the preview has ended well."""
        if record.status is not RunStatus.COMPLETED:
            return None
        body = await self._connection.get(keys.job_part(tenant, record.id, "report"))
        return msgspec.json.decode(body, type=PreviewReport) if body else None
