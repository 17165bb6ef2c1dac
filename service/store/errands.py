"""Short jobs: made once, read by anyone, gone after a day."""

from typing import Any

import msgspec

from reteval.contract.previews import PreviewReport
from reteval.contract.probes import KEPT_S, ProbeReport
from service.store import keys
from service.store.quotas import NO_QUOTAS, Quotas, check_refusal, encode_quotas
from service.store.records import SCHEMA, PreviewRecord, PreviewSpec, ProbeRecord, ProbeSpec
from service.store.shelves import J, R, Shelf


class Errands(Shelf[J, R]):
    """All short jobs of one kind."""

    async def create(
        self,
        tenant: str,
        spec: Any,
        *,
        queue: str,
        secrets: bytes | None = None,
        queries: int = 0,
        quotas: Quotas = NO_QUOTAS,
    ) -> J:
        """Write a queued job with its sealed secrets; `spec` is of the kind's own type.

        Raises:
            QuotaExceededError: it would send more `queries` than the team may.
        """
        reply = await self._scripts.run(
            "create_errand",
            [
                keys.job(tenant, spec.id),
                keys.active(tenant, queue),
                keys.job_part(tenant, spec.id, "secrets"),
                keys.job_part(tenant, spec.id, "units"),
                keys.BUSY,
            ],
            [
                spec.id,
                keys.busy(tenant, queue),
                msgspec.json.encode(spec),
                secrets or b"",
                queue,
                KEPT_S,
                SCHEMA,
                encode_quotas(quotas),
                queries,
            ],
        )
        check_refusal(reply)
        return await self.get(tenant, spec.id)


class Probes(Errands[ProbeRecord, ProbeReport]):
    """A few queries sent to see what an endpoint answers."""

    about = "probe"
    prefix = keys.PROBE_PREFIX
    spec = ProbeSpec
    record = ProbeRecord
    found = ProbeReport


class Previews(Errands[PreviewRecord, PreviewReport]):
    """Variants shown before anything is sent."""

    about = "preview"
    prefix = keys.PREVIEW_PREFIX
    spec = PreviewSpec
    record = PreviewRecord
    found = PreviewReport
