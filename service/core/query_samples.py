"""Samples of what users asked. Nothing of a log is kept: the same log gives the same sample."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import IO, Final

from msgspec import Struct

from reteval.contract.query_samples import (
    Drop,
    QuerySample,
    SampleMethod,
    SecretKind,
    Stratum,
    StratumCounts,
)
from reteval.contract.testsets import Query
from service.core.building.frequencies import QUERY_NAMES, Asked, Frequencies
from service.core.building.rows import Row, read_lines, read_objects, read_table
from service.core.building.sampling import Drawn, draw, stratify
from service.errors import InvalidError

_IN_MEMORY_BYTES: Final = 8_000_000
_SOURCE: Final = "log"
_PLACES: Final = 9

Reader = Callable[[IO[bytes]], Iterator[Row]]


def read_log_table(file: IO[bytes]) -> Iterator[Row]:
    """Read a log that is a table."""
    return read_table(file, required=QUERY_NAMES)


READERS: Final[dict[str, Reader]] = {
    "text/plain": read_lines,
    "text/csv": read_log_table,
    "application/x-ndjson": read_objects,
}
"""How a log is read, by its media type."""


class Wish(Struct, frozen=True, kw_only=True):
    """What is to be drawn: of queries asked `least` times or more, `size`, by a method."""

    method: SampleMethod
    size: int
    seed: int
    least: int
    once_per_user: bool


async def sample_queries(chunks: AsyncIterator[bytes], read: Reader, wish: Wish) -> QuerySample:
    """Read a log to its end, then count and draw in a thread.

    Raises:
        MalformedTextError: a table that cannot be read.
        TooLargeError: more different lines than are held at a time.
        InvalidError: no query is left to draw.
    """
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES) as spool:
        async for chunk in chunks:
            await asyncio.to_thread(spool.write, chunk)
        spool.seek(0)
        return await asyncio.to_thread(make_sample, read(spool), wish)


def make_sample(rows: Iterator[Row], wish: Wish) -> QuerySample:
    """Clean, redact, count and draw.

    Raises:
        TooLargeError, InvalidError, MalformedTextError: as `sample_queries`.
    """
    frequencies = Frequencies(once_per_user=wish.once_per_user)
    frequencies.take(rows)
    asked = frequencies.settle(least=wish.least)
    dropped = {reason: count for reason in Drop if (count := frequencies.dropped[reason])}
    if not asked:
        raise InvalidError(f"No query is left of {frequencies.lines} lines. {_explain(dropped)}")
    strata = stratify(asked)
    drawn = draw(asked, wish.method, size=wish.size, seed=wish.seed)
    searches = sum(one.count for one in asked)
    return QuerySample(
        method=wish.method,
        seed=wish.seed,
        lines=frequencies.lines,
        searches=searches,
        distinct=len(asked),
        dropped=dropped,
        redacted={kind: count for kind in SecretKind if (count := frequencies.redacted[kind])},
        strata={stratum: _sum_up(stratum, asked, strata, drawn) for stratum in Stratum},
        queries=tuple(
            _show(asked[one.place], strata[one.place], one.probability * searches) for one in drawn
        ),
    )


def _show(asked: Asked, stratum: Stratum, expected: float) -> Query:
    share = round(asked.count / expected, _PLACES)
    return Query(
        query=asked.text,
        tags=[stratum],
        source=_SOURCE,
        fields={"frequency": asked.count, "share": share},
    )


def _sum_up(
    stratum: Stratum, asked: Sequence[Asked], strata: Sequence[Stratum], drawn: Sequence[Drawn]
) -> StratumCounts:
    counts = [one.count for one, found in zip(asked, strata, strict=True) if found is stratum]
    sampled = sum(strata[one.place] is stratum for one in drawn)
    return StratumCounts(queries=len(counts), searches=sum(counts), sampled=sampled)


def _explain(dropped: dict[Drop, int]) -> str:
    reasons = ", ".join(f"{count} {reason}" for reason, count in dropped.items())
    return f"Dropped: {reasons}." if reasons else "Send at least one line."
