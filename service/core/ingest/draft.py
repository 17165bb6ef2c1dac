"""Takes a test set in, query by query, and hands what is stored on in batches."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing
from typing import Final

from msgspec import Struct

from reteval.contract.diagnostics import Diagnostic
from reteval.contract.testsets import Query, TestSetHead, TestSetStats
from service.core.ingest.assembly import Assembly
from service.core.ingest.located import Located
from service.errors import InvalidError

BATCH: Final = 500
_PAUSE_JUDGMENTS: Final = 5_000
"""Judgments handled before other requests get a turn: some ten milliseconds."""


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
    """Check, normalise and hash queries, passing them to `write` in order, `BATCH` at a time.

    Nothing is written from the first problem on, but what came before it has been: the caller
    keeps batches apart until the draft is there. Problems are collected, up to a number.

    Raises:
        InvalidError: rules broken, each with its place and how to mend it.
        ServiceError: whatever the reader behind `located` or `write` raises.
    """
    assembly = Assembly(head)
    batch: list[Query] = []
    done = 0
    try:
        whole = located if isinstance(located, AsyncGenerator) else _each(located)
        async with aclosing(whole) as items:
            async for item in items:
                query = assembly.take(item)
                done += 1 + len(query.relevant or ())
                batch.append(query)
                if assembly.problems and assembly.stopped:
                    break
                if len(batch) == BATCH:
                    await _hand_on(batch, assembly, write)
                    batch = []
                if done >= _PAUSE_JUDGMENTS:
                    await asyncio.sleep(0)
                    done = 0
    except InvalidError as exc:
        if not assembly.problems:
            raise
        assembly.problems.add(exc.errors)
    assembly.settle()
    if batch:
        await write(batch)
    return Draft(head=head, stats=assembly.stats, hash=assembly.digest, warnings=assembly.warnings)


async def _hand_on(
    batch: list[Query], assembly: Assembly, write: Callable[[list[Query]], Awaitable[None]]
) -> None:
    if not assembly.problems:
        await write(batch)


async def _each(
    located: AsyncIterator[Located] | Iterator[Located],
) -> AsyncGenerator[Located, None]:
    if isinstance(located, AsyncIterator):
        async for item in located:
            yield item
        return
    # A table is read to its end before its first query: not on the event loop.
    first = await asyncio.to_thread(next, located, None)
    if first is not None:
        yield first
    for item in located:
        yield item
