from hypothesis import given
from hypothesis import strategies as st

from worker.search.lanes import CALM_S, SLOW, Lanes


class Time:
    """A clock that moves when told."""

    def __init__(self) -> None:
        self.now = 0.0

    def read(self) -> float:
        """Return the time."""
        return self.now


def warm(lanes: Lanes) -> None:
    """Let the lanes learn what is usual."""
    for _ in range(20):
        lanes.answer(10.0)


def test_refusal_halves_and_calm_grows_again() -> None:
    """A 429 halves the lanes once a second at most; each calm second with answers adds one."""
    time = Time()
    lanes = Lanes(16, clock=time.read)
    warm(lanes)
    lanes.refuse()
    lanes.refuse()
    assert lanes.allowed == 8
    time.now += CALM_S
    lanes.refuse()
    assert lanes.allowed == 4
    for expected in (5, 6):
        time.now += CALM_S
        lanes.answer(10.0)
        lanes.answer(10.0)
        assert lanes.allowed == expected


def test_rising_latency_counts_as_a_refusal() -> None:
    """Answers that take several times as long as usual make the lanes fewer."""
    time = Time()
    lanes = Lanes(16, clock=time.read)
    warm(lanes)
    for _ in range(100):
        time.now += CALM_S
        lanes.answer(10.0 * SLOW * 2)
    assert lanes.allowed == 1


def test_cap_of_others_is_kept() -> None:
    """What other workers hold of the target is not taken, and one lane is always left."""
    lanes = Lanes(16)
    lanes.cap = 3
    assert lanes.allowed == 3
    lanes.cap = 0
    assert lanes.allowed == 1


@given(st.lists(st.none() | st.floats(0.1, 10_000), max_size=200), st.integers(1, 64))
def test_limit_stays_between_one_and_most(events: list[float | None], most: int) -> None:
    """Whatever happens, at least one and at most the asked number may be under way."""
    time = Time()
    lanes = Lanes(most, clock=time.read)
    for latency in events:
        time.now += 0.6
        if latency is None:
            lanes.refuse()
        else:
            lanes.answer(latency)
        assert 1 <= lanes.allowed <= most
