"""Times of cron expressions: which are read, and what comes of them where clocks change."""

from datetime import UTC, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

import pytest

from service.core.cron import MOST_COUNTED, Passed, check_cron, find_passed, times_after

BERLIN = "Europe/Berlin"


def local_times(cron: str, after: str, count: int = 3) -> list[str]:
    """Return times after a moment of UTC as clocks in Berlin show them."""
    begin = datetime.fromisoformat(after).replace(tzinfo=UTC)
    found = islice(times_after(cron, BERLIN, begin), count)
    return [time.astimezone(ZoneInfo(BERLIN)).strftime("%d %H:%M %z") for time in found]


@pytest.mark.parametrize(
    ("cron", "after", "expected"),
    [
        # Clocks go forward on 29 March, from 02:00 to 03:00, and back on 25 October.
        ("30 2 * * *", "2026-03-28 12:00", ["29 03:00 +0200", "30 02:30 +0200"]),
        ("0,30 2 * * *", "2026-03-28 12:00", ["29 03:00 +0200", "30 02:00 +0200"]),
        ("0 * * * *", "2026-03-29 00:30", ["29 03:00 +0200", "29 04:00 +0200"]),
        ("30 2 * * *", "2026-10-24 12:00", ["25 02:30 +0200", "26 02:30 +0100"]),
        ("30 * * * *", "2026-10-25 00:00", ["25 02:30 +0200", "25 02:30 +0100"]),
        ("0 9 * * MON-FRI", "2026-11-27 12:00", ["30 09:00 +0100", "01 09:00 +0100"]),
        ("0 0 L * *", "2026-02-01 12:00", ["28 00:00 +0100", "31 00:00 +0200"]),
    ],
)
def test_times_where_clocks_change(cron: str, after: str, expected: list[str]) -> None:
    """A time that is left out comes when clocks have gone on; one that is shown twice, once."""
    assert local_times(cron, after, len(expected)) == expected


def test_no_time_comes_again_in_the_second_hour() -> None:
    """Asked in the second of two equal hours, the first one's time is over."""
    second = "2026-10-25 01:10"  # 02:10 in Berlin, for the second time
    assert local_times("30 2 * * *", second, 1) == ["26 02:30 +0100"]


@pytest.mark.parametrize(
    ("cron", "says"),
    [
        ("* * * *", "it has 4 fields, not 5"),
        ("0 0 3 * * *", "it has 6 fields, not 5"),
        ("@daily", "it has 1 fields, not 5"),
        ("61 * * * *", "bad minute"),
        ("0 0 30 2 *", "bad day-of-month"),
        ("L/2 * * * *", "bad minute"),
        ("0 0 */31 * MON#5", "no date fits it"),
        ("0 0 * * 1#1/2", "bad day-of-week"),
    ],
)
def test_expressions_that_are_none(cron: str, says: str) -> None:
    """What is wrong stands in the message, with a way out."""
    (item,) = check_cron(cron, "UTC")
    assert item.pointer == "/cron"
    assert says in item.message
    assert "0 3 * * MON-FRI" in item.fix


def test_zone_that_is_none() -> None:
    """Only names of the IANA data base are zones."""
    assert [item.pointer for item in check_cron("0 3 * * *", "Europe/Nowhere")] == ["/zone"]
    assert check_cron("0 3 * * *", "Pacific/Kiritimati") == []


def test_passed_times_are_counted() -> None:
    """The last one is found whatever the number; from a thousand on, it is a thousand."""
    first = datetime(2026, 1, 1, tzinfo=UTC)
    assert find_passed("0 * * * *", "UTC", first, first) == Passed(first, 0)
    later = first + timedelta(hours=3, minutes=20)
    assert find_passed("0 * * * *", "UTC", first, later) == Passed(first + timedelta(hours=3), 3)
    year = first + timedelta(days=365, seconds=30)
    minutely = find_passed("* * * * *", "UTC", first, year)
    assert minutely == Passed(first + timedelta(days=365), MOST_COUNTED)
    noons = find_passed("0 8,16 * * *", "UTC", datetime(2020, 1, 1, 8, tzinfo=UTC), year)
    assert noons == Passed(datetime(2026, 12, 31, 16, tzinfo=UTC), MOST_COUNTED)
