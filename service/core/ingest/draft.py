"""Takes a test set in, query by query, and hands what is stored on in batches."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing
from typing import Final

from msgspec import UNSET, Struct

from reteval.contract.diagnostics import Diagnostic
from reteval.contract.limits import MAX_QUERIES
from reteval.contract.testsets import Query, TestSetHead, TestSetStats
from service.core.ingest.assembly import Assembly
from service.core.ingest.located import Batches, Located
from service.errors import InvalidError, ServiceError

BATCH: Final = 500
_MOST_JUDGMENTS: Final = 5_000
"""Of a batch, after which other requests get a turn: some ten milliseconds."""


class Draft(Struct, frozen=True, kw_only=True):
    """A checked set without its queries, ready to be recorded."""

    head: TestSetHead
    stats: TestSetStats
    hash: str
    warnings: tuple[Diagnostic, ...]


async def ingest(
    located: AsyncIterator[Located] | Iterator[Located],
    head: TestSetHead,
    write: Callable[[list[Query]], Awaitable[None]],
) -> Draft:
    """Check, normalise and hash queries, passing them to `write` in order, some at a time.

    Nothing is written from the first problem on, but what came before it may have been: the
    caller keeps what is written apart until the draft is there. Problems are collected, up to a
    number.

    Raises:
        InvalidError: rules broken, each with its place and how to mend it.
        ServiceError: whatever the reader behind `located` or `write` raises.
    """
    assembly = Assembly(head)
    try:
        async with aclosing(_batch(located)) as batches:
            async for batch in batches:
                queries = assembly.take_all(batch)
                if assembly.problems and assembly.stopped:
                    break
                if queries and not assembly.problems:
                    await write(queries)
                await asyncio.sleep(0)
    except InvalidError as exc:
        if not assembly.problems:
            raise
        assembly.problems.add(exc.errors)
    assembly.settle()
    return Draft(head=head, stats=assembly.stats, hash=assembly.digest, warnings=assembly.warnings)


def _batch(
    located: AsyncIterator[Located] | Iterator[Located],
) -> AsyncGenerator[list[Located], None]:
    if isinstance(located, Batches):
        return located.batches
    return _group(located) if isinstance(located, AsyncIterator) else _draw_all(located)


async def _group(located: AsyncIterator[Located]) -> AsyncGenerator[list[Located], None]:
    """Yield what is taken at once; where reading fails, first what was read before."""
    batch = _Batch(0)
    try:
        async for item in located:
            if batch.take(item):
                yield batch.items
                batch = _Batch(batch.end)
    except ServiceError:
        yield batch.items
        raise
    finally:
        if isinstance(located, AsyncGenerator):
            await located.aclose()
    yield batch.items


async def _draw_all(located: Iterator[Located]) -> AsyncGenerator[list[Located], None]:
    """Yield the same of files, which are read to their end before their first query.

    That, and what is then read back from disk, is not for the event loop.
    """
    batch, ended = _Batch(0), False
    while not ended:
        ended, failure = await asyncio.to_thread(_draw, located, batch)
        yield batch.items
        if failure is not None:
            raise failure
        batch = _Batch(batch.end)


def _draw(located: Iterator[Located], batch: "_Batch") -> tuple[bool, ServiceError | None]:
    # Fills a batch; whether that was all, and why.
    try:
        for item in located:
            if batch.take(item):
                return False, None
    except ServiceError as exc:
        return True, exc
    return True, None


class _Batch:
    # What is taken at once, after so many before it; one by one where they are too many.

    def __init__(self, before: int) -> None:
        self.items: list[Located] = []
        self._before, self._judgments = before, 0
        self._most = min(BATCH, max(1, MAX_QUERIES + 1 - before))

    @property
    def end(self) -> int:
        """How many there are with these."""
        return self._before + len(self.items)

    def take(self, item: Located) -> bool:
        """Take one more; whether it is enough."""
        self.items.append(item)
        self._judgments += _count_judgments(item.query)
        return len(self.items) >= self._most or self._judgments >= _MOST_JUDGMENTS


def _count_judgments(query: Query) -> int:
    sent = query.relevant_ids if query.relevant is UNSET else query.relevant
    return 0 if sent is UNSET else len(sent)
