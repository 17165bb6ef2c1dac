"""Lists that are read from the store a chunk at a time."""

import asyncio
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from service.store.chunks import SIZE
from worker.jobs.stored import KEPT, Stored, bridge

LENGTH = 3 * SIZE + 7


def chunk(number: int) -> Sequence[int]:
    """Return a chunk of the numbers from 0."""
    return range(LENGTH)[number * SIZE : (number + 1) * SIZE]


@given(
    st.integers(-2 * LENGTH, 2 * LENGTH) | st.none(),
    st.integers(-2 * LENGTH, 2 * LENGTH) | st.none(),
)
def test_slices_are_those_of_a_list(start: int | None, stop: int | None) -> None:
    """Length, items from either end, order and slices of slices agree with a list's."""
    stored, plain = Stored(chunk, range(LENGTH)), list(range(LENGTH))
    part, same = stored[start:stop], plain[start:stop]
    assert len(part) == len(same)
    assert list(part[1:]) == same[1:]
    if same:
        assert (part[0], part[-1]) == (same[0], same[-1])


async def test_a_chunk_is_fetched_once_in_order_and_few_are_kept() -> None:
    """A pass in another thread reads each chunk once; more than a few are read again later."""
    fetched: list[int] = []

    async def read(number: int) -> Sequence[int]:
        fetched.append(number)
        return range(number * SIZE, (number + 1) * SIZE)

    stored = bridge(read, (KEPT + 1) * SIZE)
    assert await asyncio.to_thread(list, stored) == list(range((KEPT + 1) * SIZE))
    assert fetched == list(range(KEPT + 1))
    assert await asyncio.to_thread(stored.__getitem__, -1) == len(stored) - 1
    assert fetched == list(range(KEPT + 1))
    assert await asyncio.to_thread(stored.__getitem__, 0) == 0
    assert fetched[-1] == 0
