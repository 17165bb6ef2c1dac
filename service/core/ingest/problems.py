"""Collects what is wrong with a body, up to a number that a reader can still work through."""

from collections.abc import Iterable
from typing import Final

from reteval.contract.problems import ProblemItem
from service.errors import InvalidError

MAX_PROBLEMS: Final = 20


class Problems:
    """Problems in the order they were found; those past `MAX_PROBLEMS` are not kept."""

    def __init__(self) -> None:
        self._items: list[ProblemItem] = []

    def __bool__(self) -> bool:
        return bool(self._items)

    @property
    def full(self) -> bool:
        """Whether reading on would tell nothing more."""
        return len(self._items) >= MAX_PROBLEMS

    def add(self, items: Iterable[ProblemItem]) -> None:
        """Keep these as long as there is room."""
        for item in items:
            if self.full:
                return
            self._items.append(item)

    def settle(self) -> None:
        """Raise what was found.

        Raises:
            InvalidError: there was at least one problem.
        """
        if not self._items:
            return
        first = self._items[0].message
        if self.full:
            raise InvalidError(
                f"Reading stopped after {MAX_PROBLEMS} problems; the first: {first}",
                errors=self._items,
            )
        if len(self._items) > 1:
            first = f"{len(self._items)} problems; the first: {first}"
        raise InvalidError(first, errors=self._items)
