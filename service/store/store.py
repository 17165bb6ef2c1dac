"""All state of a deployment behind one object a process."""

import secrets
from typing import Final

from service.errors import StoreUnavailableError
from service.store import keys
from service.store.claims import Claims
from service.store.comparisons import Comparisons
from service.store.connection import Connection
from service.store.endpoints import Endpoints
from service.store.errands import Previews, Probes
from service.store.idempotency import IdempotencyKeys
from service.store.jobs import Jobs
from service.store.journal import Journal
from service.store.outcomes import Outcomes
from service.store.plans import Plans
from service.store.runs import Runs
from service.store.scripts import Scripts
from service.store.shards import Shards
from service.store.targets import Targets
from service.store.test_sets import TestSets

_KEY_BYTES: Final = 32
_PROBE_MS: Final = 10_000


class Store:
    """Test sets, runs and outcomes, over one connection."""

    def __init__(self, connection: Connection) -> None:
        scripts = Scripts(connection)
        self._connection = connection
        self.test_sets = TestSets(connection, scripts)
        self.runs = Runs(connection, scripts)
        self.comparisons = Comparisons(connection, scripts)
        self.probes = Probes(connection, scripts)
        self.previews = Previews(connection, scripts)
        self.endpoints = Endpoints(connection, scripts)
        self.idempotency = IdempotencyKeys(scripts)
        self.jobs = Jobs(connection, scripts)
        self.outcomes = Outcomes(connection)
        self.claims = Claims(connection, scripts)
        self.targets = Targets(scripts)
        self.plans = Plans(connection, scripts)
        self.shards = Shards(connection, scripts)
        self.journal = Journal(scripts)

    @classmethod
    def connect(cls, url: str) -> "Store":
        """Make a store; it connects at its first command."""
        return cls(Connection.open(url))

    async def close(self) -> None:
        """Close the connections."""
        await self._connection.close()

    async def ping(self) -> None:
        """Check that the store takes writes.

        Raises:
            StoreUnavailableError: it does not.
        """
        await self._connection.set(keys.PROBE, secrets.token_hex(8), lifetime_ms=_PROBE_MS)

    async def findings(self) -> list[str]:
        """Return what is unsafe about the server's configuration, a sentence each."""
        memory = await self._connection.info("memory")
        persistence = await self._connection.info("persistence")
        found = []
        if memory["maxmemory_policy"] != "noeviction":
            found.append(
                f"maxmemory-policy is {memory['maxmemory_policy']}: results can vanish; "
                "set it to noeviction"
            )
        if not persistence["aof_enabled"]:
            found.append("AOF is off: a crash loses runs; set appendonly yes")
        return found

    async def check_policy(self) -> None:
        """Refuse a server that may drop keys by itself.

        Raises:
            StoreUnavailableError: its eviction policy is not `noeviction`, or it is away.
        """
        policy = (await self._connection.info("memory"))["maxmemory_policy"]
        if policy != "noeviction":
            raise StoreUnavailableError(
                f"Redis runs with maxmemory-policy {policy!r} and would drop results; "
                "set it to noeviction"
            )

    async def signing_key(self) -> bytes:
        """Return the key that all API processes sign cursors with, made at first use."""
        await self._connection.set(keys.SIGNING_KEY, secrets.token_bytes(_KEY_BYTES), only_new=True)
        return await self._connection.get(keys.SIGNING_KEY) or b""

    async def lead_reaping(self, owner: str, *, seconds: float) -> bool:
        """Become, or stay, the one process that reaps; False while another one is."""
        millis = round(seconds * 1_000)
        if await self._connection.set(keys.REAPER, owner, only_new=True, lifetime_ms=millis):
            return True
        if await self._connection.get(keys.REAPER) != owner.encode():
            return False
        return await self._connection.expire(keys.REAPER, millis)
