"""Reads a test set streamed as one query object a line, holding a few lines at a time."""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing
from typing import Final

import msgspec

from reteval.contract import limits
from reteval.contract.problems import ProblemItem
from reteval.contract.testsets import Query
from service.core.ingest.located import Batches, Located
from service.core.ingest.problems import Problems
from service.core.ingest.shape import BOM, decode
from service.errors import TooLargeError

_TOGETHER: Final = 200
_PIECE_BYTES: Final = 65_536
"""Lines, and bytes, that are decoded before the first of them is checked."""


def read_ndjson(chunks: AsyncIterator[bytes], *, most: int = limits.MAX_NDJSON_BYTES) -> Batches:
    """Read queries from a body of at most `most` bytes in chunks of any size.

    Blank lines are skipped. Lines of another shape are collected to the end, or until there are
    too many to list.

    Raises, when they are asked for:
        MalformedJsonError: a line that is not JSON.
        InvalidError: types, bounds or unknown fields, at the end.
        TooLargeError: a line or the whole body over its bound.
    """
    return Batches(_read_batches(chunks, most))


async def _read_batches(
    chunks: AsyncIterator[bytes], most: int
) -> AsyncGenerator[list[Located], None]:
    reader = _Reader()
    async with aclosing(_blocks(chunks, most)) as blocks:
        async for row, lines in blocks:
            for batch in reader.read(row, lines):
                yield batch
            if reader.problems.full:
                break
    reader.problems.settle()


class _Reader:
    # Reads lines together while all are queries; where one is not, that block line by line.

    def __init__(self) -> None:
        self.problems = Problems()
        self._decoder = msgspec.json.Decoder(Query)

    def read(self, row: int, lines: list[bytes]) -> Iterator[list[Located]]:
        found = self._decode_all(lines)
        if found is not None:
            yield [Located(query=query, row=number) for number, query in enumerate(found, row)]
            return
        batch: list[Located] = []
        try:
            batch.extend(self._read_each(row, lines))
        finally:
            yield batch

    def _decode_all(self, lines: list[bytes]) -> list[Query] | None:
        if max(map(len, lines)) > limits.MAX_LINE_BYTES or self.problems:
            return None
        decode_line = self._decoder.decode
        try:
            return [decode_line(line) for line in lines]
        except (msgspec.DecodeError, RecursionError):
            return None

    def _read_each(self, first: int, lines: list[bytes]) -> Iterator[Located]:
        for row, raw in enumerate(lines, first):
            line = _bounded(raw, row)
            line = line.removeprefix(BOM) if row == 1 else line
            if not line.strip():
                continue
            found = decode(line, self._decoder, row=row)
            if isinstance(found, ProblemItem):
                self.problems.add([found])
                if self.problems.full:
                    return
            elif not self.problems:
                yield Located(query=found, row=row)


async def _blocks(
    chunks: AsyncIterator[bytes], most: int
) -> AsyncGenerator[tuple[int, list[bytes]], None]:
    """Yield whole lines, some together, with the number of the first."""
    row, total, rest = 1, 0, b""
    async for chunk in chunks:
        total += len(chunk)
        if total > most:
            raise TooLargeError(f"The body is over {most:,} bytes: split the test set.")
        for begin in range(0, len(chunk), _PIECE_BYTES):
            *lines, rest = (rest + chunk[begin : begin + _PIECE_BYTES]).split(b"\n")
            for start in range(0, len(lines), _TOGETHER):
                yield row, lines[start : start + _TOGETHER]
                row += len(lines[start : start + _TOGETHER])
            _bounded(rest, row)
    yield row, [rest]


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
