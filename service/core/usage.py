"""What is kept, for how long, and what is left."""

from datetime import UTC, datetime

from reteval.contract.usage import Kept, StoreUse, Usage
from service.core.admission import find_bound
from service.core.backend import Backend, to_iso
from service.store.sizes import Footprint


async def get_usage(backend: Backend) -> Usage:
    """Add up what the store keeps for the caller."""
    store, tenant = backend.store, backend.tenant
    found = await store.sizes.by_kind(tenant)
    runs, oldest_ms = await store.runs.span(tenant)
    ended = _kept(found, "run")
    return Usage(
        bytes=sum(kind.bytes for kind in found.values()),
        test_sets=_kept(found, "ts"),
        runs=ended,
        comparisons=_kept(found, "cmp"),
        probes=_kept(found, "prb"),
        previews=_kept(found, "prv"),
        leakage_checks=_kept(found, "lk"),
        runs_under_way=max(0, runs - ended.count),
        oldest_run=None if oldest_ms is None else _moment(oldest_ms),
        retention_days=backend.keeping.retention_days or None,
        store=await _use(backend),
    )


async def _use(backend: Backend) -> StoreUse:
    memory = await backend.store.sizes.memory()
    bound = find_bound(memory, backend.keeping.store_bytes)
    if not bound:
        return StoreUse(used_bytes=memory.used)
    left = max(0, bound - memory.used)
    return StoreUse(used_bytes=memory.used, bound_bytes=bound, left_bytes=left)


def _kept(found: dict[str, Footprint], kind: str) -> Kept:
    footprint = found.get(kind, Footprint(0, 0))
    return Kept(footprint.count, footprint.bytes)


def _moment(milliseconds: int) -> str:
    return to_iso(datetime.fromtimestamp(milliseconds / 1_000, UTC))
