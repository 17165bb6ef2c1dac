"""How many requests a run may send again: retries must not become the load that keeps it down."""

from typing import Final

START: Final = 50.0
SHARE: Final = 0.2


class Budget:
    """Fifty repeats to begin with, and one more for every five requests."""

    def __init__(self) -> None:
        self._left = START

    def earn(self) -> None:
        """Count a request."""
        self._left += SHARE

    def spend(self) -> bool:
        """Take a repeat; False when there is none left."""
        if self._left < 1:
            return False
        self._left -= 1
        return True
