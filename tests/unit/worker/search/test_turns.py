import asyncio
from collections.abc import Callable
from itertools import pairwise

from service.errors import StoreUnavailableError
from service.store.targets import Slots
from worker.search.turns import SharedTurns


class Clock:
    """Time that passes only while someone sleeps."""

    def __init__(self) -> None:
        self.time = 100.0

    def now(self) -> float:
        """Return the time."""
        return self.time

    async def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.time += seconds
        await asyncio.sleep(0)


class Bucket:
    """What the store does, for as many as ask."""

    def __init__(self, clock: Clock, *, gap: float, ahead: float) -> None:
        self.clock, self.gap, self.ahead = clock, gap, ahead
        self.free = 0.0
        self.asked = 0

    async def reserve(self, wanted: int) -> Slots:
        """Grant what lies within reach."""
        self.asked += 1
        wait = max(self.free - self.clock.time, 0.0)
        count = min(wanted, max(0, int((self.ahead - wait) / self.gap) + 1))
        self.free = self.clock.time + wait + count * self.gap
        return Slots(count, wait if count else wait - self.ahead)


def shared(clock: Clock, reserve: Callable[[int], object]) -> SharedTurns:
    """Return turns at 50 a second."""
    return SharedTurns(50, reserve, clock=clock.now, sleep=clock.sleep)  # type: ignore[arg-type]


async def test_two_runs_share_one_rate() -> None:
    """Moments of two runs interleave: no two nearer than the gap, none left unused."""
    clock = Clock()
    bucket = Bucket(clock, gap=0.02, ahead=1.0)
    pair = [shared(clock, bucket.reserve), shared(clock, bucket.reserve)]
    moments = sorted([await turns.take() for _ in range(20) for turns in pair])
    gaps = [later - earlier for earlier, later in pairwise(moments)]
    assert all(0.0199 < gap < 0.0201 for gap in gaps)
    assert bucket.asked == 4


async def test_full_bucket_is_waited_for() -> None:
    """Where others have taken all moments within reach, the run waits for its own."""
    clock = Clock()
    bucket = Bucket(clock, gap=0.02, ahead=0.1)
    bucket.free = clock.time + 5
    moment = await shared(clock, bucket.reserve).take()
    assert moment >= 105.0 - 1e-9


async def test_rate_is_kept_while_the_store_is_away() -> None:
    """Without the store the run spaces its requests by itself."""
    clock = Clock()

    async def broken(_wanted: int) -> Slots:
        raise StoreUnavailableError("away")

    turns = shared(clock, broken)
    moments = [await turns.take() for _ in range(3)]
    assert [round(moment - moments[0], 3) for moment in moments] == [0.0, 0.02, 0.04]
