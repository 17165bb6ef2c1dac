"""Reads a test set streamed as one query object a line, holding one line at a time."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

import msgspec

from reteval.contract import limits
from reteval.contract.problems import ProblemItem
from reteval.contract.testsets import Query
from service.core.ingest.located import Located
from service.core.ingest.problems import Problems
from service.core.ingest.shape import BOM, decode
from service.errors import TooLargeError


async def read_ndjson(
    chunks: AsyncIterator[bytes], *, most: int = limits.MAX_NDJSON_BYTES
) -> AsyncIterator[Located]:
    """Read queries from a body of at most `most` bytes in chunks of any size.

    Blank lines are skipped. Lines of another shape are collected to the end, or until there are
    too many to list.

    Raises:
        MalformedJsonError: a line that is not JSON.
        InvalidError: types, bounds or unknown fields, at the end.
        TooLargeError: a line or the whole body over its bound.
    """
    decoder = msgspec.json.Decoder(Query)
    problems = Problems()
    async with aclosing(_lines(chunks, most)) as lines:
        async for row, raw in lines:
            line = raw.removeprefix(BOM) if row == 1 else raw
            if not line.strip():
                continue
            found = decode(line, decoder, row=row)
            if isinstance(found, ProblemItem):
                problems.add([found])
                if problems.full:
                    break
            elif not problems:
                yield Located(query=found, row=row)
    problems.settle()


async def _lines(
    chunks: AsyncIterator[bytes], most: int
) -> AsyncGenerator[tuple[int, bytes], None]:
    row, total, rest = 1, 0, b""
    async for chunk in chunks:
        total += len(chunk)
        if total > most:
            raise TooLargeError(f"The body is over {most:,} bytes: split the test set.")
        data, start = rest + chunk, 0
        while (end := data.find(b"\n", start)) >= 0:
            yield row, _bounded(data[start:end], row)
            row, start = row + 1, end + 1
        rest = _bounded(data[start:], row)
    yield row, rest


def _bounded(line: bytes, row: int) -> bytes:
    if len(line) > limits.MAX_LINE_BYTES:
        item = ProblemItem(
            pointer="",
            row=row,
            message=f"line {row} is over {limits.MAX_LINE_BYTES:,} bytes",
            fix="Write each query on its own line; shorten its text or judge fewer documents.",
        )
        raise TooLargeError(f"{item.message}. {item.fix}", errors=[item])
    return line
