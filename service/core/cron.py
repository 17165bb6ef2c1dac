"""Times of cron expressions, by the clocks of a time zone.

Expressions have a minute, an hour, a day of the month, a month and a day of the week, read as
Debian's cron reads them. Where clocks go forward, a time that they leave out comes when they have
gone on; where they go back, a time that they show twice comes once, unless minutes or hours begin
with `*`: such expressions go by what passes, not by what clocks show.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice, takewhile
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

from cronsim import CronSim, CronSimError
from msgspec import Struct

from reteval.contract.problems import ProblemItem

MOST_COUNTED: Final = 1_000
"""Times that are counted one by one; from there on, there are so many or more."""
_FIELDS: Final = 5
_LOOKS_BACK: Final = (timedelta(hours=1), timedelta(days=1), timedelta(days=366))


class Passed(Struct, frozen=True):
    """The last of the times that have passed, and how many there were before it."""

    last: datetime
    before: int


def check_cron(cron: str, zone: str) -> list[ProblemItem]:
    """Return what is wrong with an expression and its zone; nothing when they are fine."""
    items = []
    if zone not in available_timezones():
        items.append(
            ProblemItem(
                pointer="/zone",
                message=f"there is no time zone {zone!r}",
                fix="Name one of the IANA data base, such as Europe/Lisbon or UTC.",
            )
        )
    why = _find_fault(cron)
    if why:
        items.append(
            ProblemItem(
                pointer="/cron",
                message=f"{cron!r} is no cron expression that ever comes: {why}",
                fix="Write minute, hour, day of month, month, day of week, such as 0 3 * * MON-FRI "
                "for three o'clock on weekdays.",
            )
        )
    return items


def times_after(cron: str, zone: str, moment: datetime) -> Iterator[datetime]:
    """Yield the times after a moment, soonest first, in UTC."""
    last = moment
    # The next time on the clocks of an hour that is shown twice is of the first one, which is over.
    for time in CronSim(cron, moment.astimezone(ZoneInfo(zone))):
        if (found := time.astimezone(UTC)) > last:
            last = found
            yield found


def find_passed(cron: str, zone: str, first: datetime, now: datetime) -> Passed:
    """Return the last time up to now; `first` is a time that has passed."""

    def passed_since(moment: datetime) -> Iterator[datetime]:
        return takewhile(lambda time: time <= now, times_after(cron, zone, moment))

    passed = [first, *islice(passed_since(first), MOST_COUNTED)]
    if len(passed) > MOST_COUNTED:
        for back in _LOOKS_BACK:
            if recent := list(passed_since(now - back)):
                return Passed(recent[-1], MOST_COUNTED)
    return Passed(passed[-1], len(passed) - 1)


def _find_fault(cron: str) -> str:
    if len(cron.split()) != _FIELDS:
        return f"it has {len(cron.split())} fields, not {_FIELDS}"
    try:
        next(CronSim(cron, datetime(2000, 1, 1, tzinfo=UTC)))
    except (CronSimError, AssertionError) as exc:
        return str(exc).lower() or "bad step"
    except StopIteration:
        return "no date fits it"
    return ""
