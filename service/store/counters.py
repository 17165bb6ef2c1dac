"""Counters of the whole deployment: what short-lived processes saw, added up in the store.

A process counts in memory and adds what it has from time to time. Each addition has a number, so
that one sent twice counts once. What a killed process had not added yet is lost: these numbers
are for watching; the outcomes of a run are its record.
"""

import secrets
from collections import Counter
from typing import Final

from msgspec import Struct

from service.store import keys
from service.store.connection import Connection
from service.store.scripts import Scripts

MOST_TARGETS: Final = 100
"""Targets that are counted apart; all further ones are counted together."""
OTHER: Final = "other"
_REMEMBERED_S: Final = 3_600
"""Far longer than a command is tried again."""


class Series(Struct, frozen=True):
    """What is counted: a counter, one of its kinds, and the target it is about, if any."""

    counter: str
    label: str
    target: str = ""


class Counters:
    """The totals, and additions to them."""

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts

    async def add(self, process: str, number: int, amounts: dict[Series, int]) -> None:
        """Add what a process counted; the same number of the same process adds once."""
        args: list[str | bytes | int] = [number, _REMEMBERED_S, MOST_TARGETS, OTHER]
        for series, amount in amounts.items():
            args += (series.counter, series.target, series.label, amount)
        await self._scripts.run(
            "count", [keys.COUNTERS, keys.counted(process), keys.COUNTED_TARGETS], args
        )

    async def read(self) -> dict[Series, int]:
        """Return every total."""
        totals = {}
        for field, amount in (await self._connection.hgetall(keys.COUNTERS)).items():
            counter, label, target = field.split(" ", 2)
            totals[Series(counter, label, target)] = int(amount)
        return totals


class Tally:
    """What one process has counted and not added yet."""

    def __init__(self, counters: Counters) -> None:
        self._counters = counters
        self._process = secrets.token_hex(8)
        self._number = 0
        self._fresh: Counter[Series] = Counter()
        self._sent: dict[Series, int] = {}

    def count(self, counter: str, label: str, *, target: str = "", amount: int = 1) -> None:
        """Count something; a label has no spaces."""
        self._fresh[Series(counter, label, target)] += amount

    async def flush(self) -> None:
        """Add what was counted. What the store may not have got is sent again next time.

        Raises:
            StoreUnavailableError, StorageFullError: it is kept.
        """
        while self._sent or self._fresh:
            if not self._sent:
                self._sent, self._fresh = dict(self._fresh), Counter()
                self._number += 1
            await self._counters.add(self._process, self._number, self._sent)
            self._sent = {}
