"""Comparisons: one for each content, made once, read by anyone."""

import msgspec

from reteval.contract.comparisons import ComparisonReport
from service.store import keys
from service.store.records import SCHEMA, ComparisonRecord, ComparisonSpec
from service.store.scripts import text
from service.store.shelves import Shelf


class Comparisons(Shelf[ComparisonRecord, ComparisonReport]):
    """All comparisons of a deployment."""

    about = "comparison"
    prefix = keys.COMPARISON_PREFIX
    spec = ComparisonSpec
    record = ComparisonRecord
    found = ComparisonReport

    async def create(
        self, tenant: str, spec: ComparisonSpec, *, content: str, queue: str
    ) -> tuple[ComparisonRecord, bool]:
        """Write a queued comparison, or answer the one of the same content.

        One that failed is made anew. The flag says whether a new one was made.
        """
        chosen, created = await self._scripts.run(
            "create_comparison",
            [
                keys.job(tenant, spec.id),
                keys.active(tenant, queue),
                keys.comparisons(tenant),
                keys.job_part(tenant, spec.id, "units"),
                keys.BUSY,
            ],
            [
                spec.id,
                keys.busy(tenant, queue),
                msgspec.json.encode(spec),
                content,
                queue,
                keys.job(tenant, spec.id).removesuffix(spec.id),
                SCHEMA,
            ],
        )
        return await self.get(tenant, text(chosen)), bool(created)
