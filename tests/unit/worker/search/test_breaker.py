import asyncio

from worker.search.breaker import FIRST, IN_A_ROW, PROBE_EVERY_S, PROBE_FOR_S, Breaker


class Time:
    """A clock that moves when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0

    def read(self) -> float:
        """Return the time."""
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Let the time pass at once."""
        self.now += seconds
        await asyncio.sleep(0)


def make_breaker() -> tuple[Breaker, Time]:
    """Return a breaker with a clock of its own."""
    time = Time()
    return Breaker(clock=time.read, sleep=time.sleep), time


async def test_breaker_opens_when_the_first_requests_all_fail() -> None:
    """Twenty failures at the start open it; nineteen do not."""
    breaker, _ = make_breaker()
    for _ in range(FIRST - 1):
        breaker.record(failed=True)
    assert not breaker.open
    assert await breaker.admit()
    breaker.record(failed=True)
    assert breaker.open


def test_breaker_opens_when_a_working_endpoint_goes_down() -> None:
    """After a success it takes fifty failures in a row; one answer between them resets."""
    breaker, _ = make_breaker()
    breaker.record(failed=False)
    for _ in range(IN_A_ROW - 1):
        breaker.record(failed=True)
    breaker.record(failed=False)
    for _ in range(IN_A_ROW - 1):
        breaker.record(failed=True)
    assert not breaker.open
    breaker.record(failed=True)
    assert breaker.open


async def test_open_breaker_lets_one_probe_through_at_a_time() -> None:
    """While open, requests wait; a probe goes every ten seconds, and an answer closes it."""
    breaker, time = make_breaker()
    for _ in range(FIRST):
        breaker.record(failed=True)
    opened = time.now
    assert await breaker.admit()
    assert time.now - opened >= PROBE_EVERY_S
    breaker.record(failed=True)
    assert await breaker.admit()
    assert time.now - opened >= 2 * PROBE_EVERY_S
    breaker.record(failed=False)
    assert not breaker.open
    before = time.now
    assert await breaker.admit()
    assert time.now == before


async def test_endpoint_that_stays_down_is_given_up() -> None:
    """Two minutes of failed probes end the waiting for every lane."""
    breaker, time = make_breaker()
    for _ in range(FIRST):
        breaker.record(failed=True)
    opened = time.now
    while await breaker.admit():
        breaker.record(failed=True)
    assert breaker.given_up
    assert PROBE_FOR_S < time.now - opened <= PROBE_FOR_S + 2 * PROBE_EVERY_S
    assert not await breaker.admit()
