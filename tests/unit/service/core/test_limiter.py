"""Letting requests through: some at a time, never more than may come."""

import asyncio
from collections.abc import Callable

import pytest

from reteval.contract.problems import ErrorCode
from service.core.limiter import Limiter, RateRules
from service.errors import StoreUnavailableError
from service.store.keys import DEFAULT_TENANT
from service.store.rates import Grant, RateRule, Rates
from service.store.store import Store

HOUR = 3_600


class Watched(Rates):
    """Rates that remember what was asked of them."""

    def __init__(self, rates: Rates) -> None:
        self._inner = rates
        self.asked: list[tuple[int, int]] = []

    async def take(
        self, tenant: str, caller: str, rule: RateRule, *, wanted: int = 1, unused: int = 0
    ) -> Grant:
        """Pass on what is asked."""
        self.asked.append((wanted, unused))
        return await self._inner.take(tenant, caller, rule, wanted=wanted, unused=unused)


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Tell the time."""
        return self.now


def limiter(
    rates: Rates,
    clock: Callable[[], float],
    *,
    requests: int = 1_000,
    window_s: int = HOUR,
    per_day: int = 0,
) -> Limiter:
    """Return a process's limiter."""
    rule = RateRule(requests=requests, window_s=window_s, per_day=per_day)
    return Limiter(rates, RateRules(keys=rule, failures=rule), clock=clock)


async def test_busy_keys_ask_seldom(store: Store) -> None:
    """As a key goes on, more are taken at a time, so that most pass without asking."""
    rates = Watched(store.rates)
    one = limiter(rates, Clock(), requests=100_000, window_s=10**9)
    passed = [await one.pass_key(DEFAULT_TENANT, "a") for _ in range(4_000)]
    assert [wanted for wanted, _ in rates.asked] == [*(2**n for n in range(11)), 1_024, 1_024]
    assert [standing.remaining for standing in passed] == list(range(99_999, 95_999, -1))


async def test_what_is_not_used_within_a_second_goes_back(store: Store) -> None:
    """The next asking gives it back, and asks for what was used lately."""
    rates, clock = Watched(store.rates), Clock()
    one = limiter(rates, clock)
    for _ in range(4):
        await one.pass_key(DEFAULT_TENANT, "a")
    clock.now = 2.0
    standing = await one.pass_key(DEFAULT_TENANT, "a")
    assert rates.asked == [(1, 0), (2, 0), (4, 0), (1, 3)]
    assert standing.remaining == 995


async def test_processes_together_let_no_more_through(store: Store) -> None:
    """Two processes and 400 requests at once: what passes is the limit, less what one may hold."""
    both = [limiter(store.rates, Clock(), requests=100) for _ in range(2)]
    calls = [both[n % 2].pass_key(DEFAULT_TENANT, "a") for n in range(400)]
    passed = [standing for standing in await asyncio.gather(*calls) if standing.error is None]
    assert 100 - 100 // 16 <= len(passed) <= 100


async def test_one_process_lets_all_of_a_limit_through(store: Store) -> None:
    """What is lent is used before anybody is refused."""
    one = limiter(store.rates, Clock(), requests=100)
    passed = [await one.pass_key(DEFAULT_TENANT, "a") for _ in range(150)]
    errors = [standing.error for standing in passed if standing.error is not None]
    assert len(errors) == 50
    assert {error.code for error in errors} == {ErrorCode.RATE_LIMITED}
    assert {standing.remaining for standing in passed[100:]} == {0}


async def test_a_refused_key_costs_the_store_nothing(store: Store) -> None:
    """A refusal holds until the next request may come, for a second at most."""
    rates, clock = Watched(store.rates), Clock()
    one = limiter(rates, clock, requests=1)
    refused = [await one.pass_key(DEFAULT_TENANT, "a") for _ in range(100)][-1]
    assert len(rates.asked) == 2
    assert refused.error is not None
    assert HOUR - 5 < (refused.error.retry_after_s or 0) <= HOUR
    clock.now = 1.5
    await one.pass_key(DEFAULT_TENANT, "a")
    assert len(rates.asked) == 3


async def test_refusal_is_short_where_the_next_comes_soon(store: Store) -> None:
    """A client that waits as long as it was told gets through."""
    clock = Clock()
    one = limiter(store.rates, clock, requests=20, window_s=2)
    for _ in range(100):
        standing = await one.pass_key(DEFAULT_TENANT, "a")
    assert standing.error is not None
    assert standing.error.retry_after_s == 1
    await asyncio.sleep(0.2)
    clock.now = 0.2
    assert (await one.pass_key(DEFAULT_TENANT, "a")).error is None


async def test_a_day_that_is_used_up_is_a_quota(store: Store) -> None:
    """It is refused as such, until midnight."""
    one = limiter(store.rates, Clock(), per_day=2)
    errors = [(await one.pass_key(DEFAULT_TENANT, "a")).error for _ in range(3)]
    assert errors[:2] == [None, None]
    assert errors[2] is not None
    assert errors[2].code == ErrorCode.QUOTA_EXCEEDED
    assert errors[2].quota is not None
    assert (errors[2].quota.limit, errors[2].quota.used) == (2, 2)
    assert 0 < (errors[2].retry_after_s or 0) <= 86_400


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8::ffff:2", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("", "", True),
    ],
)
async def test_strangers_are_counted_by_what_they_can_choose(
    store: Store,
    one: str,
    other: str,
    shared: bool,  # noqa: FBT001 - a column of the table
) -> None:
    """An address of version 4, half of one of version 6, or nothing where there is none."""
    rates = limiter(store.rates, Clock(), requests=1)
    assert (await rates.pass_stranger(one)).error is None
    assert ((await rates.pass_stranger(other)).error is not None) is shared


async def test_keys_are_counted_apart(store: Store) -> None:
    """What one key uses is no other's, be it of the same team."""
    one = limiter(store.rates, Clock(), requests=1)
    for team, key in (("default", "a"), ("default", "b"), ("other", "a")):
        assert (await one.pass_key(team, key)).error is None


async def test_more_callers_than_are_remembered(store: Store) -> None:
    """A process that forgets a caller asks again, and finds what it has sent."""
    rates = Watched(store.rates)
    rule = RateRule(requests=1, window_s=HOUR)
    one = Limiter(rates, RateRules(keys=rule, failures=rule), clock=Clock(), remembers=2)
    for key in ("a", "b", "c"):
        assert (await one.pass_key(DEFAULT_TENANT, key)).error is None
    assert (await one.pass_key(DEFAULT_TENANT, "a")).error is not None
    assert len(rates.asked) == 4


async def test_without_the_store_nobody_passes() -> None:
    """A limiter that cannot count lets nothing through."""
    gone = Store.connect("redis://127.0.0.1:1")
    try:
        with pytest.raises(StoreUnavailableError):
            await limiter(gone.rates, Clock()).pass_key(DEFAULT_TENANT, "a")
    finally:
        await gone.close()
