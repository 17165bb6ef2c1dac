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
    return _group(located if isinstance(located, AsyncGenerator) else _each(located))


async def _group(located: AsyncGenerator[Located, None]) -> AsyncGenerator[list[Located], None]:
    """Yield what is taken at once; where reading fails, first what was read before."""
    batch: list[Located] = []
    taken = judgments = 0
    async with aclosing(located) as items:
        try:
            async for item in items:
                batch.append(item)
                taken += 1
                judgments += _count_judgments(item.query)
                if len(batch) == BATCH or judgments >= _MOST_JUDGMENTS or taken > MAX_QUERIES:
                    yield batch
                    batch, judgments = [], 0
        except ServiceError:
            yield batch
            raise
    yield batch


def _count_judgments(query: Query) -> int:
    sent = query.relevant_ids if query.relevant is UNSET else query.relevant
    return 0 if sent is UNSET else len(sent)


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
