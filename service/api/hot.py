"""Answers that never change, kept for a second: a report that many ask for is read once.

What a key may be asked for is decided before; what was deleted by another process is answered for
that second longer.
"""

import time
from collections.abc import Callable
from typing import Final

from msgspec import Struct

KEPT_S: Final = 1.0
STATE: Final = "state"
RESULTS: Final = "results"
"""Parts of a run whose answers are kept."""
_MOST: Final = 256
_MOST_BYTES: Final = 262_144


class Known(Struct, frozen=True):
    """The JSON of an answer, and its entity tag."""

    body: bytes
    etag: str


class HotAnswers:
    """A few answers by who asked for which part of which object."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: dict[tuple[str, str, str], tuple[float, Known]] = {}

    def find(self, tenant: str, name: str, part: str) -> Known | None:
        """Return the answer if it was kept within the last second."""
        kept = self._kept.get((tenant, name, part))
        return kept[1] if kept and self._clock() - kept[0] < KEPT_S else None

    def keep(self, tenant: str, name: str, part: str, known: Known) -> Known:
        """Keep an answer that will never change, unless it is large; return it."""
        if len(known.body) <= _MOST_BYTES:
            self._kept.pop((tenant, name, part), None)
            while len(self._kept) >= _MOST:
                del self._kept[next(iter(self._kept))]
            self._kept[tenant, name, part] = (self._clock(), known)
        return known

    def forget(self, tenant: str, name: str) -> None:
        """Drop every part of an object that is gone."""
        for key in [key for key in self._kept if key[:2] == (tenant, name)]:
            del self._kept[key]
