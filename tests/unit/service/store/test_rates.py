"""Requests as the store counts them, by its own clock."""

import asyncio
import time

import redis

from service.store import keys
from service.store.keys import DEFAULT_TENANT, SYSTEM_TENANT
from service.store.rates import Grant, RateRule
from service.store.store import Store

TEN = RateRule(requests=10, window_s=3_600)
KEY = keys.rate(DEFAULT_TENANT, "key_a")


async def take(store: Store, *, rule: RateRule = TEN, wanted: int = 1, unused: int = 0) -> Grant:
    """Take requests of one key."""
    return await store.rates.take(DEFAULT_TENANT, "key_a", rule, wanted=wanted, unused=unused)


async def test_a_key_has_its_requests_at_once_and_no_more(store: Store) -> None:
    """All of a window may come together; the next one is refused and told when it may come."""
    granted = [await take(store) for _ in range(10)]
    refused = await take(store)
    assert [one.left for one in granted] == list(range(9, -1, -1))
    assert {one.granted for one in granted} == {1}
    assert (refused.granted, refused.left) == (0, 0)
    assert 355_000 < refused.next_ms <= 360_000  # a tenth of the window
    assert 3_595_000 < refused.full_ms <= 3_600_000


async def test_a_refusal_writes_nothing(store: Store, redis_url: str) -> None:
    """Whoever goes on in vain does not put the end of it off."""
    for _ in range(10):
        await take(store)
    with redis.Redis.from_url(redis_url) as client:
        before = client.get(KEY)
        for _ in range(5):
            await take(store)
        assert client.get(KEY) == before


async def test_requests_come_back_evenly(store: Store, redis_url: str) -> None:
    """A tenth of the window later there is one more, and after the window all are back."""
    for _ in range(10):
        await take(store)
    with redis.Redis.from_url(redis_url) as client:
        taken = int(client.get(KEY) or 0)  # type: ignore[arg-type]
        client.set(KEY, taken - 360 * 1_000_000)
        assert [(await take(store)).granted for _ in range(2)] == [1, 0]
        client.set(KEY, round(time.time() * 1e6) - 1)
        assert (await take(store)).left == 9
        assert 0 < client.pttl(KEY) <= 360_000


async def test_loans_shrink_as_requests_run_out(store: Store) -> None:
    """Nobody is lent more than a sixteenth of what is left, and the last go one by one."""
    rule = RateRule(requests=320, window_s=3_600)
    loans = [await take(store, rule=rule, wanted=64) for _ in range(80)]
    sizes = [one.granted for one in loans]
    assert sizes[0] == 20
    assert sizes == sorted(sizes, reverse=True)
    assert sum(sizes) == 320
    assert sizes[sizes.index(0) - 1] == 1


async def test_what_was_not_used_comes_back(store: Store) -> None:
    """Requests given back are there for the next one, of the key and of the day."""
    rule = RateRule(requests=1_000, window_s=3_600, per_day=1_000)
    lent = await take(store, rule=rule, wanted=10)
    again = await take(store, rule=rule, wanted=1, unused=10)
    assert (lent.granted, lent.left, again.left) == (10, 990, 999)
    assert (await take(store, rule=rule)).spent == 1


async def test_a_day_ends_for_all_keys_of_a_team(store: Store, redis_url: str) -> None:
    """A team's day is one sum; it is refused without a next moment, and is new the next day."""
    rule = RateRule(requests=0, window_s=60, per_day=3)
    taken = [await store.rates.take(DEFAULT_TENANT, name, rule) for name in ("a", "b", "a", "b")]
    assert [one.granted for one in taken] == [1, 1, 1, 0]
    assert (taken[-1].next_ms, taken[-1].per_day, taken[-1].spent) == (0, 3, 3)
    with redis.Redis.from_url(redis_url) as client:
        client.hincrby("t:default:spent", "day", -1)
        assert (await store.rates.take(DEFAULT_TENANT, "b", rule)).granted == 1
        assert client.hget("t:default:spent", "requests_per_day") == b"1"
        assert 0 < client.ttl("t:default:spent") <= 172_800


async def test_no_day_is_counted_outside_of_teams(store: Store, redis_url: str) -> None:
    """Addresses and links have a rate, and spend nobody's day."""
    rule = RateRule(requests=2, window_s=60, per_day=1)
    taken = [await store.rates.take(SYSTEM_TENANT, "192.0.2.1", rule) for _ in range(3)]
    assert [one.granted for one in taken] == [1, 1, 0]
    with redis.Redis.from_url(redis_url) as client:
        assert not client.exists("t:_:spent")


async def test_a_teams_own_limits_go_before(store: Store) -> None:
    """They hold from the next request on, in both directions."""
    await store.allowances.put_own(DEFAULT_TENANT, {"rate_requests": 2, "rate_window_s": 60})
    assert [(await take(store)).granted for _ in range(3)] == [1, 1, 0]
    await store.allowances.put_own(DEFAULT_TENANT, {"rate_requests": 0})
    free = await take(store, wanted=64)
    assert (free.granted, free.requests) == (64, 0)


async def test_a_full_store_still_counts(store: Store, redis_url: str) -> None:
    """Reading goes on when nothing more can be stored, and so does its count."""
    with redis.Redis.from_url(redis_url) as client:
        client.config_set("maxmemory", 1)
        try:
            taken = [await take(store) for _ in range(11)]
        finally:
            client.config_set("maxmemory", 0)
    assert [one.granted for one in taken] == [1] * 10 + [0]


async def test_many_at_once_get_what_there_is(store: Store) -> None:
    """Of 50 requests at the same time exactly ten are let through."""
    taken = await asyncio.gather(*(take(store) for _ in range(50)))
    assert sum(one.granted for one in taken) == 10
