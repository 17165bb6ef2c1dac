"""How many bytes a tenant's objects take: counted once, when an object is complete.

An object's bytes are the lengths of what is stored of it: values and the names of their fields,
and of its record the part that never changes. An entry an object; sums are made when asked for.
"""

from typing import Final

from msgspec import Struct

from service.store import keys
from service.store.connection import Connection
from service.store.scripts import Scripts

PAIRS: Final = "pairs"
"""The part of a leakage check beside its report."""
_MOST_BRIEF: Final = 100_000
"""Probes, previews and leakage checks of a day that are looked at."""


class Footprint(Struct, frozen=True):
    """So many objects, so many bytes."""

    count: int
    bytes: int


class Memory(Struct, frozen=True):
    """Bytes the server uses, and its bound; 0: none."""

    used: int
    bound: int


class Sizes:
    """Bytes by object, by kind and of the server."""

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts

    async def weigh(self, tenant: str, job_id: str) -> int:
        """Return the bytes stored of a job so far, of the parts that outlast its end."""
        lasting = (*keys.LASTING_PARTS, PAIRS)
        parts = [keys.job_part(tenant, job_id, part) for part in lasting]
        return int(await self._scripts.run("weigh", [keys.job(tenant, job_id), *parts], ["spec"]))

    async def by_kind(self, tenant: str) -> dict[str, Footprint]:
        """Return objects and bytes by the prefix of their ids, such as `run` and `ts`."""
        sizes = [
            (object_id, int(size))
            for object_id, size in (await self._connection.hgetall(keys.sizes(tenant))).items()
        ]
        now = str(await self._connection.now_ms())
        brief = await self._connection.zrangebyscore(
            keys.brief_sizes(tenant), above=now, limit=_MOST_BRIEF
        )
        pairs = (member.split() for member, _ in brief)
        sizes += [(object_id, int(size)) for object_id, size in pairs]
        found: dict[str, Footprint] = {}
        for object_id, size in sizes:
            kind = object_id.partition("_")[0]
            known = found.get(kind, Footprint(0, 0))
            found[kind] = Footprint(known.count + 1, known.bytes + size)
        return found

    async def memory(self) -> Memory:
        """Return what the server says of its memory."""
        section = await self._connection.info("memory")
        return Memory(used=int(section["used_memory"]), bound=int(section["maxmemory"]))
