"""How much there is to do and how full the store is, read in a bounded number of commands."""

from typing import Final

import msgspec
from msgspec import Struct

from service.store import keys
from service.store.scripts import Scripts

LOOK_AT: Final = 5_000
"""Jobs of a tenant in a queue whose units are counted, oldest first."""


class QueueLoad(Struct, frozen=True, kw_only=True):
    """Jobs of a queue that have not ended, and their units.

    `since` is when the oldest unit that can be taken now could first be taken, at the latest
    when its job was accepted; in Redis milliseconds.
    """

    jobs: int
    claimable: int
    held: int
    waiting: int
    since: float


class Backlog(Struct, frozen=True, kw_only=True):
    """The queues at `now`; `states` counts jobs that have not ended by `kind status`."""

    now: float
    queues: dict[str, QueueLoad] = {}
    states: dict[str, int] = {}

    def load(self, queue: str) -> QueueLoad:
        """Return the load of a queue, which may be none."""
        none = QueueLoad(jobs=0, claimable=0, held=0, waiting=0, since=self.now)
        return self.queues.get(queue, none)

    def age_s(self, queue: str) -> float:
        """Return for how long the oldest unit of a queue has waited for a worker."""
        return max(0.0, self.now - self.load(queue).since) / 1_000


class Load:
    """What an operator watches."""

    def __init__(self, scripts: Scripts) -> None:
        self._scripts = scripts

    async def backlog(self) -> Backlog:
        """Return what waits and what is worked on."""
        found = await self._scripts.run("load", [keys.BUSY], [LOOK_AT])
        return msgspec.json.decode(_mend(found), type=Backlog)


def _mend(found: bytes) -> bytes:
    """Write Lua's empty tables as the objects that they are."""
    return found.replace(b":[]", b":{}")
