"""Lists that stay in the store: a sequence over chunks, of which the last few read are kept."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import lru_cache
from typing import Final, Generic, TypeVar, overload

from service.store.chunks import SIZE

T = TypeVar("T")

KEPT: Final = 4
"""Chunks held at once: of a plan that is read in order, and of the places it refers back to."""


class Stored(Sequence[T], Generic[T]):
    """A stored list. A slice is another view of it and reads nothing."""

    def __init__(self, chunk: Callable[[int], Sequence[T]], places: range) -> None:
        self._chunk = chunk
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> "Stored[T]": ...
    def __getitem__(self, place: int | slice) -> "T | Stored[T]":
        if isinstance(place, slice):
            return Stored(self._chunk, self._places[place])
        at = self._places[place]
        return self._chunk(at // SIZE)[at % SIZE]

    def __iter__(self) -> Iterator[T]:
        for at in self._places:
            yield self._chunk(at // SIZE)[at % SIZE]


def bridge(read: Callable[[int], Awaitable[Sequence[T]]], length: int) -> Stored[T]:
    """Return the list whose chunks `read` fetches in this loop, for use in another thread.

    In the loop's own thread reading would wait for itself.
    """
    loop = asyncio.get_running_loop()

    async def fetch(number: int) -> Sequence[T]:
        return await read(number)

    @lru_cache(maxsize=KEPT)
    def chunk(number: int) -> Sequence[T]:
        return asyncio.run_coroutine_threadsafe(fetch(number), loop).result()

    return Stored(chunk, range(length))
