"""Letting requests through at the rate they may come. One process's part of it.

The store counts for all processes, and each takes requests of a busy key some at a time, so that
most are let through without asking. What was taken and not used is given back at the next asking.
The store never lends more than a small part of what is left: a limit is never exceeded, and the
last requests of a key are handed out one by one.
"""

import asyncio
import time
from collections.abc import Callable
from ipaddress import IPv4Address, ip_address, ip_network
from typing import Final

from msgspec import Struct

from reteval.contract.quotas import PER_ADDRESS, PER_KEY, QuotaName
from service.errors import RateLimitedError, ServiceError
from service.store.keys import SYSTEM_TENANT
from service.store.quotas import refuse
from service.store.rates import Grant, RateRule, Rates

_LENT_S: Final = 1.0
"""How long requests that were taken, or a refusal, are gone by without asking again."""
_MOST_LENT: Final = 1_024
_MOST_CALLERS: Final = 10_000
_HALF_BITS: Final = 64


class Standing(Struct, frozen=True, kw_only=True):
    """How far a caller has used its rate. With an `error`, this request was one too many."""

    policy: str
    requests: int
    window_s: int
    remaining: int
    reset_s: int
    error: ServiceError | None = None


class RateRules(Struct, frozen=True, kw_only=True):
    """What a deployment lets keys send, and addresses that have no valid one."""

    keys: RateRule
    failures: RateRule


NO_RULE: Final = RateRule(requests=0, window_s=1)
UNLIMITED: Final = RateRules(keys=NO_RULE, failures=NO_RULE)


class Limiter:
    """The rates of one process's callers."""

    def __init__(
        self,
        rates: Rates,
        rules: RateRules,
        *,
        clock: Callable[[], float] = time.monotonic,
        remembers: int = _MOST_CALLERS,
    ) -> None:
        self._rates = rates
        self._rules = rules
        self._clock = clock
        self._remembers = remembers
        self._loans: dict[tuple[str, str], _Loan] = {}

    async def pass_key(self, tenant: str, key: str) -> Standing:
        """Count a request of a team's key.

        Raises:
            StoreUnavailableError: the store, which counts, does not answer.
        """
        return await self._pass(PER_KEY, tenant, key, self._rules.keys)

    async def pass_stranger(self, address: str) -> Standing:
        """Count a request without a valid key; raises as `pass_key`."""
        caller = _find_network(address)
        return await self._pass(PER_ADDRESS, SYSTEM_TENANT, caller, self._rules.failures)

    async def _pass(self, policy: str, tenant: str, caller: str, rule: RateRule) -> Standing:
        loan = self._loans.get((tenant, caller))
        if loan is None:
            if len(self._loans) >= self._remembers:
                self._loans.clear()
            loan = self._loans[tenant, caller] = _Loan()
        if not loan.covers(self._clock()):
            async with loan.lock:  # those who come meanwhile share what is taken
                if not loan.covers(now := self._clock()):
                    wanted, unused = loan.close(now)
                    grant = await self._rates.take(
                        tenant, caller, rule, wanted=wanted, unused=unused
                    )
                    loan.open(grant, self._clock())
        return loan.use(policy)


_NOTHING: Final = Grant(
    granted=0, requests=0, window_s=0, left=0, full_ms=0, next_ms=0, per_day=0, spent=0, now_s=0
)


class _Loan:
    """Requests of one caller that this process may let through without asking."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self._grant = _NOTHING
        self._left = 0
        self._until = 0.0

    def covers(self, now: float) -> bool:
        """Whether the next request needs no asking: there is one left, or certainly none."""
        return now < self._until and (self._left > 0 or self._grant.granted == 0)

    def close(self, now: float) -> tuple[int, int]:
        """Return how many to ask for next, and how many were not used.

        Twice as many as before where they were used up in time, else as many as were used.
        """
        granted = self._grant.granted
        unused, self._left = self._left, 0
        wanted = 2 * granted if now < self._until else granted - unused
        return max(1, min(wanted, _MOST_LENT)), unused

    def open(self, grant: Grant, now: float) -> None:
        """Begin with what was granted; a refusal holds until the next request may come."""
        self._grant, self._left = grant, grant.granted
        lasts = _LENT_S if grant.granted else min(_LENT_S, (grant.next_ms or 1_000) / 1_000)
        self._until = now + lasts

    def use(self, policy: str) -> Standing:
        """Let one request through, or tell why not."""
        grant = self._grant
        error = _refuse(grant) if grant.granted == 0 else None
        self._left -= 0 if error else 1
        return Standing(
            policy=policy,
            requests=grant.requests,
            window_s=grant.window_s,
            remaining=grant.left + self._left,
            reset_s=-(-grant.full_ms // 1_000),
            error=error,
        )


def _find_network(address: str) -> str:
    """Return what one visitor has of addresses: of version 6 it is the lower half."""
    try:
        parsed = ip_address(address)
    except ValueError:  # a unix socket has none
        return address
    if isinstance(parsed, IPv4Address):
        return str(parsed)
    return str(ip_network((parsed, _HALF_BITS), strict=False))


def _refuse(grant: Grant) -> ServiceError:
    if grant.next_ms == 0:
        return refuse(
            QuotaName.REQUESTS_PER_DAY,
            limit=grant.per_day,
            used=grant.spent,
            asked=1,
            now_s=grant.now_s,
        )
    return RateLimitedError(
        f"{grant.requests:,} requests in {grant.window_s:,} s may come, and they have. "
        "Send fewer, wait for ends with `?wait=20`, or ask the operator for a higher limit.",
        retry_after_s=max(1, -(-grant.next_ms // 1_000)),
    )
