"""Comparisons: one for each content, made once, read by anyone."""

import msgspec

from reteval.contract.comparisons import ComparisonReport
from reteval.contract.runs import RunStatus
from service.errors import NotFoundError
from service.store import keys
from service.store.connection import Connection
from service.store.jobs import read_state
from service.store.records import ComparisonRecord, ComparisonSpec
from service.store.scripts import Scripts, text


class Comparisons:
    """All comparisons of a deployment."""

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts

    async def create(
        self, tenant: str, spec: ComparisonSpec, *, content: str, queue: str
    ) -> tuple[ComparisonRecord, bool]:
        """Write a queued comparison, or answer the one of the same content.

        One that failed is made anew. The flag says whether a new one was made.
        """
        chosen, created = await self._scripts.run(
            "create_comparison",
            [keys.job(tenant, spec.id), keys.ACTIVE, keys.comparisons(tenant)],
            [
                spec.id,
                f"{tenant}/{spec.id}",
                msgspec.json.encode(spec),
                content,
                queue,
                keys.job(tenant, spec.id).removesuffix(spec.id),
            ],
        )
        return await self.get(tenant, text(chosen)), bool(created)

    async def get(self, tenant: str, comparison_id: str) -> ComparisonRecord:
        """Return a comparison's record.

        Raises:
            NotFoundError: no such comparison.
        """
        fields = await self._connection.hgetall(keys.job(tenant, comparison_id))
        if not comparison_id.startswith("cmp_") or not fields:
            raise NotFoundError(f"There is no comparison {comparison_id!r}.")
        return ComparisonRecord(
            spec=msgspec.json.decode(fields["spec"], type=ComparisonSpec),
            **read_state(tenant, fields),
        )

    async def report(self, tenant: str, record: ComparisonRecord) -> ComparisonReport | None:
        """Return what a comparison found; None unless it has ended well."""
        if record.status is not RunStatus.COMPLETED:
            return None
        body = await self._connection.get(keys.job_part(tenant, record.id, "report"))
        return msgspec.json.decode(body, type=ComparisonReport) if body else None
