"""An endpoint's answers with a brake, so that a test may act in the middle of a run."""

import threading
from typing import Any

from tests.endpoint import Answer


class Brake:
    """Answers `after` requests, then holds every further one until it is released."""

    def __init__(self, answer: Answer, *, after: int) -> None:
        self.held = 0
        self._answer = answer
        self._left = after
        self._free = threading.Event()
        self._lock = threading.Lock()

    def __call__(self, text: str) -> tuple[int, Any]:
        """Answer, or wait for it."""
        with self._lock:
            self._left -= 1
            waits = self._left < 0 and not self._free.is_set()
            self.held += waits
        if waits:
            self._free.wait()
        return self._answer(text)

    def release(self) -> None:
        """Answer whatever waits, and all that comes."""
        self._free.set()
