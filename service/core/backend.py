"""What the use cases stand on: store, queue, policy and clock, opened once per process."""

from collections.abc import Callable, Sequence
from datetime import datetime

from msgspec import Struct

from service.core.cursors import Cursors
from service.core.limiter import UNLIMITED, Limiter, RateRules
from service.egress import Policy
from service.queue import JobQueue
from service.store.keys import DEFAULT_TENANT
from service.store.quotas import NO_QUOTAS, Quotas
from service.store.store import Store


class Keeping(Struct, frozen=True, kw_only=True):
    """How long and how much the store keeps; 0: no end, no bound of ours."""

    retention_days: int = 0
    store_bytes: int = 0


class Backend:
    """The parts of one API process. `tenant` is the same for every caller."""

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
        self.quotas = NO_QUOTAS
        self.limiter = Limiter(store.rates, UNLIMITED)
        self.now = now
        self.tenant = DEFAULT_TENANT
        self._cursors: Cursors | None = None
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
        self._cursors = None  # their key went with the rest
        return True

    async def cursors(self) -> Cursors:
        """Return the cursor signer; its key is read from the store once.

        Raises:
            StoreUnavailableError: the store does not answer.
        """
        if self._cursors is None:
            self._cursors = Cursors(await self.store.signing_key())
        return self._cursors


def parse_policy(mode: str, allow: Sequence[str], own: Sequence[tuple[str, int]]) -> Policy:
    """Read the egress settings; `own` are the hosts and ports of this deployment.

    Raises:
        ValueError: an entry that cannot be used.
    """
    return Policy.parse(mode, allow, own)


def to_iso(moment: datetime) -> str:
    """Write a UTC moment to the millisecond, `2026-01-31T12:00:00.000Z`."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1_000:03d}Z"
