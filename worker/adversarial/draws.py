"""Seeded choices that come out the same in every process, on every machine and version.

Python promises only that `random()` of an equally seeded generator repeats; everything else
is therefore built from it here.
"""

import hashlib
import random
from collections.abc import Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")

_UNIT_SEPARATOR = "\x1f"


def derive_seed(*parts: str | int) -> int:
    """Return the SHA-256 of the parts, unit-separated, as an integer."""
    text = _UNIT_SEPARATOR.join(str(part) for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())


class Draws:
    """A stream of choices from one seed."""

    def __init__(self, seed: int) -> None:
        # Repeatable on purpose: the variants of a run must be the same when it is repeated.
        self._uniform = random.Random(seed).random  # noqa: S311

    def chance(self, probability: float) -> bool:
        """Return True with this probability."""
        return self._uniform() < probability

    def index(self, count: int) -> int:
        """Return one of 0 .. count - 1."""
        return int(self._uniform() * count)

    def pick(self, items: Sequence[T]) -> T:
        """Return one of the items."""
        return items[self.index(len(items))]

    def weighted(self, shares: Mapping[T, int]) -> T:
        """Return a key, as often as its share of all shares says."""
        left = self.index(sum(shares.values()))
        for item, share in shares.items():
            if left < share:
                return item
            left -= share
        raise ValueError("the shares must be positive")

    def shuffle(self, items: Sequence[T]) -> list[T]:
        """Return the items in another order."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.index(last + 1)
            order[last], order[other] = order[other], order[last]
        return order
