"""When requests may start, on a clock that only sleeping moves."""

import asyncio
from email.utils import formatdate

import pytest

from worker.search.pacing import MAX_WAIT_S, Pacer


class Clock:
    """Time that passes only while someone sleeps."""

    def __init__(self) -> None:
        self.time = 1_000.0

    def now(self) -> float:
        """Return the time."""
        return self.time

    async def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.time += seconds
        await asyncio.sleep(0)


def pacer(clock: Clock, rate_per_s: float | None = None, jitter: float = 0.5) -> Pacer:
    """Make a pacer on that clock."""
    return Pacer(
        rate_per_s, clock=clock.now, now=clock.now, sleep=clock.sleep, jitter=lambda: jitter
    )


async def test_take_turn_without_a_rate() -> None:
    """Without a rate every turn comes at once."""
    clock = Clock()
    paced = pacer(clock)
    for _ in range(100):
        await paced.take_turn()
    assert clock.time == 1_000.0


async def test_take_turn_with_a_rate() -> None:
    """Turns are evenly spaced, and what was not used is not saved up."""
    clock = Clock()
    paced = pacer(clock, rate_per_s=4)
    starts = []
    for _ in range(3):
        await paced.take_turn()
        starts.append(clock.time - 1_000.0)
    clock.time += 10
    for _ in range(2):
        await paced.take_turn()
        starts.append(clock.time - 1_000.0)
    assert starts == [0.0, 0.25, 0.5, 10.5, 10.75]


async def test_take_turn_when_lanes_share_a_rate() -> None:
    """Any number of lanes together keep the rate."""
    clock = Clock()
    paced = pacer(clock, rate_per_s=10)
    await asyncio.gather(*(paced.take_turn() for _ in range(21)))
    assert clock.time >= 1_002.0 - 1e-6


@pytest.mark.parametrize("rate_per_s", [None, 10.0])
async def test_back_off_when_the_endpoint_asked(rate_per_s: float | None) -> None:
    """A wait that was asked for holds every later turn."""
    clock = Clock()
    paced = pacer(clock, rate_per_s)
    await paced.back_off(1, 7.0)
    await paced.back_off(1, 2.0)
    assert clock.time == 1_000.0
    await paced.take_turn()
    assert clock.time == pytest.approx(1_007.0)
    await paced.take_turn()
    assert clock.time == pytest.approx(1_007.0 if rate_per_s is None else 1_007.1)


async def test_back_off_when_nothing_was_asked() -> None:
    """Full jitter under a ceiling that doubles, up to eight seconds."""
    waits = []
    for attempt in (1, 2, 3, 4, 5, 6, 10):
        clock = Clock()
        await pacer(clock, jitter=1.0).back_off(attempt, None)
        waits.append(clock.time - 1_000.0)
    assert waits == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0.0),
        (" 12 ", 12.0),
        ("1000000000", MAX_WAIT_S),
        ("9" * 5_000, MAX_WAIT_S),
        (formatdate(1_005, usegmt=True), 5.0),
        ("Thu, 01 Jan 1970 00:16:45 -0000", 5.0),
        (formatdate(0, usegmt=True), 0.0),
        (formatdate(9_999_999, usegmt=True), MAX_WAIT_S),
        ("soon", None),
        ("-3", None),
        ("1.5", None),
        ("\u0663", None),
        ("", None),
        (None, None),
    ],
)
def test_read_retry_after(text: str | None, seconds: float | None) -> None:
    """Seconds and dates are read and cut at the cap; anything else counts as not said."""
    assert pacer(Clock()).read_retry_after(text) == seconds
