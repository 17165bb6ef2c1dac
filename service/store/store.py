"""All state of a deployment behind one object a process."""

import secrets
from typing import Final

from reteval.contract.readiness import Finding, FindingCode
from service.store import keys
from service.store.alerts import Alerts
from service.store.api_keys import ApiKeys
from service.store.audit import Audit
from service.store.claims import Claims
from service.store.comparisons import Comparisons
from service.store.connection import PROMPT, Connection, Patience
from service.store.copies import Copies
from service.store.counters import Counters
from service.store.damage import Damage
from service.store.deliveries import Deliveries
from service.store.endpoints import Endpoints
from service.store.errands import LeakageChecks, Previews, Probes
from service.store.findings import UnsafeStoreError, inspect_server
from service.store.grants import Grants
from service.store.idempotency import LEASE_S, IdempotencyKeys
from service.store.intervention import Intervention
from service.store.jobs import Jobs
from service.store.journal import Journal
from service.store.judgings import Judgings, Steps
from service.store.links import Links
from service.store.load import Load
from service.store.looks import Looks
from service.store.outcomes import Outcomes
from service.store.plans import Plans
from service.store.pools import Pools
from service.store.quotas import Allowances
from service.store.rates import Rates
from service.store.reservations import Reservations
from service.store.retention import Retention
from service.store.runs import Runs
from service.store.schedules import Schedules
from service.store.scripts import Scripts
from service.store.sessions import Sessions
from service.store.shards import Shards
from service.store.sizes import Sizes
from service.store.suites import Suites
from service.store.targets import Targets
from service.store.teams import Teams
from service.store.test_sets import TestSets
from service.store.webhooks import Webhooks

_KEY_BYTES: Final = 32
_PROBE_MS: Final = 10_000


class Store:
    """Test sets, runs and outcomes, over one connection."""

    def __init__(  # noqa: PLR0915 - a line for each part
        self, connection: Connection, *, idempotency_lease_s: float = LEASE_S
    ) -> None:
        scripts = Scripts(connection)
        self._connection = connection
        self.test_sets = TestSets(connection, scripts)
        self.runs = Runs(connection, scripts)
        self.comparisons = Comparisons(connection, scripts)
        self.probes = Probes(connection, scripts)
        self.previews = Previews(connection, scripts)
        self.judgings = Judgings(connection, scripts)
        self.steps = Steps(connection, scripts)
        self.pools = Pools(connection, scripts)
        self.leakage = LeakageChecks(connection, scripts)
        self.endpoints = Endpoints(connection, scripts)
        self.damage = Damage(scripts, self.runs.get)
        self.copies = Copies(connection, scripts)
        self.webhooks = Webhooks(connection, scripts)
        self.deliveries = Deliveries(connection, scripts)
        self.schedules = Schedules(connection, scripts)
        self.alerts = Alerts(connection, scripts)
        self.idempotency = IdempotencyKeys(scripts, lease_s=idempotency_lease_s)
        self.jobs = Jobs(connection, scripts)
        self.outcomes = Outcomes(connection)
        self.claims = Claims(connection, scripts, self.damage)
        self.targets = Targets(scripts)
        self.plans = Plans(connection, scripts)
        self.shards = Shards(connection, scripts)
        self.retention = Retention(connection, self.runs, self.comparisons)
        self.sizes = Sizes(connection, scripts)
        self.reservations = Reservations(scripts)
        self.journal = Journal(scripts, self.sizes)
        self.counters = Counters(connection, scripts)
        self.load = Load(scripts)
        self.looks = Looks(connection, scripts)
        self.suites = Suites(connection, scripts)
        self.allowances = Allowances(connection, scripts)
        self.rates = Rates(scripts)
        self.intervention = Intervention(connection, scripts)
        self.teams = Teams(connection, scripts)
        self.api_keys = ApiKeys(connection, scripts)
        self.grants = Grants(connection, scripts)
        self.links = Links(connection, scripts)
        self.sessions = Sessions(connection)
        self.audit = Audit(connection, scripts)

    @classmethod
    def connect(
        cls, url: str, *, patience: Patience = PROMPT, idempotency_lease_s: float = LEASE_S
    ) -> "Store":
        """Make a store; it connects at its first command."""
        connection = Connection.open(url, patience=patience)
        return cls(connection, idempotency_lease_s=idempotency_lease_s)

    async def close(self) -> None:
        """Close the connections."""
        await self._connection.close()

    async def ping(self) -> None:
        """Check that the store takes writes.

        Raises:
            StoreUnavailableError: it does not.
        """
        await self._connection.set(keys.PROBE, secrets.token_hex(8), lifetime_ms=_PROBE_MS)

    async def findings(self) -> list[Finding]:
        """Return what is wrong with the server by its own account.

        Raises:
            StoreUnavailableError: it does not answer.
        """
        return inspect_server(await self._connection.info())

    async def check_policy(self) -> list[Finding]:
        """Refuse a server that may drop keys by itself; return what else is wrong with it.

        Raises:
            UnsafeStoreError: its eviction policy is not `noeviction`.
            StoreUnavailableError: it does not answer.
        """
        found = await self.findings()
        for one in found:
            if one.code is FindingCode.EVICTION:
                raise UnsafeStoreError(f"{one.message}; {one.fix}")
        return found

    async def birth_ms(self) -> int:
        """Return when this store's records begin; one that lost its data is born again."""
        known = await self._connection.get(keys.BIRTH)
        if known is None:
            now = await self._connection.now_ms()
            await self._connection.set(keys.BIRTH, str(now), only_new=True)
            known = await self._connection.get(keys.BIRTH)
        return int(known or 0)

    async def now_ms(self) -> int:
        """Return the server's clock, which all leases go by."""
        return await self._connection.now_ms()

    async def signing_key(self) -> bytes:
        """Return the key that all API processes sign cursors with, made at first use."""
        await self._connection.set(keys.SIGNING_KEY, secrets.token_bytes(_KEY_BYTES), only_new=True)
        return await self._connection.get(keys.SIGNING_KEY) or b""

    async def lead(self, role: str, owner: str, *, seconds: float) -> bool:
        """Become, or stay, the one process in a role, which is its key; False while another is."""
        millis = round(seconds * 1_000)
        if await self._connection.set(role, owner, only_new=True, lifetime_ms=millis):
            return True
        if await self._connection.get(role) != owner.encode():
            return False
        return await self._connection.expire(role, millis)
