"""Where each of many keys was met first, at little cost while none is met again."""

from collections.abc import Hashable, Sequence
from itertools import count
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


class Firsts(Generic[K]):
    """Takes keys in order, each with a number: that of the query that has it.

    Most keys are never met again, so those that come together are only numbered when one is
    looked for.
    """

    def __init__(self) -> None:
        self._seen: set[K] = set()
        self._numbers: dict[K, int] = {}
        self._waiting: list[tuple[int, Sequence[K]]] = []

    def add_all(self, keys: Sequence[K], number: int) -> bool:
        """Take keys with the numbers from `number` on; False if one is not new, or comes twice.

        None of them counts then, and each is to be added by itself.
        """
        before = len(self._seen)
        self._seen.update(keys)
        if len(self._seen) < before + len(keys):
            return False
        self._waiting.append((number, keys))
        return True

    def add(self, key: K, number: int) -> int:
        """Take one; return the number that it had first."""
        self._seen.add(key)
        return self._all().setdefault(key, number)

    def find(self, key: K) -> int | None:
        """Return the number that a key had first."""
        return self._all().get(key)

    def _all(self) -> dict[K, int]:
        for number, keys in self._waiting:
            self._numbers.update(zip(keys, count(number), strict=False))
        self._waiting.clear()
        return self._numbers
