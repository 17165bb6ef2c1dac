"""Whether the store has room for a run: refused before it starts, not broken while it goes on."""

from service.core.backend import Backend
from service.core.estimates import Outlook
from service.errors import StorageFullError
from service.store.records import RunSpec
from service.store.sizes import Memory


async def set_aside(backend: Backend, spec: RunSpec, outlook: Outlook) -> None:
    """Keep the memory free that a run will need, until it has ended.

    Raises:
        StorageFullError: less is left, and how much.
    """
    memory = await backend.store.sizes.memory()
    bound = find_bound(memory, backend.keeping.store_bytes)
    if not bound:
        return
    granted, left = await backend.store.reservations.take(
        backend.tenant,
        spec.id,
        need=outlook.memory,
        kept=outlook.planned.bytes,
        left=bound - memory.used,
    )
    if not granted:
        raise StorageFullError(
            f"The run needs up to {outlook.memory:,} bytes of the store's {bound:,} while it goes "
            f"on (it keeps up to {outlook.planned.bytes:,}); {max(0, left):,} are left beside "
            "what is stored and what other runs will need. Delete runs (GET /v1/usage), send "
            "fewer queries or variants, or have the operator give the store more memory."
        )


def find_bound(memory: Memory, store_bytes: int) -> int:
    """Return the memory that the store may use: the lower of the server's and ours; 0: any."""
    return min((bound for bound in (memory.bound, store_bytes) if bound), default=0)
