"""What the use cases stand on: store, queue, policy and clock, and who they work for."""

import copy
from collections.abc import Callable, Sequence
from datetime import datetime

from msgspec import Struct

from service.core.cursors import Cursors
from service.core.identity import LOCAL, Identity
from service.core.keyring import Keyring
from service.core.limiter import UNLIMITED, Limiter, RateRules
from service.egress import Policy
from service.queue import JobQueue
from service.store.quotas import NO_QUOTAS, Quotas
from service.store.store import Store


class Keeping(Struct, frozen=True, kw_only=True):
    """How long and how much the store keeps; 0: no end, no bound of ours."""

    retention_days: int = 0
    store_bytes: int = 0


class Backend:
    """The parts of one API process, opened once; `of` gives what serves one caller."""

    def __init__(
        self,
        *,
        store: Store,
        queue: JobQueue,
        policy: Policy,
        egress: str,
        secret_key: str,
        code_version: str,
        keeping: Keeping,
        now: Callable[[], datetime],
    ) -> None:
        self.store = store
        self.queue = queue
        self.policy = policy
        self.egress = egress
        self.secret_key = secret_key
        self.code_version = code_version
        self.keeping = keeping
        self.now = now
        self.quotas: Quotas = NO_QUOTAS
        self.limiter = Limiter(store.rates, UNLIMITED)
        self.identity = LOCAL
        self.keyring = Keyring(store.api_keys)
        self._signers: list[Cursors] = []
        self._birth_ms: int | None = None

    def limit(self, quotas: Quotas, rates: RateRules) -> None:
        """Hold teams to quotas and keys to rates, from now on."""
        self.quotas = quotas
        self.limiter = Limiter(self.store.rates, rates)

    def notice_birth(self, birth_ms: int) -> bool:
        """Note when the store's records begin; tell whether that was before this process."""
        if self._birth_ms is None:
            self._birth_ms = birth_ms
        if birth_ms == self._birth_ms:
            return False
        self._signers.clear()  # their key went with the rest
        return True

    @property
    def tenant(self) -> str:
        """The team whose objects the caller works on."""
        return self.identity.tenant

    def of(self, identity: Identity) -> "Backend":
        """Return the same parts in the service of one caller."""
        served = copy.copy(self)
        served.identity = identity
        return served

    def now_ms(self) -> int:
        """Return the moment in milliseconds."""
        return round(self.now().timestamp() * 1_000)

    async def cursors(self) -> Cursors:
        """Return the cursor signer; its key is read from the store once.

        Raises:
            StoreUnavailableError: the store does not answer.
        """
        if not self._signers:  # shared with the copies that `of` makes
            self._signers.append(Cursors(await self.store.signing_key()))
        return self._signers[0]


def parse_policy(mode: str, allow: Sequence[str], own: Sequence[tuple[str, int]]) -> Policy:
    """Read the egress settings; `own` are the hosts and ports of this deployment.

    Raises:
        ValueError: an entry that cannot be used.
    """
    return Policy.parse(mode, allow, own)


def to_iso(moment: datetime) -> str:
    """Write a UTC moment to the millisecond, `2026-01-31T12:00:00.000Z`."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1_000:03d}Z"
