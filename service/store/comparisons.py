"""Comparisons: one for each content, made once, read by anyone."""

import msgspec

from reteval.contract.comparisons import ComparisonReport
from service.errors import RunActiveError
from service.store import keys
from service.store.idempotency import script_words, under_way
from service.store.records import SCHEMA, ComparisonRecord, ComparisonSpec, Idempotency
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
        self,
        tenant: str,
        spec: ComparisonSpec,
        *,
        content: str,
        queue: str,
        idempotency: Idempotency | None = None,
    ) -> tuple[ComparisonRecord, bool]:
        """Write a queued comparison, or answer the one of the same content.

        One that failed is made anew. The flag says whether a new one was made.

        Raises:
            IdempotencyConflictError: another process took the key over.
        """
        entry, token = script_words(idempotency)
        verdict, chosen = await self._scripts.run(
            "create_comparison",
            [
                keys.job(tenant, spec.id),
                keys.active(tenant, queue),
                keys.comparisons(tenant),
                keys.job_part(tenant, spec.id, "units"),
                keys.BUSY,
                keys.comparison_times(tenant),
                entry,
            ],
            [
                spec.id,
                keys.busy(tenant, queue),
                msgspec.json.encode(spec),
                content,
                queue,
                keys.job(tenant, spec.id).removesuffix(spec.id),
                SCHEMA,
                token,
            ],
        )
        if text(verdict) == "lost":
            raise under_way()
        return await self.get(tenant, text(chosen)), text(verdict) == "created"

    async def delete(self, tenant: str, comparison_id: str) -> None:
        """Delete a comparison that has ended.

        Raises:
            RunActiveError: it has not ended.
            NotFoundError: no such comparison.
        """
        await self.get(tenant, comparison_id)
        verdict = await self._scripts.run(
            "delete_comparison",
            [
                keys.job(tenant, comparison_id),
                keys.job_part(tenant, comparison_id, "report"),
                keys.comparisons(tenant),
                keys.comparison_times(tenant),
                keys.sizes(tenant),
            ],
            [comparison_id],
        )
        if text(verdict) == "active":
            raise RunActiveError(f"Comparison {comparison_id!r} has not ended; wait for its end.")
