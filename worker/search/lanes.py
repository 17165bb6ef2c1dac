"""How many requests may be under way at once: fewer when the endpoint struggles, then more again.

Additive increase, multiplicative decrease (Chiu and Jain, 1989), on refusals and on latency.
"""

import time
from collections.abc import Callable
from typing import Final

SLOW: Final = 3.0
"""Times the usual latency at which an endpoint counts as struggling."""
CALM_S: Final = 1.0
"""Between two changes, so that their effect can be seen first."""
_SMOOTHING: Final = 0.1
_WARM_UP: Final = 20


class Lanes:
    """A limit between 1 and `most`; `cap` is what the other users of the target leave."""

    def __init__(self, most: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._limit = float(most)
        self._changed = clock()
        self._usual_ms = 0.0
        self._recent_ms = 0.0
        self._seen = 0
        self.cap = most

    @property
    def allowed(self) -> int:
        """How many requests may be under way now."""
        limit = int(self._limit)
        return limit if limit <= self.cap else max(1, self.cap)

    def refuse(self) -> None:
        """Learn that the endpoint asked for less (429 or 503)."""
        self._shrink()

    def answer(self, latency_ms: float) -> None:
        """Learn how long an answer took."""
        self._seen += 1
        if self._seen <= _WARM_UP:
            self._usual_ms += (latency_ms - self._usual_ms) / self._seen
            self._recent_ms = self._usual_ms
            return
        self._recent_ms += _SMOOTHING * (latency_ms - self._recent_ms)
        if self._recent_ms > SLOW * self._usual_ms:
            self._shrink()
        elif self._limit < self._most and self._is_calm():
            self._limit = min(self._most, self._limit + 1)
            self._changed = self._clock()

    def _shrink(self) -> None:
        if self._is_calm() or self._limit == self._most:
            self._limit = max(1.0, self._limit / 2)
            self._changed = self._clock()

    def _is_calm(self) -> bool:
        return self._clock() - self._changed >= CALM_S
