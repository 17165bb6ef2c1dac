"""Whether this process can do its work: the store takes writes, and what is unsafe about it."""

from msgspec import Struct

from service.core.backend import Backend


class Readiness(Struct, frozen=True, kw_only=True):
    """`warnings` are findings about the store's configuration; `queued` counts waiting jobs."""

    status: str
    version: str
    egress: str
    warnings: tuple[str, ...]
    queued: dict[str, int]


async def check_readiness(backend: Backend) -> Readiness:
    """Write to the store and look at its configuration and the queue.

    Raises:
        StoreUnavailableError: the store does not answer or takes no writes.
    """
    await backend.store.ping()
    return Readiness(
        status="ready",
        version=backend.code_version,
        egress=backend.egress,
        warnings=tuple(await backend.store.findings()),
        queued=await backend.queue.depth(),
    )
