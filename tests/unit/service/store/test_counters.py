"""Counters of the deployment: added once, summed over processes, bounded in their targets."""

import pytest
import redis

from service.errors import StorageFullError
from service.store.counters import MOST_TARGETS, OTHER, Series, Tally
from service.store.store import Store


async def test_processes_add_up(store: Store) -> None:
    """Two processes that count the same thing are one total; other things stay apart."""
    one, two = Tally(store.counters), Tally(store.counters)
    one.count("requests", "ok", target="http://a:80", amount=3)
    two.count("requests", "ok", target="http://a:80")
    two.count("requests", "timeout", target="http://a:80")
    two.count("reaper", "woken")
    await one.flush()
    await two.flush()
    await two.flush()
    assert await store.counters.read() == {
        Series("requests", "ok", "http://a:80"): 4,
        Series("requests", "timeout", "http://a:80"): 1,
        Series("reaper", "woken"): 1,
    }


async def test_addition_sent_twice_counts_once(store: Store) -> None:
    """A command repeated after a lost reply changes nothing; the next number does."""
    series = Series("reaper", "woken")
    for number in (1, 1, 2, 1):
        await store.counters.add("p", number, {series: 5})
    assert await store.counters.read() == {series: 10}


async def test_counts_outlive_a_store_that_refuses(store: Store, redis_url: str) -> None:
    """What could not be added is kept with its number, and added with what came later."""
    tally = Tally(store.counters)
    tally.count("reaper", "woken")
    with redis.Redis.from_url(redis_url) as client:
        client.config_set("maxmemory", "1")
        try:
            with pytest.raises(StorageFullError):
                await tally.flush()
        finally:
            client.config_set("maxmemory", "0")
    tally.count("reaper", "woken", amount=2)
    await tally.flush()
    assert await store.counters.read() == {Series("reaper", "woken"): 3}


async def test_targets_are_bounded(store: Store) -> None:
    """The first targets have their own totals for good; all others share one."""
    tally = Tally(store.counters)
    for number in range(MOST_TARGETS + 20):
        tally.count("requests", "ok", target=f"http://t{number}:80")
    await tally.flush()
    tally.count("requests", "ok", target="http://t0:80")
    await tally.flush()
    totals = await store.counters.read()
    assert len(totals) == MOST_TARGETS + 1
    assert totals[Series("requests", "ok", OTHER)] == 20
    assert totals[Series("requests", "ok", "http://t0:80")] == 2
