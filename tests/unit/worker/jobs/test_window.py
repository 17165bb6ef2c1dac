from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reteval.contract.runs import Window
from worker.jobs.window import seconds_until_closed, seconds_until_open

NIGHT = Window(opens="22:00", closes="06:00")
DAY = Window(opens="09:00", closes="17:30")


@pytest.mark.parametrize(
    ("window", "hour", "minute", "closed_s"),
    [
        (DAY, 9, 0, 0),
        (DAY, 17, 29, 0),
        (DAY, 17, 30, 15.5 * 3_600),
        (DAY, 8, 59, 60),
        (NIGHT, 23, 0, 0),
        (NIGHT, 5, 59, 0),
        (NIGHT, 6, 0, 16 * 3_600),
        (NIGHT, 21, 0, 3_600),
    ],
)
def test_window_opens_and_closes_on_the_minute(
    window: Window, hour: int, minute: int, closed_s: float
) -> None:
    """The opening minute is inside, the closing one outside, over midnight as by day."""
    now = datetime(2026, 11, 30, hour, minute, tzinfo=UTC)
    assert closed_s == seconds_until_open(window, now)


def test_window_follows_the_clock_of_its_zone() -> None:
    """Nine in Tokyo is midnight in UTC; the night that clocks go forward is an hour shorter."""
    tokyo = Window(opens="09:00", closes="17:00", zone="Asia/Tokyo")
    assert seconds_until_open(tokyo, datetime(2026, 11, 30, 0, 0, tzinfo=UTC)) == 0
    lisbon = Window(opens="22:00", closes="06:00", zone="Europe/Lisbon")
    before = datetime(2026, 3, 28, 22, 0, tzinfo=UTC)
    assert seconds_until_closed(lisbon, before) == 7 * 3_600


@given(st.datetimes(datetime(2026, 1, 1), datetime(2026, 12, 31), timezones=st.just(UTC)))  # noqa: DTZ001
def test_window_is_never_closed_for_longer_than_a_day(now: datetime) -> None:
    """Whenever it is asked, the window is open or opens within a day, and then closes again."""
    for window in (DAY, NIGHT):
        assert 0 <= seconds_until_open(window, now) <= 86_400
        assert 0 < seconds_until_closed(window, now) <= 86_400
