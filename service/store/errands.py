"""Short jobs: made once, read by anyone, gone after a day."""

from typing import Any

import msgspec
from msgspec import Struct

from reteval.contract.leakage import LeakageReport, LeakedPair
from reteval.contract.previews import PreviewReport
from reteval.contract.probes import KEPT_S, ProbeReport
from service.store import chunks, keys
from service.store.idempotency import script_words, under_way
from service.store.quotas import NO_QUOTAS, Quotas, check_refusal, encode_quotas
from service.store.records import (
    SCHEMA,
    Idempotency,
    LeakageRecord,
    LeakageSpec,
    PreviewRecord,
    PreviewSpec,
    ProbeRecord,
    ProbeSpec,
)
from service.store.scripts import text
from service.store.shelves import J, R, Shelf
from service.store.sizes import PAIRS


class Errand(Struct, frozen=True, kw_only=True):
    """A job of one unit as it is queued, with the words that scripts take of it."""

    id: str
    spec: bytes
    queue: str
    seconds: int
    secrets: bytes = b""
    queries: int = 0

    def keys(self, tenant: str) -> list[str]:
        """Return the keys that `queue_errand` writes."""
        return [
            keys.job(tenant, self.id),
            keys.active(tenant, self.queue),
            keys.job_part(tenant, self.id, "secrets"),
            keys.job_part(tenant, self.id, "units"),
            keys.BUSY,
        ]

    def args(self, tenant: str, quotas: Quotas) -> list[str | bytes | int]:
        """Return what `queue_errand` is told."""
        return [
            self.id,
            keys.busy(tenant, self.queue),
            self.spec,
            self.secrets,
            self.queue,
            self.seconds,
            SCHEMA,
            encode_quotas(quotas),
            self.queries,
        ]


class Errands(Shelf[J, R]):
    """All short jobs of one kind."""

    async def create(
        self,
        tenant: str,
        spec: Any,
        *,
        queue: str,
        idempotency: Idempotency | None = None,
        secrets: bytes | None = None,
        queries: int = 0,
        quotas: Quotas = NO_QUOTAS,
    ) -> J:
        """Write a queued job with its sealed secrets, or answer what the key made before.

        `spec` is of the kind's own type.

        Raises:
            IdempotencyConflictError: another process took the key over.
            QuotaExceededError: it would send more `queries` than the team may.
        """
        entry, token = script_words(idempotency)
        errand = Errand(
            id=spec.id,
            spec=msgspec.json.encode(spec),
            queue=queue,
            seconds=KEPT_S,
            secrets=secrets or b"",
            queries=queries,
        )
        reply = await self._scripts.run(
            "create_errand",
            [entry, *errand.keys(tenant)],
            [token, *errand.args(tenant, quotas)],
        )
        check_refusal(reply)
        verdict, made = reply
        if text(verdict) == "lost":
            raise under_way()
        return await self.get(tenant, text(made))


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


class LeakageChecks(Errands[LeakageRecord, LeakageReport]):
    """Test sets held to themselves, to lists of queries and to documents."""

    about = "leakage check"
    prefix = keys.LEAKAGE_PREFIX
    spec = LeakageSpec
    record = LeakageRecord
    found = LeakageReport

    async def pairs(self, tenant: str, check_id: str, *, start: int, stop: int) -> list[LeakedPair]:
        """Return a stretch of the pairs that an ended check lists."""
        key = keys.job_part(tenant, check_id, PAIRS)
        return await chunks.read_slice(self._connection, key, LeakedPair, start=start, stop=stop)
