"""The hours of the day at which an endpoint may be called."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from reteval.contract.runs import Window
from worker.jobs.hold import Hold, Stop


@contextlib.asynccontextmanager
async def closing(hold: Hold, window: Window | None) -> AsyncIterator[None]:
    """Stop the work of the block when the hours at which its endpoint may be called are over."""
    if window is None:
        yield
        return
    timer = asyncio.get_running_loop().call_later(
        seconds_until_closed(window, datetime.now(UTC)), hold.stop, Stop.WINDOW
    )
    try:
        yield
    finally:
        timer.cancel()


def seconds_until_open(window: Window, now: datetime) -> float:
    """Return how long the window stays closed; 0 while it is open. `now` knows its zone."""
    local = now.astimezone(ZoneInfo(window.zone))
    return 0.0 if _is_open(window, local) else _seconds_until(window.opens, local)


def seconds_until_closed(window: Window, now: datetime) -> float:
    """Return how long an open window stays open."""
    return _seconds_until(window.closes, now.astimezone(ZoneInfo(window.zone)))


def _is_open(window: Window, local: datetime) -> bool:
    clock = local.strftime("%H:%M")
    if window.opens < window.closes:
        return window.opens <= clock < window.closes
    return clock >= window.opens or clock < window.closes


def _seconds_until(clock: str, local: datetime) -> float:
    """Return the seconds to the next time that a clock on the wall shows `clock`."""
    hour, minute = map(int, clock.split(":"))
    moment = local.replace(hour=hour, minute=minute, second=0, microsecond=0)
    if moment <= local:
        moment = (moment.replace(tzinfo=None) + timedelta(days=1)).replace(tzinfo=local.tzinfo)
    return moment.timestamp() - local.timestamp()
