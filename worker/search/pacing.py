"""When the next request may start: rate, pauses the endpoint asked for, waits between attempts."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Final

from worker.search.turns import OwnTurns, Turns

MAX_WAIT_S: Final = 30.0
"""The longest wait that most endpoints can ask for; they may well ask for a year."""
_FIRST_WAIT_S: Final = 0.25
_LONGEST_WAIT_S: Final = 8.0


class Pacer:
    """Gives out turns to every lane of one run in this process.

    With a rate, turns are evenly spaced and the unused ones are not saved up; `turns` shares
    them with others who call the target. A pause holds every lane, since an endpoint that
    turns one request away means all of them. `longest_s` is the longest wait it can ask for.
    """

    def __init__(
        self,
        rate_per_s: float | None = None,
        *,
        turns: Turns | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
        longest_s: float = MAX_WAIT_S,
    ) -> None:
        self._clock = clock
        self._now = now
        self._sleep = sleep
        self._jitter = jitter
        self._turns = turns
        if turns is None and rate_per_s is not None:
            self._turns = OwnTurns(rate_per_s, clock=clock)
        self._longest_s = longest_s
        self._paused_until = 0.0

    @property
    def free(self) -> bool:
        """Whether requests need not wait for `take_turn`."""
        return self._turns is None and not self._paused_until

    async def take_turn(self) -> None:
        """Wait until a request may be sent."""
        if self._paused_until:
            await self._outwait()
        if self._turns is None:
            return
        await self._sleep_until(await self._turns.take())
        await self._outwait()

    async def back_off(self, attempt: int, retry_after: float | None) -> None:
        """Wait before the attempt after `attempt` (from 1): as long as asked, else full jitter.

        A wait that the endpoint asked for holds every lane until it is over.
        """
        if retry_after is None:
            ceiling = min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2**attempt)
            await self._sleep(self._jitter() * ceiling)
        else:
            self._paused_until = max(self._paused_until, self._clock() + retry_after)

    async def _outwait(self) -> None:
        while self._paused_until > self._clock():
            await self._sleep_until(self._paused_until)

    async def _sleep_until(self, moment: float) -> None:
        while (left := moment - self._clock()) > 0:
            await self._sleep(left)

    def read_retry_after(self, text: str | None) -> float | None:
        """Return the seconds a `Retry-After` asks for, cut at the longest; None if unreadable."""
        if text is None:
            return None
        text = text.strip()
        if text.isascii() and text.isdigit():
            return min(float(text[:18]), self._longest_s)
        try:
            date = parsedate_to_datetime(text)
        except ValueError:
            return None
        moment = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
        return min(max(moment - self._now(), 0.0), self._longest_s)
