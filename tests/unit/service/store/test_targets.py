import asyncio

import redis

from service.store import keys
from service.store.store import Store

TARGET = "http://search.example:80"


async def test_slots_are_evenly_spaced_whoever_asks(store: Store) -> None:
    """Two askers get starts one after the other; none lies further ahead than asked for."""
    first = await store.targets.take_slots(TARGET, wanted=5, rate_per_s=50, ahead_s=1)
    second = await store.targets.take_slots(TARGET, wanted=5, rate_per_s=50, ahead_s=1)
    assert (5, 5) == (first.count, second.count)
    assert first.wait_s == 0
    assert 0.05 < second.wait_s <= 0.1
    many = await store.targets.take_slots(TARGET, wanted=1_000, rate_per_s=50, ahead_s=1)
    assert 35 <= many.count <= 45
    none = await store.targets.take_slots(TARGET, wanted=1, rate_per_s=50, ahead_s=0.5)
    assert none.count == 0
    assert 0.3 < none.wait_s < 0.6


async def test_unused_time_is_not_saved_up(store: Store, redis_url: str) -> None:
    """After a pause the next starts are spaced as ever; there is no burst."""
    await store.targets.take_slots(TARGET, wanted=1, rate_per_s=1_000, ahead_s=1)
    await asyncio.sleep(0.05)
    late = await store.targets.take_slots(TARGET, wanted=10, rate_per_s=1_000, ahead_s=0.004)
    assert (late.count, late.wait_s) == (5, 0)
    with redis.Redis.from_url(redis_url) as client:
        assert client.pttl(keys.target_slots(TARGET)) > 0


async def test_lanes_are_shared_and_given_back(store: Store) -> None:
    """Everybody gets an even share as soon as others leave it; what is given back is free again."""
    targets = store.targets
    first = await targets.hold_lanes(TARGET, "a", wanted=16, most=20, seconds=30)
    second = await targets.hold_lanes(TARGET, "b", wanted=16, most=20, seconds=30)
    third = await targets.hold_lanes(TARGET, "c", wanted=16, most=20, seconds=30)
    assert (16, 4, 1) == (first, second, third)
    assert [7, 7, 6] == [
        await targets.hold_lanes(TARGET, holder, wanted=16, most=20, seconds=30) for holder in "abc"
    ]
    assert await targets.hold_lanes(TARGET, "c", wanted=2, most=20, seconds=30) == 2
    assert await targets.hold_lanes(TARGET, "a", wanted=16, most=20, seconds=30) == 9
    await targets.release_lanes(TARGET, "a")
    assert await targets.hold_lanes(TARGET, "b", wanted=16, most=20, seconds=30) == 16


async def test_lanes_of_the_dead_are_free_again(store: Store) -> None:
    """A holder that does not come back loses its lanes when their time is over."""
    await store.targets.hold_lanes(TARGET, "dead", wanted=20, most=20, seconds=0.05)
    await asyncio.sleep(0.1)
    assert await store.targets.hold_lanes(TARGET, "b", wanted=16, most=20, seconds=30) == 16
